"""The imperative shell: performs what the rules decide, and owns every task."""
