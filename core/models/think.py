"""Takes a model's thinking out of its text.

Many servers hand the thinking over as plain text between tags. A block counts at the start of a line only, so that an
answer about such tags keeps them; a closing tag without an opening one ends thinking that began before the text did.
"""

import re

OPEN_TAGS = ("<think>", "<thinking>", "<reasoning>")
_BLOCK = re.compile(r"^[ \t]*<(think|thinking|reasoning)>", re.MULTILINE)
_NEXT = re.compile(r"\s*<(think|thinking|reasoning)>")
_HEADLESS = re.compile(r"</(?:think|thinking|reasoning)>[ \t]*(?:\n|\Z)")
_LONGEST = max(len(tag) for tag in OPEN_TAGS)


def spoken(text: str) -> str:
    """The text without its thinking. Linear in the length of the text; text without tags is returned as it is."""
    if "</" not in text and "<" not in text:
        return text
    kept, at = [], 0
    while found := (_NEXT.match(text, at) if at else None) or _BLOCK.search(text, at):
        closing = f"</{found.group(1)}>"
        end = text.find(closing, found.end())
        if end < 0:
            break
        kept.append(text[at : found.start()])
        at = end + len(closing)
    rest = "".join([*kept, text[at:]])
    if _starts_thinking(rest):
        return ""
    headless = _HEADLESS.search(rest) if not kept else None
    if headless is not None:
        rest = rest[headless.end() :]
    return rest.strip() if kept or headless is not None else rest


def spoken_so_far(text: str) -> str:
    """The same for a text that is still growing: the beginnings of a tag are held back until it is clear what it is."""
    shown = spoken(text)
    line = shown.rfind("\n") + 1
    tail = shown[line:].lstrip()
    if tail and len(tail) < _LONGEST and any(tag.startswith(tail) for tag in OPEN_TAGS):
        return shown[:line]
    found = _BLOCK.search(shown)
    return shown if found is None else shown[: found.start()]


def _starts_thinking(text: str) -> bool:
    return text.lstrip().startswith(OPEN_TAGS)
