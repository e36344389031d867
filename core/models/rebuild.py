"""Puts streamed tool calls together again, whatever the provider does to their ids.

Ids serve here only to tell calls apart and go no further: the engine has its own. Nothing is repaired or trimmed in
the text of the arguments.
"""

import json
from dataclasses import dataclass

from core.domain.step import Call


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A part of a call as it came over the wire; anything but the index may be missing."""

    index: int = 0
    id: str = ""
    name: str = ""
    arguments: str = ""


class _Growing:
    def __init__(self, *, call_id: str, name: str) -> None:
        self.id = call_id
        self.name = name
        self.arguments: list[str] = []

    def text(self) -> str:
        return "".join(self.arguments)


class CallPieces:
    """All calls of one answer. Pieces of one call share its index; a new id or a second name there begins another."""

    def __init__(self) -> None:
        self._all: list[_Growing] = []
        self._at: dict[int, _Growing] = {}

    def add(self, piece: Piece) -> None:
        """Take the next piece, in the order in which they came."""
        call = self._at.get(piece.index)
        if call is None or _begins_another(call, piece):
            call = _Growing(call_id=piece.id, name=piece.name)
            self._all.append(call)
            self._at[piece.index] = call
        elif _repeats(call, piece):
            return
        call.id = call.id or piece.id
        call.name = call.name or piece.name
        if piece.arguments:
            call.arguments.append(piece.arguments)

    def calls(self) -> tuple[Call, ...]:
        """Every call in the order in which they began; one with neither name nor arguments was none."""
        whole = [Call(name=call.name, arguments=call.text()) for call in self._all]
        return tuple(call for call in whole if call.name or call.arguments)


def _begins_another(call: _Growing, piece: Piece) -> bool:
    """Some servers give every call index 0: then a new id, or a name behind complete arguments, tells them apart."""
    if not piece.name:
        return False
    if piece.id and call.id and piece.id != call.id:
        return True
    same_id = bool(piece.id) and piece.id == call.id
    return bool(piece.arguments) and not same_id and piece.arguments != call.text() and _complete(call.text())


def _repeats(call: _Growing, piece: Piece) -> bool:
    """Some servers send the whole arguments once more at the end."""
    return bool(piece.arguments) and piece.arguments == call.text() and _complete(piece.arguments)


def _complete(arguments: str) -> bool:
    try:
        return isinstance(json.loads(arguments), dict)
    except (ValueError, RecursionError):
        return False
