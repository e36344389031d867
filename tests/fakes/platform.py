"""A platform without a wire, but with a platform's manners: events until acknowledged, a ledger of what it took."""

import asyncio
from collections import OrderedDict, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import TypedDict

from core.domain.chat import ChatKey
from core.domain.errors import SendError, Unreachable, Unsure

BOT = "parley-bot"
PATIENCE = 20.0


class Profile(Enum):
    """What the platform offers against repeats.

    KEY: the same key gives the first message again. READBACK: it can be asked what it took. EDIT: what it took can
    be changed, any number of times. NONE: nothing.
    """

    KEY = auto()
    READBACK = auto()
    EDIT = auto()
    NONE = auto()


class Fault(Enum):
    """What can befall a call besides an error: no answer ever, or taken and no answer."""

    HANGS = auto()
    TAKEN_UNANSWERED = auto()


class FakePart(TypedDict):
    """One message as this platform takes it."""

    text: str
    files: list[str]
    choices: list[str]
    tokens: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """What the platform hands out until it is acknowledged; the body is raw and may be anything."""

    id: str
    body: Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """A line of the ledger: one message that the platform took."""

    message_id: str
    chat: str
    thread: str | None
    text: str
    key: str
    files: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    tokens: tuple[str, ...] = ()


class Changes:
    """Wakes whoever waits for something to become true."""

    def __init__(self) -> None:
        self._waiting: list[asyncio.Future[None]] = []

    def happened(self) -> None:
        """Let everybody look again; costs nothing when nobody waits."""
        waiting, self._waiting = self._waiting, []
        for future in waiting:
            if not future.done():
                future.set_result(None)

    async def until(self, true: Callable[[], bool], *, within: float | None, otherwise: Callable[[], str]) -> None:
        """Return as soon as it is true; an AssertionError with the words of `otherwise` after `within` seconds."""
        try:
            async with asyncio.timeout(within):
                while not true():
                    future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
                    self._waiting.append(future)
                    await future
        except TimeoutError:
            raise AssertionError(otherwise()) from None


class Events:
    """What people did, in order. An event is open until it is acknowledged, and may be handed out many times."""

    def __init__(self, changes: Changes) -> None:
        self.acknowledged = 0
        self._changes = changes
        self._open: OrderedDict[str, Event] = OrderedDict()
        self._ready: deque[Event] = deque()

    def add(self, event: Event) -> None:
        """A new event, or one that is handed out once more."""
        self._open[event.id] = event
        self._ready.append(event)
        self._changes.happened()

    async def next(self) -> Event:
        """The next to hand out; it stays open."""
        await self._changes.until(lambda: bool(self._ready), within=None, otherwise=str)
        return self._ready.popleft()

    def acknowledge(self, event: Event) -> None:
        """It will not be handed out again."""
        if self._open.pop(event.id, None) is not None:
            self.acknowledged += 1
            self._changes.happened()

    def is_open(self, event: Event) -> bool:
        """Whether nobody acknowledged it yet."""
        return event.id in self._open

    def open(self) -> int:
        """How many nobody acknowledged yet."""
        return len(self._open)

    def redeliver(self) -> int:
        """Hand out again, in their order, all that were never acknowledged, as after a lost connection."""
        self._ready = deque(self._open.values())
        self._changes.happened()
        return len(self._ready)


