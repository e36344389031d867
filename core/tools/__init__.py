"""The tools that ship, one a file. A tool validates its own arguments and never sees the store."""
