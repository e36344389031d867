"""The shared blackboard of a turn: what its agents have noted, read out of their steps."""

import json
from collections.abc import Iterable, Mapping
from html import escape

from core.domain.step import CallId, ModelAnswered, Stamped, ToolFinished

TOOL = "update_scratchpad"


def notes_of(frames: Iterable[Iterable[Stamped]]) -> Mapping[str, str]:
    """The notes of all frames of a turn: of each key the newest; an empty value takes a note away."""
    noted = [found for steps in frames for found in _noted(steps)]
    notes: dict[str, str] = {}
    for _, key, value in sorted(noted):
        notes.pop(key, None)
        if value:
            notes[key] = value
    return notes


def shown(notes: Mapping[str, str]) -> str:
    """The notes as they stand in a prompt; empty where there are none. No note can end itself and begin another."""
    if not notes:
        return ""
    lines = [f'<note key="{escape(key)}">{escape(value, quote=False)}</note>' for key, value in notes.items()]
    return "\n".join(["<scratchpad>", *lines, "</scratchpad>"])


def _noted(steps: Iterable[Stamped]) -> Iterable[tuple[int, str, str]]:
    """What was noted, each by the place of its result: a call that failed noted nothing."""
    asked: dict[CallId, str] = {}
    for stamped in steps:
        match stamped.step:
            case ModelAnswered(calls=calls):
                named = ((index, call) for index, call in enumerate(calls) if call.name == TOOL)
                asked |= {CallId(step=stamped.seq, index=index): call.arguments for index, call in named}
            case ToolFinished(call=call, failed=False) if call in asked:
                note = json.loads(asked[call])
                yield stamped.seq, note["key"], note["value"]
            case _:
                pass
