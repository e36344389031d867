"""Pure: a reply -> what Slack's methods take. Link previews are off, and nothing in a text can call anybody.

A text goes as `text`, which is what a notification shows, and in blocks, with buttons under them where there are
choices. 4,000 characters: what chat.update takes, since every message may have to be changed.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Literal, TypedDict

from channels.markup import slack as markup
from channels.markup.controls import strip_controls
from channels.slack.inbound import ACTION, PRESS, SLASH
from core.domain.message import Choice, OutgoingFile, Reply

MOST_TEXT = 4_000
MOST_SECTION = 3_000
MOST_LABEL = 75
MOST_TOKEN = 2_000
EMPTY = "\u2026"


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
    drawn = [part.payload for part in markup.parts(reply.fragments)]
    texts = [(str(one["text"]), list(_blocks(one["blocks"]))) for one in drawn if str(one["text"]).strip()]
    if not texts and (reply.choices or not reply.files):
        texts = [(EMPTY, [])]
    only_for = _only_for(reply.answers)
    parts: list[SlackPart] = [
        TextPart(kind="text", text=text, blocks=blocks, only_for=only_for) for text, blocks in texts
    ]
    if reply.choices:
        text, blocks = texts[-1]
        parts[-1] = TextPart(kind="text", text=text, blocks=_card(text, blocks, reply.choices), only_for="")
    return parts + [_file(file) for file in reply.files]


def _blocks(drawn: object) -> Iterator[dict[str, Any]]:
    yield from drawn if isinstance(drawn, list) else []


def escaped(text: str) -> str:
    """Literal text: Slack finds no markup, no call and no link in it."""
    return strip_controls(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _card(text: str, blocks: list[dict[str, Any]], choices: Sequence[Choice]) -> list[dict[str, Any]]:
    """The words in sections, then a row of buttons; a label that is too long for its button stands above them."""
    labels = [strip_controls(choice.label).replace("\n", " ").strip() or "\u2026" for choice in choices]
    long = [f"{number}. {escaped(label)}" for number, label in enumerate(labels, 1) if len(label) > MOST_LABEL]
    words = [*(blocks or _sections(text)), *(piece for line in long for piece in _sections(line))]
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
