"""Channels translate between a platform and the bus. They know nothing of agents or storage."""