class Ledger:
    """What the platform took. `kept` bounds what is remembered, so that a long run costs no memory; 0 only counts."""

    def __init__(self, changes: Changes, kept: int) -> None:
        self.taken = 0
        self._changes = changes
        self._kept = kept
        self._lines: OrderedDict[str, Sent] = OrderedDict()
        self._by_key: OrderedDict[str, str] = OrderedDict()
        self._unheard: dict[str, deque[Sent]] = {}

    def take(self, sent: Sent) -> None:
        """Write one line."""
        self.taken += 1
        if self._kept:
            self._lines[sent.message_id] = sent
            self._by_key[sent.key] = sent.message_id
            if len(self._lines) > self._kept:
                self._lines.popitem(last=False)
            if len(self._by_key) > self._kept:
                self._by_key.popitem(last=False)
            self._unheard.setdefault(sent.chat, deque(maxlen=self._kept)).append(sent)
        self._changes.happened()

    def edit(self, sent: Sent) -> None:
        """Write a line anew; whoever listens hears it as it is now."""
        if sent.message_id not in self._lines:
            raise Unreachable(f"there is no message {sent.message_id}")
        self._lines[sent.message_id] = sent
        self._unheard.setdefault(sent.chat, deque(maxlen=self._kept)).append(sent)
        self._changes.happened()

    def remove(self, message_id: str) -> None:
        """Strike a line out; none is none."""
        self._lines.pop(message_id, None)
        self._changes.happened()

    def lines(self, chat: str | None = None) -> list[Sent]:
        """All that is remembered, oldest first."""
        return [sent for sent in self._lines.values() if chat in (None, sent.chat)]

    def copies(self, key: str) -> int:
        """How often a part with this key stands here."""
        return sum(sent.key == key for sent in self._lines.values())

    def of(self, key: str) -> Sent | None:
        """The newest line with this key."""
        message_id = self._by_key.get(key)
        return None if message_id is None else self._lines.get(message_id)

    def unheard(self, chat: str) -> deque[Sent]:
        """What nobody has taken note of yet."""
        return self._unheard.setdefault(chat, deque(maxlen=self._kept))


