"""The platform: it outlives every gateway, hands out events until they are acknowledged and remembers what it took."""

from collections import Counter, OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from tests.crash.matrix.wire import Line, Part
from tests.fakes.platform import Changes, Profile

PATIENCE_S = 30.0
LABEL = "(possible repeat) "
WORKING = "Working"
SO_FAR = "re"


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """What a person did. `expects` says what has to become of it: `checker.py` knows the words."""

    id: str
    number: int
    chat: str
    thread: str
    user: str
    text: str
    expects: str
    kind: str = "message"
    at: int = 0

    def line(self) -> Line:
        """As it is handed out."""
        body = {"id": self.id, "chat": self.chat, "thread": self.thread, "user": self.user}
        return {"event": {**body, "text": self.text, "kind": self.kind, "at": self.at}}


@dataclass(slots=True, eq=False)
class Taken:
    """One message that the platform took; an edit changes `text` and leaves the rest."""

    id: str
    chat: str
    thread: str
    key: str
    first: str
    text: str
    tokens: tuple[str, ...]
    edits: list[str] = field(default_factory=list)
    gone: bool = False

    @property
    def place(self) -> tuple[str, str]:
        """The conversation."""
        return self.chat, self.thread


class Ledger:
    """What was taken, in the order in which it was."""

    def __init__(self, profile: Profile, changes: Changes) -> None:
        self.lines: list[Taken] = []
        self._profile = profile
        self._changes = changes

    def take(self, chat: str, thread: str, part: Part, key: str) -> str:
        """Write one line and give its id; where keys count, the same key gives the first message again."""
        first = self.of(key) if self._profile is Profile.KEY else None
        if first is not None:
            return first.id
        tokens = tuple(choice["token"] for choice in part["choices"])
        text = part["text"]
        name = f"m{len(self.lines)}"
        taken = Taken(id=name, chat=chat, thread=thread, key=key, first=text, text=text, tokens=tokens)
        self.lines.append(taken)
        self._changes.happened()
        return taken.id

    def has(self, message_id: str) -> bool:
        """Whether a line of that id stands here, and was not taken away."""
        return any(line.id == message_id and not line.gone for line in self.lines)

    def edit(self, message_id: str, part: Part, key: str) -> None:
        """Change a line that is there."""
        line = next(one for one in self.lines if one.id == message_id)
        line.text = part["text"]
        line.tokens = tuple(choice["token"] for choice in part["choices"]) or line.tokens
        line.edits.append(key)
        self._changes.happened()

    def delete(self, message_id: str) -> None:
        """Take a line away; the same again is nothing."""
        for line in self.lines:
            if line.id == message_id:
                line.gone = True

    def of(self, key: str) -> Taken | None:
        """The first line of that key."""
        return next((line for line in self.lines if line.key == key), None)


class Platform:
    """One account on it, and everything else that is outside of the gateway: its model, the world that tools change."""

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        self.changes = Changes()
        self.events: list[Event] = []
        self.ledger = Ledger(profile, self.changes)
        self.acknowledged: set[str] = set()
        self.counted: Counter[str] = Counter()
        self.happened: Counter[str] = Counter()
        self._open: OrderedDict[str, Event] = OrderedDict()
        self._hand_out: Callable[[Event], None] | None = None

    def says(
        self,
        user: str,
        text: str,
        *,
        chat: str,
        thread: str = "",
        expects: str = "reply",
        kind: str = "message",
        at: int = 0,
    ) -> Event:
        """Somebody does something; in `text`, "@" stands for the name of the event."""
        number = len(self.events)
        name = f"e{number}"
        event = Event(
            id=name,
            number=number,
            chat=chat,
            thread=thread,
            user=user,
            text=text.replace("@", name),
            expects=expects,
            kind=kind,
            at=at,
        )
        self.events.append(event)
        self.hands_out(event)
        return event

    def event_of(self, words: str) -> Event:
        """Whose name stands at the beginning of these words."""
        return self.events[int(words.partition(" ")[0].removeprefix("e"))]

    def hands_out(self, event: Event) -> None:
        """Once more, if it was before."""
        self._open[event.id] = event
        if self._hand_out is not None:
            self._hand_out(event)

    def connects(self, hand_out: Callable[[Event], None]) -> None:
        """A gateway is there: it gets what was never acknowledged, in its order, and from now on what comes."""
        self._hand_out = hand_out
        for event in tuple(self._open.values()):
            hand_out(event)

    def leaves(self, hand_out: Callable[[Event], None]) -> None:
        """It is gone, unless another one came first."""
        if self._hand_out == hand_out:
            self._hand_out = None

    def acknowledges(self, event_id: str) -> None:
        """It will not be handed out again."""
        self._open.pop(event_id, None)
        self.acknowledged.add(event_id)
        self.changes.happened()

    def notes(self, what: str) -> None:
        """Something happened that people may wait for."""
        self.happened[what] += 1
        self.changes.happened()

    @property
    def quiet(self) -> bool:
        """Whether all that was handed out is acknowledged."""
        return not self._open

    async def until(self, true: Callable[[], bool], what: Callable[[], str] | str) -> None:
        """Wait for it; `what` says what never came."""
        await self.changes.until(
            true,
            within=PATIENCE_S,
            otherwise=lambda: f"not within {PATIENCE_S:g} s: {what if isinstance(what, str) else what()}",
        )

    async def shown(self, words: str, *, chat: str, thread: str = "", exactly: bool = False) -> Taken:
        """The first message in a chat that begins with these words, or says them and nothing else."""

        def found() -> Sequence[Taken]:
            here = [one for one in self.ledger.lines if one.place == (chat, thread)]
            return [one for one in here if one.text == words or (not exactly and bare(one.text).startswith(words))]

        await self.until(lambda: bool(found()), f"{words!r} in {chat}")
        return found()[0]

    async def card(self, words: str, *, chat: str) -> Taken:
        """The first message in a chat that holds these words and can be answered by a button."""

        def found() -> Sequence[Taken]:
            return [one for one in self.ledger.lines if one.chat == chat and one.tokens and words in one.text]

        await self.until(lambda: bool(found()), f"a card with {words} in {chat}")
        return found()[0]


def bare(text: str) -> str:
    """Without the label of a possible repeat."""
    return text.removeprefix(LABEL)
