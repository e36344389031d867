"""What a platform must offer, and what it may."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Generic, Literal, Protocol, TypeVar, runtime_checkable

from pydantic import BaseModel

from core.bus import Accept as Accept
from core.domain.chat import ChatKey
from core.domain.command import CommandSpec
from core.domain.delivery import Receipt, Settled
from core.domain.message import Dropped, Inbound, Reply
from core.domain.pace import Once, Pace
from core.domain.presence import USUAL, Reaction, Rhythm
from core.domain.texts import Texts
from core.ports import Clock, Lane

DEFAULT_MAX_AGE_H = 24.0

PartT = TypeVar("PartT")
SettingsT = TypeVar("SettingsT", bound=BaseModel)
SettingsT_contra = TypeVar("SettingsT_contra", bound=BaseModel, contravariant=True)


class TextUnit(StrEnum):
    """How a platform counts a text's length."""

    CHARACTERS = "characters"
    UTF16 = "utf16"
    BYTES = "bytes"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one message of the platform can hold; `text` is counted in `unit`, 0 means no limit.

    `once` says what becomes of a part that may have been sent when `settle` cannot tell.
    """

    text: int
    unit: TextUnit = TextUnit.CHARACTERS
    files: int = 0
    file_bytes: int = 0
    buttons: int = 0
    edits: bool = False
    threads: bool = False
    drafts: bool = False
    once: Once = Once.REPEAT
    rhythm: Rhythm = USUAL


class Channel(Protocol[PartT]):
    """One account on one platform. Knows its SDK; knows nothing of agents or storage."""

    @property
    def limits(self) -> Limits:
        """What one message can hold."""

    @property
    def lane(self) -> Lane:
        """The chats whose deliveries this channel sends."""

    async def listen(self, accept: Accept) -> None:
        """Until cancelled, or until the platform has nothing more to say; acknowledges only after accept() returned."""

    def render(self, reply: Reply) -> Sequence[PartT]:
        """Pure and repeatable. A part is a JSON object; at least one."""

    async def send(self, chat: ChatKey, part: PartT, key: str) -> Receipt:
        """One call out; raises SendError only."""

    async def settle(self, chat: ChatKey, part: PartT, key: str) -> Settled:
        """Was the part with this key sent?"""


@runtime_checkable
class Edits(Protocol):
    """Can change a message that it sent."""

    async def edit(self, chat: ChatKey, receipt: Receipt, part: Any, key: str) -> Receipt:
        """One call out; the same edit twice is one. Raises SendError: Unreachable when the message is not there."""


@runtime_checkable
class Paced(Protocol):
    """Lets only so many calls through in a time."""

    def paces(self, chat: ChatKey) -> tuple[Pace, ...]:
        """The buckets that a call to this chat needs, each of the same size every time. Pure."""


@runtime_checkable
class Places(Protocol):
    """Can begin a text as a placeholder, with `Once.PLACEHOLDER` in its limits; it must be one of `Edits` too."""

    def placeholder(self, part: Any, text: str) -> Any | None:
        """A part with this text that can be edited into the other; None when no edit leads there. Pure."""


@runtime_checkable
class Deletes(Protocol):
    """Can take a message away that it sent."""

    async def delete(self, chat: ChatKey, receipt: Receipt) -> None:
        """One call out; no error when it is gone already. Raises SendError."""


@runtime_checkable
class Types(Protocol):
    """Can show that somebody is at work, by a sign that is no message; `Rhythm.typing_s` is how long it lasts."""

    async def typing(self, chat: ChatKey, *, on: bool) -> None:
        """One call out, or none where the sign goes away by itself. Raises SendError."""


@runtime_checkable
class Reacts(Protocol):
    """Can put a sign on a person's message."""

    async def react(self, chat: ChatKey, message_id: str, reaction: Reaction, instead_of: Reaction | None) -> None:
        """Put one there and take the other away; no error when either was done before. Raises SendError."""


@runtime_checkable
class ShowsDrafts(Protocol):
    """Can show an answer while it is being written, in a place of its own; others use a message, by `Edits`."""

    def draft(self, chat: ChatKey, text: str) -> None:
        """All text so far; an empty text takes it away; cosmetic, never waits."""


@runtime_checkable
class ChoosesDraftPlace(Protocol):
    """Has that place in some chats only."""

    def drafts_in(self, chat: ChatKey) -> bool:
        """Whether there is one in this chat now; where not, a message is used, as by any other channel with `Edits`."""


@runtime_checkable
class ShowsProgress(Protocol):
    """Can show what a turn is doing, in a place of its own; others use a message, by `Edits`."""

    def progress(self, chat: ChatKey, text: str) -> None:
        """A few words; an empty text takes the line away; cosmetic, never waits."""


