"""Tests: unit, contract, store, conversation, crash, packaging, and the checks of `make check`."""
