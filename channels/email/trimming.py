"""What a person wrote, apart from what the mail program put under or around it. Pure, linear in the text.

Rules, in this order: what is forwarded belongs to the message. Quotes below the last word of the author go; quotes with
new words below them are what those words answer, and stay. A block of quoted headers ends the message. Under the
author's words a signature, a mobile line and small print go. Where nothing is left, everything is kept.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from channels.email.languages import FORWARDED, MOBILE, ORIGINAL, WROTE, disclaims, header_kind

# Marks that the HTML reader leaves: what follows was set apart as a quote by the mail program itself.
QUOTE_FOLLOWS = "\ue002"
SIGNATURE_FOLLOWS = "\ue003"
LONGEST_ATTRIBUTION = 4
LONGEST_LINE = 400
MOST_SIGNATURE = 12
_QUOTED = re.compile(r"^ {0,3}>")
_MARKED = re.compile(r"^[ >]*")
_DATED = re.compile(
    r"\d{4}|\d{1,2}[:.]\d{2}|\d{1,2}\s*[./-]\s*\d{1,2}|\d{1,2}\.? \w{3,}|\w{3,} \d{1,2}\b|\d{1,2}월|\d{1,2}月"
)
_TIMED = re.compile(r"\d{1,2}[:.h]\d{2}|@|\d{4}")
_ADDRESSED = re.compile(r"<[^<>\s]*@[^<>\s]*>|\S+@\S+\.\S+|\[mailto:")
_RULE = re.compile(r"^\s*[_\u2500-]{5,}\s*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Trimmed:
    """`visible` is what the author says now; `quoted` is everything that was taken away, in its order."""

    visible: str
    quoted: str = ""


def trimmed(text: str) -> Trimmed:
    """Never empties a mail that has words in it."""
    lines = [
        line.rstrip("\n") for line in text.replace("\r\n", "\n").replace("\r", "\n").replace("\xa0", " ").split("\n")
    ]
    forwarded = _forward_at(lines)
    end = _end_of_new(lines if forwarded is None else lines[:forwarded])
    new = lines[:end]
    kept = _without_footer(new)
    if forwarded is not None and end >= forwarded:
        kept = [*kept, "", *lines[forwarded:]]
        return Trimmed(visible=_clean(kept), quoted="")
    visible = _clean(kept)
    if not re.search(r"\w", visible) and re.search(r"\w", _clean(lines)) and not _answers_by_sign(visible):
        return Trimmed(visible=_fallback(new, lines))
    return Trimmed(visible=visible, quoted=_clean([*new[len(kept) :], *lines[end:]]))


def _fallback(new: Sequence[str], lines: Sequence[str]) -> str:
    """All of the author's part, else all of it."""
    own = _clean(new)
    return own if re.search(r"\w", own) else _clean(lines)


def _answers_by_sign(visible: str) -> bool:
    """An answer that is all signs: a thumb, an exclamation mark."""
    return bool(visible.strip()) and any(ord(character) > 0x2000 or character in "?!+" for character in visible)


def _clean(lines: Sequence[str]) -> str:
    text = "\n".join(line.rstrip() for line in lines if line.strip() not in (QUOTE_FOLLOWS, SIGNATURE_FOLLOWS))
    return re.sub(r"\n{3,}", "\n\n", text).strip("\n ").replace(QUOTE_FOLLOWS, "").replace(SIGNATURE_FOLLOWS, "")


def _forward_at(lines: Sequence[str]) -> int | None:
    """Where a forwarded mail begins, unless a quote stands above it."""
    for number, line in enumerate(lines):
        if len(line) < LONGEST_LINE and FORWARDED.match(line):
            return number
        if _QUOTED.match(line) or line.startswith(QUOTE_FOLLOWS):
            return None
    return None


def _end_of_new(lines: Sequence[str]) -> int:
    """The line behind the last one that the author wrote, with the quotes between that he answers."""
    limit = len(lines)
    for number in range(limit):
        if _ends_here(lines, number):
            limit = number
            break
    while limit and _RULE.match(lines[limit - 1]):
        limit -= 1
    return _without_tail_quote(lines, limit)


def _ends_here(lines: Sequence[str], number: int) -> bool:
    """Whether everything from this line on is an older mail, whatever it looks like."""
    line = lines[number]
    if line.strip() == QUOTE_FOLLOWS:
        return True
    if not line.strip() or len(line) > LONGEST_LINE or _QUOTED.match(line):
        return False
    if ORIGINAL.match(line):
        return True
    if header_kind(line) in ("from", "sent"):
        return _is_header_block(lines, number)
    length = _attribution(lines, number)
    return length > 0 and _quotes_without_marks(lines, number, length)


