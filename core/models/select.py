"""Which model answers, and which stand in for it. Pure."""

import hashlib
import json
from collections.abc import Sequence

from core.models.entry import ModelEntry


def line_up(entries: Sequence[ModelEntry], wanted: str | None, default: str) -> tuple[str, ...]:
    """The wanted model, or the default where there is no such one; then the others by priority, as listed among equals.

    The list is what a turn may try, in this order, when a model cannot be reached.
    """
    first = wanted if any(entry.name == wanted for entry in entries) else default
    others = sorted((entry for entry in entries if entry.name != first), key=lambda entry: entry.priority)
    return (first, *(entry.name for entry in others)) if first else ()


def fingerprint(entries: Sequence[ModelEntry], default: str) -> str:
    """Changes with everything that an answer may depend on. Keys take no part, not even hashed."""
    facts = [
        [entry.name, entry.model, entry.api_base, entry.window, entry.output, entry.vision, entry.priority]
        for entry in entries
    ]
    return hashlib.sha256(json.dumps([default, facts]).encode()).hexdigest()[:12]
