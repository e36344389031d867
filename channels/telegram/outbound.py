"""From a reply to messages of Telegram: HTML that Telegram's parser always takes, its files, its buttons. Pure."""

import html
import re
from collections.abc import Sequence
from typing import TypedDict

from channels.markup.controls import strip_controls
from channels.markup.telegram import CAPTION as CAPTION_LIMIT
from channels.markup.telegram import parts as drawn
from channels.telegram.inbound import query_of
from core.domain.message import Choice, Fragment, OutgoingFile, Reply, Text

LABEL_LIMIT = 64
TOKEN_BYTES = 64
# Telegram sends no message without a visible character.
NOTHING_SAID = "…"
_TAG = re.compile(r"<[^>]*>")


class PartFile(TypedDict):
    """A file of the workspace, named by its path there."""

    path: str
    name: str


class PartButton(TypedDict):
    """One answer to a question."""

    label: str
    token: str


class TelegramPart(TypedDict):
    """One message. `text` is HTML; beside a file it is the caption.

    `press` is the query of the button press that this answers: whoever pressed sees it, and nobody else, in a window
    that goes away; "" for none.
    """

    text: str
    file: PartFile | None
    buttons: list[PartButton]
    press: str


def message(text: str, file: PartFile | None = None) -> TelegramPart:
    """One without buttons."""
    return TelegramPart(text=text, file=file, buttons=[], press="")


def render(reply: Reply) -> list[TelegramPart]:
    """The words, then each file in a message of its own; buttons stand below the last words."""
    return _words(reply) + [part for file in reply.files for part in _file(file)]


def _words(reply: Reply) -> list[TelegramPart]:
    texts = _texts(reply.fragments)
    if not texts and (reply.choices or not reply.files):
        texts = [NOTHING_SAID]
    parts = [message(text) for text in texts]
    if parts:
        parts[-1]["buttons"] = [_button(choice) for choice in reply.choices]
    if len(parts) == 1 and not reply.choices:
        parts[0]["press"] = query_of(reply.answers or "")
    return parts


def shown(text: str) -> str:
    """What a reader sees of it, which is what Telegram counts."""
    return html.unescape(_TAG.sub("", text))


def placeholder(part: TelegramPart, text: str) -> TelegramPart | None:
    """A message that can be edited into the part; a file cannot take the place of words."""
    if part["file"] is not None:
        return None
    return message(html.escape(text, quote=False))


def _texts(fragments: Sequence[Fragment]) -> list[str]:
    """No message for what nobody would see."""
    return [str(part.payload["text"]) for part in drawn(fragments) if part.visible.strip()]


def _file(file: OutgoingFile) -> list[TelegramPart]:
    """A caption that is too long follows as a message of its own."""
    captions = drawn([Text(text=file.caption)], CAPTION_LIMIT)
    first, *rest = [str(part.payload["text"]) if part.visible.strip() else "" for part in captions]
    whole = PartFile(path=strip_controls(file.path), name=_one_line(file.name) or "file")
    return [message(first, whole), *map(message, filter(None, rest))]


def _button(choice: Choice) -> PartButton:
    label = _one_line(choice.label)
    if len(label) > LABEL_LIMIT:
        label = f"{label[: LABEL_LIMIT - 1]}…"
    return PartButton(label=label or "…", token=choice.token)


def _one_line(text: str) -> str:
    return strip_controls(text).replace("\n", " ").replace("\t", " ")
