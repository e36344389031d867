"""What all channels share about text."""
