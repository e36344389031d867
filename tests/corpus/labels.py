"""The labelled mails in `mail/`, and when a text says the same as a label."""

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypedDict, cast

MAILS = Path(__file__).parent / "mail"

Kind = Literal["message", "automatic", "bounce", "list", "own"]

_LINE_START = re.compile(r"^(?:[ \t]*>)*[ \t]*(?:[-*•][ \t]+)?", re.MULTILINE)
_UNSEEN = re.compile("[\ufeff\u200b-\u200f\u202a-\u202e\u2060-\u2064]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """What a careful person sees in one mail; `mail/README.md` says what each field means."""

    file: str
    client: str
    language: str
    sender: str | None
    kind: Kind
    thread: str | None
    visible: str | None
    optional: Sequence[str]
    also: Sequence[str]
    contains: Sequence[str]
    attachments: Sequence[str] | None
    about: str | None
    note: str

    @property
    def raw(self) -> bytes:
        """The mail as it came."""
        return (MAILS / self.file).read_bytes()

    def agrees(self, text: str) -> bool:
        """Whether the text holds the new words of the mail, no fewer and no more.

        White space, quote marks and bullets at the start of a line and characters without width do not count.
        """
        if not all(_plain(phrase) in _plain(text) for phrase in self.contains):
            return False
        right = [*self.also] if self.visible is None else [self.visible, *self.also]
        return not right or self._bare(text) in [self._bare(one) for one in right]

    def _bare(self, text: str) -> str:
        """The text without what may stay or go: the longest phrases first, since one may lie within another."""
        bare = _plain(text)
        for phrase in sorted(map(_plain, self.optional), key=len, reverse=True):
            bare = bare.replace(phrase, " ")
        return " ".join(bare.split())


class _Stored(TypedDict, total=False):
    client: str
    language: str
    thread: str | None
    visible: str | None
    kind: Kind
    optional: list[str]
    also: list[str]
    contains: list[str]
    attachments: list[str]
    about: str
    note: str


def labels() -> Sequence[Label]:
    """All labels, in the order in which the mails arrived."""
    stored = cast(Mapping[str, Mapping[str, object]], json.loads((MAILS / "labels.json").read_text("utf-8"))["mails"])
    return [_label(file, stored[file]) for file in sorted(stored)]


def own_addresses() -> Sequence[str]:
    """The addresses of the mailbox that the mails came to."""
    return cast(list[str], json.loads((MAILS / "labels.json").read_text("utf-8"))["self"])


def _label(file: str, stored: Mapping[str, object]) -> Label:
    one = cast(_Stored, stored)
    return Label(
        file=file,
        client=one["client"],
        language=one["language"],
        sender=cast(str | None, stored["from"]),
        kind=one["kind"],
        thread=one["thread"],
        visible=one["visible"],
        optional=one.get("optional", []),
        also=one.get("also", []),
        contains=one.get("contains", []),
        attachments=one.get("attachments"),
        about=one.get("about"),
        note=one.get("note", ""),
    )


def _plain(text: str) -> str:
    seen = _UNSEEN.sub("", unicodedata.normalize("NFC", text))
    return " ".join(_LINE_START.sub("", seen).split())
