"""Commands that really run."""
