"""Pure rules: no input, no output, no clock. Time, ids and chance are arguments."""
