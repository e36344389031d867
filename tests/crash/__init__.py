"""Real processes that are killed while they work, and started again."""
