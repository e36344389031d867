"""The command as people start it: real processes on pseudo-terminals and pipes."""
