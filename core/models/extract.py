"""The one place that finds JSON in what a model wrote."""

import json
import re

from core.models.think import spoken

Json = dict[str, object] | list[object]

MAX_DIGITS = 400
# A failed try costs a look at the whole text in front of it, so their number is bounded: that keeps all of it linear.
MAX_TRIES = 1_000
_FENCE = re.compile(r"^[ \t]*(```+|~~~+)[ \t]*(\w*)[^\n]*$", re.MULTILINE)
_START = re.compile(r"""\{\s*["}]|\[\s*[\[{"\-0-9tfn\]]""")


def extract_json(text: str) -> Json | None:
    """The object, or else the list, that a model meant to give; None when there is none.

    Thinking is left out, fenced blocks go before prose, the first object goes before the first list (prose is full
    of [1]). Values are taken as they stand: nothing is repaired. Linear in the length of the text.
    """
    words = spoken(text)
    for block in (*_fenced(words), words):
        found = _first(block)
        if found is not None:
            return found
    return None


def _fenced(text: str) -> list[str]:
    """The insides of fences, those that are called JSON first."""
    called: list[str] = []
    other: list[str] = []
    fence, start, language = "", 0, ""
    for line in _FENCE.finditer(text):
        if not fence:
            fence, start, language = line.group(1), line.end(), line.group(2).lower()
        elif line.group(1).startswith(fence) and not line.group(2):
            (called if language.startswith("json") else other).append(text[start : line.start()])
            fence = ""
    return called + other


def _first(text: str) -> Json | None:
    """After a failure at some place the search goes on from there, so no character is parsed twice."""
    spare: Json | None = None
    at = 0
    for _ in range(MAX_TRIES):
        start = _START.search(text, at)
        if start is None:
            break
        try:
            value, at = _DECODER.raw_decode(text, start.start())
        except json.JSONDecodeError as error:
            at = max(start.start() + 1, error.pos)
        except RecursionError:
            return spare
        else:
            if isinstance(value, dict):
                return value
            spare = value if spare is None else spare
    return spare


def _whole_number(digits: str) -> int | float:
    """Numbers beyond all reason become floats: Python refuses to read them exactly."""
    return int(digits) if len(digits) <= MAX_DIGITS else float(digits)


_DECODER = json.JSONDecoder(parse_int=_whole_number)