def _is_header_block(lines: Sequence[str], number: int) -> bool:
    """At least three different fields of a header, one line each or wrapped."""
    kinds: set[str] = set()
    blanks = 0
    for line in lines[number : number + 12]:
        kind = header_kind(line)
        if kind:
            kinds.add(kind)
        elif not line.strip():
            blanks += 1
            if blanks > 3 or len(kinds) >= 3:
                break
        elif len(kinds) < 2 and blanks:
            break
    return len(kinds - {"copy"}) >= 3


def _attribution(lines: Sequence[str], number: int) -> int:
    """How many lines from here say who wrote a quoted mail and when; 0 for none."""
    joined = ""
    for length in range(1, LONGEST_ATTRIBUTION + 1):
        if number + length > len(lines):
            return 0
        line = _MARKED.sub("", lines[number + length - 1]).strip()
        if not line or len(joined) + len(line) > LONGEST_LINE:
            return 0
        joined = f"{joined} {line}".strip()
        if joined.endswith((":", "：", ":*", ": *")) or (WROTE.search(line) and WROTE.search(line[-24:])):
            return length if _attributes(joined) else 0
    return 0


def _attributes(joined: str) -> bool:
    who = _ADDRESSED.search(joined) is not None
    dated = _DATED.search(joined) is not None
    said = WROTE.search(joined) is not None
    return (said and (dated or who)) or (who and dated and joined.endswith((":", "：")))


def _quotes_without_marks(lines: Sequence[str], number: int, length: int) -> bool:
    """A quote that a converter left without marks: a full attribution, and nothing marked below it."""
    joined = " ".join(lines[number : number + length])
    if not (WROTE.search(joined) and _DATED.search(joined) and _TIMED.search(joined)):
        return False
    below = [line for line in lines[number + length :] if line.strip()]
    return bool(below) and not any(_QUOTED.match(line) for line in below)


def _without_tail_quote(lines: Sequence[str], limit: int) -> int:
    """Takes quotes off the end, each with the line that introduces it; stops at the author's own words."""
    while True:
        end = limit
        while end and (not lines[end - 1].strip() or _QUOTED.match(lines[end - 1])):
            end -= 1
        quoted = any(_QUOTED.match(line) for line in lines[end:limit])
        if quoted:
            return _before_attribution(lines, end)
        tail = _signature_at(lines[:limit])
        below = _tail_is_footer(lines, tail, limit)
        if not below:
            return limit
        limit = tail


def _tail_is_footer(lines: Sequence[str], tail: int, limit: int) -> bool:
    """Whether a signature stands below a quote at the end: then the quote is at the end all the same."""
    above = tail
    while above and not lines[above - 1].strip():
        above -= 1
    return tail < limit and above > 0 and _QUOTED.match(lines[above - 1]) is not None


def _before_attribution(lines: Sequence[str], end: int) -> int:
    for length in range(1, LONGEST_ATTRIBUTION + 1):
        start = end - length
        if start >= 0 and lines[start].strip() and _attribution(lines, start) == length:
            return start
    return end


def _signature_at(lines: Sequence[str]) -> int:
    """Where a signature begins, or the end of the lines."""
    limit = len(lines)
    for number in range(limit - 1, -1, -1):
        line = lines[number]
        if line.strip() == SIGNATURE_FOLLOWS or line == "-- ":
            return number
        if line in ("--", "—", "__") and _looks_signed(lines[number + 1 :]):
            return number
    return limit


def _looks_signed(below: Sequence[str]) -> bool:
    """Short lines with a name and an address, no sentence among them."""
    filled = [line.strip() for line in below if line.strip()]
    near = bool(below) and bool(below[0].strip())
    return near and len(filled) <= MOST_SIGNATURE and not any(line.endswith((".", "?", "!")) for line in filled[:3])


def _without_footer(lines: Sequence[str]) -> list[str]:
    """Without small print, signature and mobile line at the end."""
    kept = list(lines)
    while True:
        before = len(kept)
        kept = kept[: _signature_at(kept)]
        kept = kept[: _before_mobile(kept)]
        kept = kept[: _before_disclaimer(kept)]
        if len(kept) == before:
            return kept


def _before_mobile(lines: Sequence[str]) -> int:
    end = len(lines)
    while end and not lines[end - 1].strip():
        end -= 1
    if end and len(lines[end - 1]) < 120 and MOBILE.match(lines[end - 1]):
        return end - 1
    return len(lines)


def _before_disclaimer(lines: Sequence[str]) -> int:
    """Where the last paragraph begins, if it is small print and something stands above it."""
    end = len(lines)
    while end and (not lines[end - 1].strip() or _RULE.match(lines[end - 1])):
        end -= 1
    start = end
    while start and lines[start - 1].strip():
        start -= 1
    if start and any(line.strip() for line in lines[:start]) and disclaims(" ".join(lines[start:end])):
        return start
    return len(lines)
