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
    if "<" not in text:
        return text
    rest, found = _without_blocks(text)
    if _starts_thinking(rest):
        return ""
    if not found and (headless := _HEADLESS.search(rest)):
        rest, found = rest[headless.end() :], True
    return rest.strip() if found else rest


def _without_blocks(text: str) -> tuple[str, bool]:
    """The text without its closed blocks, and whether there were any."""
    kept, at = [], 0
    while block := (_NEXT.match(text, at) if at else None) or _BLOCK.search(text, at):
        closing = f"</{block.group(1)}>"
        end = text.find(closing, block.end())
        if end < 0:
            break
        kept.append(text[at : block.start()])
        at = end + len(closing)
    return "".join([*kept, text[at:]]), bool(kept)


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
