"""The package itself: what it holds, what it depends on, and that it works once installed."""
