"""What stands under a person's words: a signature, a contact block, a mobile line, small print. Pure."""

import re
from collections.abc import Sequence

from channels.email.languages import MOBILE, disclaims

SIGNATURE_FOLLOWS = "\ue003"
MOST_SIGNATURE = 12
LONGEST_CONTACT = 100
_UNSEEN = re.compile("[\u200b-\u200f\u2060-\u2064\ufeff]")
_TARGET = re.compile(r"\s*[<(]https?://[^<>()\s]*[>)]|\s*https?://\S*$")
_RULE = re.compile(r"^\s*[_\u2500\u2501=*~-]{5,}\s*$")
_CONTACT = re.compile(
    r"\d[\d /().-]{5,}\d|www\.|https?://|\S+@\S+\.\S+|\b(?:tel|phone|fon|mobil|fax|t|m|direct|тел)\b\.?:?\s*[+(\d]"
    r"|\b(?:gmbh|ltd|llc|inc|s\.?a\.?|ag|ab|oy|b\.?v\.?|s\.?r\.?l|ооо|e\. ?v\.)\b|\bHRB\b",
    re.IGNORECASE,
)
_TITLED = re.compile(r"^(.{2,60}?)\s*[|,/\u2013\u2014]\s*\S")


def without_footer(lines: Sequence[str], author: str) -> list[str]:
    """Without any of it at the end; what remains may be nothing."""
    kept = list(lines)
    while True:
        before = len(kept)
        kept = kept[: signature_at(kept)]
        kept = kept[: _before_mobile(kept)]
        kept = kept[: _before_disclaimer(kept)]
        kept = kept[: _before_ruled_block(kept, author)]
        if len(kept) == before:
            return kept[: _behind_name(kept, author)]


def signature_at(lines: Sequence[str]) -> int:
    """Where a marked signature begins, or the end of the lines."""
    limit = len(lines)
    for number in range(limit - 1, -1, -1):
        line = lines[number]
        if line.strip() == SIGNATURE_FOLLOWS or line == "-- ":
            return number
        if line in ("--", "\u2014", "__") and _looks_signed(lines[number + 1 :]):
            return number
    return limit


def _looks_signed(below: Sequence[str]) -> bool:
    """Short lines with a name and an address, no sentence among them."""
    filled = [line.strip() for line in below if line.strip()]
    near = bool(below) and bool(below[0].strip())
    return near and len(filled) <= MOST_SIGNATURE and not any(line.endswith((".", "?", "!")) for line in filled[:3])


def _end(lines: Sequence[str]) -> int:
    end = len(lines)
    while end and not lines[end - 1].strip():
        end -= 1
    return end


def _before_mobile(lines: Sequence[str]) -> int:
    end = _end(lines)
    if not end or len(lines[end - 1]) > 300:
        return len(lines)
    said = _TARGET.sub("", _UNSEEN.sub("", lines[end - 1])).strip()
    return end - 1 if MOBILE.match(said) else len(lines)


def _before_disclaimer(lines: Sequence[str]) -> int:
    """Where the last paragraph begins, if it is small print and something stands above it."""
    end = _end(lines)
    while end and _RULE.match(lines[end - 1]):
        end = _end(lines[: end - 1])
    start = end
    while start and lines[start - 1].strip():
        start -= 1
    if start and any(line.strip() for line in lines[:start]) and disclaims(" ".join(lines[start:end])):
        return start
    return len(lines)


def _before_ruled_block(lines: Sequence[str], author: str) -> int:
    """A contact block under a drawn line, or between two of them."""
    end = _end(lines)
    closed = bool(end) and _RULE.match(lines[end - 1]) is not None
    for number in range(end - 1 - closed, max(0, end - MOST_SIGNATURE - 3), -1):
        if _RULE.match(lines[number]):
            block = _filled(lines[number + 1 : end - closed])
            named = any(_names(line, author) for line in block[:3])
            return number if _is_contact(block) and (closed or named) else len(lines)
    return len(lines)


def _behind_name(lines: Sequence[str], author: str) -> int:
    """A contact block that begins with the author's name: the name stays, what says where to reach him goes."""
    end = _end(lines)
    for number in range(end - 2, max(0, end - 2 * MOST_SIGNATURE), -1):
        if _names(lines[number].strip(), author) and _is_reach(lines, number, end):
            return number if _TITLED.match(lines[number].strip()) else number + 1
    return len(lines)


def _is_reach(lines: Sequence[str], number: int, end: int) -> bool:
    """Whether a contact block follows a line with a name that is not itself what the mail is about."""
    above, block = _filled(lines[:number]), _filled(lines[number + 1 : end])
    told = not above or above[-1].rstrip().endswith(":")
    return not told and len(block) <= MOST_SIGNATURE and _is_contact(block)


def _filled(lines: Sequence[str]) -> list[str]:
    return [line for line in lines if line.strip()]


def _is_contact(block: Sequence[str]) -> bool:
    short = all(len(line) <= LONGEST_CONTACT and not line.rstrip().endswith(("?", "!", ":")) for line in block)
    return short and any(_CONTACT.search(line) for line in block)


def _names(line: str, author: str) -> bool:
    """Whether a short line has the author's name in it, whole or in part."""
    words = [word.casefold() for word in re.split(r"[\s,.|/]+", author) if len(word) > 1 and "@" not in word]
    if not words or not line or len(line) > 60:
        return False
    said = line.casefold()
    hits = sum(word in said for word in words)
    return hits == len(words) or (hits > 0 and len(line.split()) <= 3)
