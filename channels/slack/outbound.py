"""Pure: a reply -> what Slack's methods take. Link previews are off, and nothing in a text can call anybody.

A text goes as `text`, which is also what a notification shows; with choices it stands in blocks too, above buttons.
4,000 characters: what chat.update takes, since every message may have to be changed.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any, Literal, TypedDict, assert_never

from channels.markup.controls import strip_controls
from channels.slack.inbound import ACTION, PRESS, SLASH
from core.domain.message import Choice, Fragment, Markdown, Mention, OutgoingFile, Reply, Text

MOST_TEXT = 4_000
MOST_SECTION = 3_000
MOST_LABEL = 75
MOST_TOKEN = 2_000
_USER = re.compile(r"^[UW][A-Z0-9]{1,30}$")
_BREAKS = ("\n\n", "\n", ". ", " ")


class TextPart(TypedDict):
    """One message of words. `only_for` is the one person who is to see it; "" is everybody."""

    kind: Literal["text"]
    text: str
    blocks: list[dict[str, Any]]
    only_for: str


class FilePart(TypedDict):
    """One file of the workspace, with the words under it."""

    kind: Literal["file"]
    path: str
    name: str
    text: str


SlackPart = TextPart | FilePart


def render(reply: Reply) -> list[SlackPart]:
    """The text in as many messages as it needs, then each file; choices stand under the last text."""
    texts = list(_cut("".join(_words(fragment) for fragment in reply.fragments)))
    if not texts and (reply.choices or not reply.files):
        texts = ["\u2026"]
    only_for = _only_for(reply.answers)
    parts: list[SlackPart] = [TextPart(kind="text", text=text, blocks=[], only_for=only_for) for text in texts]
    if reply.choices:
        text = texts[-1]
        parts[-1] = TextPart(kind="text", text=text, blocks=_card(text, reply.choices), only_for="")
    return parts + [_file(file) for file in reply.files]


def escaped(text: str) -> str:
    """Literal text: Slack finds no markup, no call and no link in it."""
    return strip_controls(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _words(fragment: Fragment) -> str:
    match fragment:
        case Markdown(source=source):
            return escaped(source)
        case Text(text=text):
            return escaped(text)
        case Mention(principal=principal):
            if _USER.match(principal.user_id):
                return f"<@{principal.user_id}>"
            return escaped(principal.name or principal.user_id).replace("\n", " ")
        case _:
            assert_never(fragment)


def _cut(text: str) -> Iterator[str]:
    """Pieces that fit, cut at the best break of their second half; never inside an entity or a mention."""
    rest = text.strip("\n")
    while len(rest) > MOST_TEXT:
        end = _end(rest)
        yield rest[:end].rstrip("\n") or rest[:end]
        rest = rest[end:].lstrip("\n")
    if rest.strip():
        yield rest


def _end(text: str) -> int:
    for sign in _BREAKS:
        found = text.rfind(sign, MOST_TEXT // 2, MOST_TEXT - len(sign) + 1)
        if found > 0:
            return found + len(sign)
    # Inside a word: before whatever is a sign of its own in several characters.
    tail = re.search(r"(&[a-z]{0,4}|<[^>\s]{0,40}|[\u200d\ufe0f])$", text[:MOST_TEXT])
    return tail.start() if tail and tail.start() > 0 else MOST_TEXT


def _card(text: str, choices: Sequence[Choice]) -> list[dict[str, Any]]:
    """The words in sections, then a row of buttons; a label that is too long for its button stands above them."""
    labels = [strip_controls(choice.label).replace("\n", " ").strip() or "\u2026" for choice in choices]
    long = [f"{number}. {escaped(label)}" for number, label in enumerate(labels, 1) if len(label) > MOST_LABEL]
    words = [*_sections(text), *(piece for line in long for piece in _sections(line))]
    buttons = [
        {
            "type": "button",
            "text": {"type": "plain_text", "text": _short(label), "emoji": False},
            "action_id": f"{ACTION}:{number}",
            "value": choice.token[:MOST_TOKEN],
        }
        for number, (label, choice) in enumerate(zip(labels, choices, strict=True), 1)
    ]
    return [*words, {"type": "actions", "block_id": ACTION, "elements": buttons}]


def _sections(text: str) -> Iterator[dict[str, Any]]:
    for start in range(0, len(text), MOST_SECTION):
        piece = text[start : start + MOST_SECTION]
        yield {"type": "section", "text": {"type": "mrkdwn", "text": piece, "verbatim": True}}


def _short(label: str) -> str:
    return label if len(label) <= MOST_LABEL else label[: MOST_LABEL - 1] + "\u2026"


def _file(file: OutgoingFile) -> FilePart:
    name = strip_controls(file.name).replace("\n", " ")
    return FilePart(kind="file", path=strip_controls(file.path), name=name, text=escaped(file.caption))


def _only_for(answers: str | None) -> str:
    """Who gave the command or pressed the button that this answers; both stand in its key."""
    kind, _, rest = (answers or "").partition(":")
    return rest.partition(":")[0] if kind in (SLASH, PRESS) else ""
