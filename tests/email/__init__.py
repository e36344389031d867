"""The email channel under a whole gateway, and against real mail servers."""
