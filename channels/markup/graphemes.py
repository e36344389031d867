"""Where text may be cut: never inside of what a reader sees as one character."""

import re
import unicodedata

_JOINER = "\u200d"
_FLAGS = ("\U0001f1e6", "\U0001f1ff")
_ADDED = (("\ufe00", "\ufe0f"), ("\U0001f3fb", "\U0001f3ff"), ("\U000e0020", "\U000e007f"))
# The end of a sentence, with what closes it.
SENTENCE = re.compile(r"[.!?…。！？][)\]\"'”’»]*\s+|\n")
WORD = re.compile(r"\s+|(?<=[\u3000-\u9fff\uac00-\ud7af])(?=[\u3000-\u9fff\uac00-\ud7af])")


def cluster_end(text: str, at: int) -> int:
    """The last place up to `at` that lies between two characters of a reader; 0 when there is none."""
    while 0 < at < len(text) and _belongs(text, at):
        at -= 1
    return at


def _belongs(text: str, at: int) -> bool:
    """Whether the code point at this place is part of what stands before it."""
    after, before = text[at], text[at - 1]
    if _JOINER in (before, after) or _adds(after) or (before, after) == ("\r", "\n"):
        return True
    return _is_flag(after) and _is_flag(before) and _flags_before(text, at) % 2 == 1


def _adds(character: str) -> bool:
    """Marks, variation selectors, tones of skin, and the tags of flags of regions."""
    if unicodedata.category(character) in ("Mn", "Me", "Mc"):
        return True
    return any(low <= character <= high for low, high in _ADDED)


def _is_flag(character: str) -> bool:
    return _FLAGS[0] <= character <= _FLAGS[1]


def _flags_before(text: str, at: int) -> int:
    count = 0
    while at - count > 0 and _is_flag(text[at - count - 1]):
        count += 1
    return count


def best_cut(text: str, most: int) -> int:
    """Where to cut the text so that at most so many code points stand before the cut: after a sentence, else after a
    word, if that is not far back, else between two characters. At least one of them.
    """
    if most >= len(text):
        return len(text)
    for ends in (SENTENCE, WORD):
        found = _last(ends, text, most)
        if found > most // 2:
            return found
    cut = cluster_end(text, most)
    return cut if cut > 0 else _first_cluster(text)


def _last(pattern: re.Pattern[str], text: str, most: int) -> int:
    """The end of the last match that ends at or before `most`, looked for in the second half only."""
    found = 0
    for match in pattern.finditer(text, max(0, most // 2), most + 1):
        if 0 < match.end() <= most:
            found = match.end()
    return found


def _first_cluster(text: str) -> int:
    end = 1
    while end < len(text) and _belongs(text, end):
        end += 1
    return end
