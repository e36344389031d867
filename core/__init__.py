"""Core decides and remembers. It knows no platform."""
