"""Schema migrations: names of one form, newest last, each able to run on both engines."""
