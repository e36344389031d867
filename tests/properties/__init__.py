"""What holds whatever people, platforms, processes and the clock do, tried with sequences that nobody thought of."""
