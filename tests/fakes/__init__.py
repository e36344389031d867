"""Wire-level stand-ins for the outside world, shared by all tests."""