class Health(StrEnum):
    """How one thing stands that a channel has checked."""

    GOOD = "good"
    WARNING = "warning"
    FAULT = "fault"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that was checked, and what to do about it where it is not good."""

    health: Health
    what: str
    fix: str = ""


@runtime_checkable
class Checks(Protocol):
    """Can find out whether its credentials, rights and settings are right."""

    async def check(self, *, deep: bool) -> Sequence[Finding]:
        """Calls out, listens to nothing; `deep` proves a real round trip too. What is wrong is a finding, no error."""


@runtime_checkable
class Closes(Protocol):
    """Has something to give back: connections, a client's session."""

    async def close(self) -> None:
        """Once nobody listens or sends any more; never an error, and nothing when there is nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WebRequest:
    """An HTTP request whose body nobody has read yet; header names are in lower case."""

    method: str
    query: str
    headers: Mapping[str, str]
    body: Callable[[int], Awaitable[bytes | None]]
    """Reads the body; None when it is longer than so many bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WebAnswer:
    """What the other side gets."""

    status: int
    body: bytes = b""
    content_type: str = "text/plain"
    headers: Mapping[str, str] = field(default_factory=dict)


@runtime_checkable
class Serves(Protocol):
    """Takes events by HTTP, at `/channels/NAME/ACCOUNT` of the public address, while it listens."""

    @property
    def serves(self) -> bool:
        """Whether its settings ask for that."""

    async def web(self, request: WebRequest) -> WebAnswer:
        """Answers once the event is stored; proves who sent it before anything else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelContext:
    """What a channel is given when it is built.

    `account` is its account as the platform names it, `name` as the settings do. `start` says what the very first
    connection of an account answers, `bots` whether what other programs say is an event at all. `cursor` reads what
    the store keeps of a scope.
    """

    account: str
    workspace: Path
    clock: Clock
    commands: tuple[CommandSpec, ...]
    texts: Texts
    env: Callable[[str], str | None]
    start: Literal["now", "unread"] = "now"
    name: str = "default"
    bots: bool = False
    cursor: Callable[[str], Awaitable[str | None]] | None = None
    uploads: Callable[[ChatKey], Path] | None = None


class Build(Protocol[SettingsT_contra]):
    """Makes the channel of one account; no input or output yet."""

    def __call__(self, settings: SettingsT_contra, context: ChannelContext) -> Channel[Any]: ...


class Identify(Protocol[SettingsT_contra]):
    """Finds out how the platform names an account: from its settings alone, or by one call out."""

    async def __call__(self, settings: SettingsT_contra, context: ChannelContext) -> str:
        """The account. Raises SettingsError for credentials that are wrong, Unreachable or NotSent for no answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What a raw event means, and what else the channel reads in it that core has no field for."""

    event: Inbound | Dropped
    more: Mapping[str, object] = field(default_factory=dict)


class Read(Protocol):
    """A raw event as its platform sends it, or a file of several: what each means. Pure, and never an error.

    `me` is what the platform says of ourselves, by the platform's own keys; None where nobody said.
    """

    def __call__(self, raw: bytes, me: Mapping[str, Any] | None, *, bots: bool) -> Sequence[Seen]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One setting that somebody who sets the channel up has to give; `text` says where to find it."""

    key: str
    text: str
    secret: bool = False
    optional: bool = False


class SpecVerb(Protocol[SettingsT_contra]):
    """What `parley channels NAME VERB` prints; its docstring is the help."""

    def __call__(self, settings: SettingsT_contra | None, arguments: Sequence[str]) -> str:
        """The text; `settings` is None where the channel is not configured. Raises SettingsError for bad arguments."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelSpec(Generic[SettingsT]):
    """A channel described without connecting anything.

    `trusted`: the operating system has checked who reaches it, so whoever does is the owner. `max_age_h`: what is
    older when it comes in is not answered any more, unless the settings say otherwise. `refuses`: people who are not
    let in are told so, once a day. `asks` is what its set-up asks for, in this order. `own` is what the settings alone
    tell of ourselves, in the form that `read` takes. `verbs` are further words of its own on the command line.
    """

    name: str
    settings: type[SettingsT]
    build: Build[SettingsT]
    trusted: bool = False
    max_age_h: float = DEFAULT_MAX_AGE_H
    refuses: bool = True
    identify: Identify[SettingsT] | None = None
    read: Read | None = None
    own: Callable[[SettingsT], Mapping[str, Any]] | None = None
    asks: tuple[Question, ...] = ()
    verbs: Mapping[str, "SpecVerb[SettingsT]"] = field(default_factory=dict)


# Where channels of all platforms stand side by side, their parts are JSON objects that only the channel itself reads.
AnyChannel = Channel[Any]
AnySpec = ChannelSpec[Any]
