"""What a person wrote, apart from what the mail program put under or around it. Pure, linear in the text.

Rules, in this order: what is forwarded belongs to the message. Quotes below the last word of the author go; quotes with
new words below them are what those words answer, and stay. A block of quoted headers ends the message. Under the
author's words a signature, a mobile line and small print go. Where nothing is left, everything is kept.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from channels.email.languages import FORWARDED, RULED, WROTE, header_kind, is_header_line, is_original
from channels.email.signing import SIGNATURE_FOLLOWS, without_footer

# Marks that the HTML reader leaves: what follows was set apart as a quote by the mail program itself.
QUOTE_FOLLOWS = "\ue002"
# What a mark of the author's own begins with, so that it is not taken for a quote's.
LITERAL = "\ue004"
LONGEST_ATTRIBUTION = 4
LONGEST_LINE = 400
_UNMARKED = str.maketrans("", "", f"{QUOTE_FOLLOWS}{SIGNATURE_FOLLOWS}{LITERAL}")
_QUOTED = re.compile(r"^ {0,3}>")
_MARKED = re.compile(r"^[ >]*")
_DATED = re.compile(
    r"\d{4}|\d{1,2}[:.]\d{2}|\d{1,2}\s*[./-]\s*\d{1,2}|\d{1,2}\.? \w{3,}|\w{3,} \d{1,2}\b|\d{1,2}월|\d{1,2}月"
)
_TIMED = re.compile(r"\d{1,2}[:.h]\d{2}|@|\d{4}")
_BARE = re.compile(r"<[^<>]*>|\S+@\S+")
_ADDRESSED = re.compile(r"<[^<>\s]*@[^<>\s]*>|\S+@\S+\.\S+|\[mailto:")
_RULE = re.compile(r"^\s*[_\u2500-]{5,}\s*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Trimmed:
    """`visible` is what the author says now; `quoted` is everything that was taken away, in its order."""

    visible: str
    quoted: str = ""


def trimmed(text: str, author: str = "") -> Trimmed:
    """Never empties a mail that has words in it. `author` is the name by which a signature is known."""
    lines = [
        line.rstrip("\n") for line in text.replace("\r\n", "\n").replace("\r", "\n").replace("\xa0", " ").split("\n")
    ]
    forwarded = _forward_at(lines)
    end = _end_of_new(lines if forwarded is None else lines[:forwarded], author)
    new = lines[:end]
    kept = without_footer(new, author)
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
    return re.sub(r"\n{3,}", "\n\n", text).strip("\n ").translate(_UNMARKED)


def _forward_at(lines: Sequence[str]) -> int | None:
    """Where a forwarded mail begins, unless a quote stands above it."""
    for number, line in enumerate(lines):
        if len(line) < LONGEST_LINE and FORWARDED.match(line):
            return number
        if _QUOTED.match(line) or line.startswith(QUOTE_FOLLOWS):
            return None
    return None


def _end_of_new(lines: Sequence[str], author: str) -> int:
    """The line behind the last one that the author wrote, with the quotes between that he answers."""
    limit = len(lines)
    for number in range(limit):
        if _ends_here(lines, number):
            limit = number
            break
    if limit < len(lines):
        while limit and _introduces(lines[limit - 1]):
            limit -= 1
    return _without_tail_quote(lines, limit, author)


def _introduces(line: str) -> bool:
    """A drawn line, or nothing: it belongs to what follows."""
    return not line.strip() or _RULE.match(line) is not None or RULED.match(line) is not None


def _ends_here(lines: Sequence[str], number: int) -> bool:
    """Whether everything from this line on is an older mail, whatever it looks like."""
    line = lines[number]
    if line.strip() == QUOTE_FOLLOWS:
        return True
    if not line.strip() or len(line) > LONGEST_LINE or _QUOTED.match(line):
        return False
    if is_original(line) or is_header_line(line):
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


def _without_tail_quote(lines: Sequence[str], limit: int, author: str) -> int:
    """Takes quotes off the end, each with the line that introduces it; stops at the author's own words."""
    while True:
        end = limit
        while end and (not lines[end - 1].strip() or _QUOTED.match(lines[end - 1])):
            end -= 1
        quoted = any(_QUOTED.match(line) for line in lines[end:limit])
        if quoted:
            return _before_attribution(lines, end)
        tail = len(without_footer(lines[:limit], author))
        if not _stands_below_quote(lines, tail, limit):
            tail = _below_last_quote(lines, limit) if _is_name(lines, limit, author) else limit
        if tail == limit:
            return limit
        limit = tail


def _stands_below_quote(lines: Sequence[str], tail: int, limit: int) -> bool:
    """Whether a footer stands below a quote at the end: then the quote is at the end all the same."""
    above = tail
    while above and lines[above - 1].strip() in ("", QUOTE_FOLLOWS, SIGNATURE_FOLLOWS):
        above -= 1
    return tail < limit and above > 0 and _QUOTED.match(lines[above - 1]) is not None


def _below_last_quote(lines: Sequence[str], limit: int) -> int:
    below = limit
    while below and not _QUOTED.match(lines[below - 1]):
        below -= 1
    return below or limit


def _is_name(lines: Sequence[str], limit: int, author: str) -> bool:
    """Whether nothing but the author's name stands below the last quote."""
    below = " ".join(lines[_below_last_quote(lines, limit) : limit]).split()
    known = {word.casefold().strip(",.") for word in author.split()}
    return 0 < len(below) <= 4 and all(word.casefold().strip(",.") in known for word in below)


def _before_attribution(lines: Sequence[str], end: int) -> int:
    """Where the line that introduces the quote begins: as short as it can be and still say who and when."""
    found = end
    for length in range(1, LONGEST_ATTRIBUTION + 1):
        start = end - length
        if start < 0 or not lines[start].strip():
            break
        if _attribution(lines, start) == length:
            found = start
            if _DATED.search(_BARE.sub("", " ".join(lines[start:end]))):
                break
    return found