class FakePlatform:
    """The other side of FakeChannel, with what a test needs to play people, faults and redelivery.

    Its events are numbered from `first` on: two of them beside each other have different ones.
    """

    def __init__(
        self, *, profile: Profile = Profile.KEY, kept: int = 10_000, echoes: bool = False, first: int = 1
    ) -> None:
        self.profile = profile
        self.changes = Changes()
        self.events = Events(self.changes)
        self.ledger = Ledger(self.changes, kept)
        self._echoes = echoes
        self._numbers = first - 1
        self.faults: deque[SendError | Fault] = deque()
        self.edit_faults: deque[SendError | Fault] = deque()

    def says(
        self,
        user: str,
        text: str,
        *,
        chat: str = "room",
        thread: str | None = None,
        addressed: bool | None = True,
        shared: bool = False,
        at: int = 0,
    ) -> Event:
        """A person says something; the event is handed out at once."""
        said = {"text": text, "message": f"u{self._number()}", "addressed": addressed, "shared": shared, "at": at}
        return self.hands_out({"chat": chat, "thread": thread, "user": user, **said})

    def edits(self, said: Event, text: str, *, user: str | None = None) -> Event:
        """A message is written anew, by whoever said it or by somebody else."""
        return self.hands_out({**said.body, "kind": "edit", "text": text, "user": user or said.body["user"]})

    def replies(self, user: str, to: Sent, text: str, *, admin: bool = False) -> Event:
        """A person answers a message, in the chat where that stands."""
        said = {"text": text, "message": f"u{self._number()}", "reply": to.message_id, "admin": admin, "at": 0}
        return self.hands_out({"chat": to.chat, "thread": to.thread, "user": user, "shared": True, **said})

    def deletes(self, said: Event, *, user: str | None = None) -> Event:
        """A message is taken back."""
        return self.hands_out({**said.body, "kind": "delete", "text": "", "user": user or said.body["user"]})

    def pressed(self, user: str, token: str, *, chat: str = "room", thread: str | None = None) -> Mapping[str, object]:
        """The raw event of a button with this token."""
        return {"chat": chat, "thread": thread, "user": user, "press": token, "at": 0}

    def presses(self, user: str, card: Sent, choice: str) -> Event:
        """A person presses a button of a message; the event is handed out at once."""
        token = card.tokens[card.choices.index(choice)]
        return self.hands_out(self.pressed(user, token, chat=card.chat, thread=card.thread))

    def hands_out(self, body: Mapping[str, object]) -> Event:
        """A raw event, which may be unreadable."""
        event = Event(id=f"e{self._number()}", body=body)
        self.events.add(event)
        return event

    def person(self, name: str, *, chat: str = "room", thread: str | None = None, shared: bool = False) -> "Person":
        """Somebody to talk through."""
        return Person(platform=self, name=name, chat=chat, thread=thread, shared=shared)

    async def acknowledges(self, event: Event, *, within: float = PATIENCE) -> None:
        """Wait until the event is acknowledged."""
        await self.changes.until(
            lambda: not self.events.is_open(event),
            within=within,
            otherwise=lambda: f"{event.id} was not acknowledged within {within:g} s: {dict(event.body)}",
        )

    async def reads(self, *, chat: str = "room", within: float = PATIENCE) -> Sent:
        """The next message in this chat, whatever it says."""
        unheard = self.ledger.unheard(chat)
        await self.changes.until(
            lambda: bool(unheard),
            within=within,
            otherwise=lambda: f"nothing new came to {chat} within {within:g} s; so far: {self.ledger.lines(chat)[-5:]}",
        )
        return unheard.popleft()

    async def hears(self, text: str, *, chat: str = "room", within: float = PATIENCE) -> Sent:
        """The next message in this chat must hold this text."""
        sent = await self.reads(chat=chat, within=within)
        assert text in sent.text, f"expected {text!r} in {chat}, heard {sent.text!r}"
        return sent

    def fails_next(self, fault: SendError | Fault, *, times: int = 1, edits: bool = False) -> None:
        """What befalls the next calls, one each, in the order in which this was asked for: new messages, or edits."""
        (self.edit_faults if edits else self.faults).extend([fault] * times)

    async def post(self, *, chat: ChatKey, part: FakePart, key: str) -> str:
        """Take a message; gives its id."""
        fault = self.faults.popleft() if self.faults else None
        if isinstance(fault, SendError):
            raise fault
        if fault is Fault.HANGS:
            await asyncio.get_running_loop().create_future()
        first = self.ledger.of(key) if self.profile is Profile.KEY else None
        message_id = first.message_id if first is not None else self._take(chat, part, key)
        if fault is Fault.TAKEN_UNANSWERED:
            raise Unsure("the platform did not answer")
        return message_id

    async def edit(self, *, message_id: str, chat: ChatKey, part: FakePart, key: str) -> None:
        """Change a message that was taken; the same edit twice is one."""
        fault = self.edit_faults.popleft() if self.edit_faults else None
        if isinstance(fault, SendError):
            raise fault
        if fault is Fault.HANGS:
            await asyncio.get_running_loop().create_future()
        self.ledger.edit(_sent(message_id, chat, part, key))
        if fault is Fault.TAKEN_UNANSWERED:
            raise Unsure("the platform did not answer")

    def _take(self, chat: ChatKey, part: FakePart, key: str) -> str:
        sent = _sent(f"m{self._number()}", chat, part, key)
        self.ledger.take(sent)
        if self._echoes:
            self.says(BOT, sent.text, chat=sent.chat, thread=sent.thread)
        return sent.message_id

    def _number(self) -> int:
        self._numbers += 1
        return self._numbers


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """One person in one chat, for tests that read as dialogues."""

    platform: FakePlatform
    name: str
    chat: str
    thread: str | None = None
    shared: bool = False

    async def says(self, text: str, *, at: int = 0) -> Event:
        """Say it, and see it acknowledged."""
        event = self.platform.says(self.name, text, chat=self.chat, thread=self.thread, shared=self.shared, at=at)
        await self.platform.acknowledges(event)
        return event

    async def edits(self, said: Event, text: str) -> Event:
        """Write a message anew, and see it acknowledged."""
        event = self.platform.edits(said, text, user=self.name)
        await self.platform.acknowledges(event)
        return event

    async def deletes(self, said: Event) -> Event:
        """Take a message back, and see it acknowledged."""
        event = self.platform.deletes(said, user=self.name)
        await self.platform.acknowledges(event)
        return event

    async def presses(self, card: Sent, choice: str) -> Event:
        """Press a button of a message, and see it acknowledged."""
        event = self.platform.presses(self.name, card, choice)
        await self.platform.acknowledges(event)
        return event

    async def hears(self, text: str) -> Sent:
        """The next message in this chat must hold this text."""
        return await self.platform.hears(text, chat=self.chat)


def _sent(message_id: str, chat: ChatKey, part: FakePart, key: str) -> Sent:
    return Sent(
        message_id=message_id,
        chat=chat.chat_id,
        thread=chat.thread_id,
        text=part["text"],
        key=key,
        files=tuple(part["files"]),
        choices=tuple(part["choices"]),
        tokens=tuple(part["tokens"]),
    )
