"""The command as people run it."""
