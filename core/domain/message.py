"""What people say to Parley and what Parley says to them."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

from core.domain.chat import ChatKey, Principal


class InboundKind(StrEnum):
    """What a person did. A command is said with a kind of its own only where the platform has native ones."""

    MESSAGE = "message"
    EDIT = "edit"
    DELETE = "delete"
    COMMAND = "command"
    BUTTON = "button"


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    """A file that came in: already stored at `path` (relative to the workspace), or only named when that failed."""

    name: str
    media_type: str
    size: int
    path: str | None = None
    caption: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CursorMove:
    """Where the channel will go on reading; moved in the commit that stores the event, never before it.

    `also` are further facts that a channel keeps by scopes of its own: all of them, or none, are stored with the event.
    """

    scope: str
    value: str
    also: tuple["CursorMove", ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Inbound:
    """One thing that a person said.

    `event_key` is the platform's own name of the event and unique per account: the same event delivered twice is
    stored once. `at` is the platform's time in milliseconds UTC. `addressed` is None where it cannot be known.
    `shared` says that several people read and write in this chat, `admin` that the sender rules it there. `message_id`
    is the platform's own name of the message: of one that was edited, deleted or whose button was pressed, too.
    `place` is the id by which an operator lists the group or channel where it was said (of a thread, its parent's);
    None where one person writes to us alone. `twins` are further names of the same event: where one of them was stored
    before, this one is a duplicate.
    """

    event_key: str
    chat: ChatKey
    sender: Principal
    content: str
    at: int
    kind: InboundKind = InboundKind.MESSAGE
    attachments: tuple[Attachment, ...] = ()
    reply_to: str | None = None
    admin: bool = False
    message_id: str | None = None
    addressed: bool | None = True
    shared: bool = False
    place: str | None = None
    twins: tuple[str, ...] = ()
    cursor: CursorMove | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """An event that starts nothing: noise, our own echo, or something that cannot be read. It still leaves a row.

    `moved_to`: the platform knows the chat by this id from now on. Its history, queue, session and settings, and those
    of its threads, go on under it, in the commit that stores the event.
    """

    reason: str
    event_key: str
    chat: ChatKey
    at: int
    moved_to: str | None = None
    cursor: CursorMove | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Markdown:
    """Text in Markdown, as a model writes it; the channel decides how it looks."""

    source: str
    kind: Literal["markdown"] = "markdown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """Literal text: no character in it is markup."""

    text: str
    kind: Literal["text"] = "text"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """A person named so that the platform notifies them; only ever made from our own data."""

    principal: Principal
    kind: Literal["mention"] = "mention"


Fragment = Markdown | Text | Mention


@dataclass(frozen=True, slots=True, kw_only=True)
class OutgoingFile:
    """A file of the workspace that goes out with a reply; `path` is relative to the workspace."""

    path: str
    name: str
    caption: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One answer to a question: a button where the platform has buttons, a number where not."""

    label: str
    token: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What goes out, in the order of its fragments, then its files, then its choices.

    `answers` is the `event_key` of the command or of the button press that this is the direct answer to: where the
    platform can, only whoever did that sees it.
    """

    fragments: tuple[Fragment, ...]
    files: tuple[OutgoingFile, ...] = field(default=())
    choices: tuple[Choice, ...] = field(default=())
    answers: str | None = None


def says(text: str) -> Reply:
    """A reply of literal text."""
    return Reply(fragments=(Text(text=text),))


def plain(reply: Reply) -> str:
    """The reply's words without any markup being read: for logs, listings and history."""
    words = []
    for fragment in reply.fragments:
        match fragment:
            case Markdown(source=source):
                words.append(source)
            case Text(text=text):
                words.append(text)
            case Mention(principal=principal):
                words.append(principal.name or principal.user_id)
    return "".join(words)
