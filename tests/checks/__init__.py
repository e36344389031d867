"""What `make check` runs: the usual tools, and the budgets for size and habits that no usual tool knows."""
