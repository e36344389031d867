"""Reads folders of Markdown and JSON into agents."""
