"""Who talks to the gateways: a fixed set of dialogues that comes by every point. They never notice a death."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from tests.crash.matrix.answers import question
from tests.crash.matrix.platform import WORKING, Event, Platform, Taken, bare

YEAR_OLD = 1
ONCE, ALWAYS, DENY = range(3)
MODES = {"collect": "joined", "steer": "joined", "interrupt": "stopped"}
INTERRUPTED = "I was interrupted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Somebody in one chat."""

    platform: Platform
    chat: str
    name: str = "anna"
    thread: str = ""

    def says(self, text: str, expects: str = "reply") -> Event:
        """Say it, and wait for nothing."""
        return self.platform.says(self.name, text, chat=self.chat, thread=self.thread, expects=expects)

    def presses(self, token: str) -> Event:
        """Press the button that has this token."""
        return self.platform.says(self.name, token, chat=self.chat, thread=self.thread, expects="answer", kind="button")

    async def stored(self, event: Event) -> None:
        """Until it is acknowledged."""
        acknowledged = self.platform.acknowledged
        await self.platform.until(lambda: event.id in acknowledged, f"{event.id} acknowledged")

    async def is_asked(self, event: Event, place: int = 0) -> tuple[str, ...]:
        """The buttons of a message's question, when it is there."""
        shown = await self.platform.shown(question(event.id, place), chat=self.chat, thread=self.thread)
        return shown.tokens

    async def begun(self, event: Event) -> None:
        """Until the model was asked about it."""
        happened = self.platform.happened
        await self.platform.until(lambda: bool(happened[f"asked {event.text}"]), f"{event.text} begun")


Dialogue = Callable[[Platform], Awaitable[None]]


async def plain(platform: Platform) -> None:
    """Several at once, one of them handed out three times, one with a reply of three parts."""
    anna = Person(platform=platform, chat="plain")
    for wish in ("@ plain", "@ long", "@ plain"):
        event = anna.says(wish)
    await anna.stored(event)
    platform.hands_out(event)
    last = anna.says("@ plain")
    platform.hands_out(last)


async def tools(platform: Platform) -> None:
    """A round that may be repeated, one that may not, both side by side."""
    anna = Person(platform=platform, chat="tools")
    for wish in ("@ look", "@ count", "@ both"):
        anna.says(wish)


async def questions(platform: Platform) -> None:
    """Answered by text, by number and by button, while somebody else waits; one card is deleted before."""
    anna, ben = Person(platform=platform, chat="asked"), Person(platform=platform, chat="asked", name="ben")
    asked = anna.says("@ ask")
    await anna.is_asked(asked)
    ben.says("@ plain")
    platform.ledger.delete((await platform.shown(question(asked.id), chat="asked")).id)
    anna.says("green", expects="answer")
    asked = anna.says("@ ask")
    await anna.is_asked(asked)
    anna.says("2", expects="answer")
    asked = anna.says("@ asks")
    tokens = await anna.is_asked(asked)
    platform.hands_out(anna.presses(tokens[2]))
    await anna.is_asked(asked, 1)
    anna.says("something else", expects="answer")


async def busy(platform: Platform) -> None:
    """An answer that comes while the turn still works, and a question whose time runs out."""
    anna = Person(platform=platform, chat="busy")
    asked = anna.says("@ wait")
    tokens = await anna.is_asked(asked)
    await anna.stored(anna.presses(tokens[0]))
    platform.notes(f"answered {asked.id}")
    anna.says("@ short")
    anna.says("@ slow")
    anna.says("@ shown")


async def commands(platform: Platform) -> None:
    """Performed beside the turns, refused, or nothing to do."""
    anna = Person(platform=platform, chat="orders")
    anna.says("/help", expects="command")
    anna.says("/model other", expects="command")
    anna.says("@ plain")
    anna.says("/status", expects="command")
    anna.says("/model", expects="command")
    anna.says("/hepl", expects="notice")
    Person(platform=platform, chat="orders", name="mallory").says("@ plain", expects="notice")


async def stops(platform: Platform) -> None:
    """While the model works, while a question is open, with and without a new beginning."""
    for order in ("/stop", "/new"):
        anna = Person(platform=platform, chat=f"ends{order[1:]}")
        held = anna.says("@ hold", expects="stopped")
        anna.says("@ plain", expects="stopped")
        await anna.begun(held)
        await platform.shown(WORKING, chat=anna.chat)
        anna.says(order, expects="notice")
        asked = anna.says("@ ask", expects="stopped")
        await anna.is_asked(asked)
        anna.says(order, expects="notice")
        anna.says("@ count")


async def modes(platform: Platform) -> None:
    """What is said meanwhile is collected, steers, or interrupts."""
    for mode in ("collect", "steer", "interrupt"):
        anna = Person(platform=platform, chat=mode)
        anna.says(f"/queue {mode}", expects="command")
        await platform.shown("The queue mode", chat=mode)
        first = anna.says("@ hold" if mode == "interrupt" else "@ patient", expects=MODES[mode])
        if mode != "collect":
            await anna.begun(first)
        await anna.stored(anna.says("@ plain", expects="reply" if mode == "interrupt" else "joined"))
        platform.notes(f"go {first.text}")
        anna.says("/queue", expects="command")


async def outage(platform: Platform) -> None:
    """What is a year old is announced and not answered."""
    anna = Person(platform=platform, chat="away")
    for _ in range(2):
        platform.says("anna", "@ plain", chat="away", expects="nothing", at=YEAR_OLD)
    await platform.shown("I was away", chat="away")
    anna.says("@ plain")


async def approvals(platform: Platform) -> None:
    """Calls that an owner lets run once, does not let run, or lets run from now on."""
    anna = Person(platform=platform, chat="leave")
    olga = Person(platform=platform, chat="leave", name="olga")
    for wish, choice in (("pay", ONCE), ("pay", DENY), ("rent", ALWAYS)):
        asked = anna.says(f"@ {wish}")
        card = await platform.card(f'"{asked.id if wish == "pay" else wish}"', chat="leave")
        olga.presses(card.tokens[choice])
    anna.says("@ rent")


async def family(platform: Platform) -> None:
    """Other agents work on calls of a turn, side by side: one counts, one asks."""
    anna = Person(platform=platform, chat="family")
    asked = anna.says("@ family")
    anna.says("@ plain")
    await anna.is_asked(asked)
    anna.says("red", expects="answer")


async def sessions(platform: Platform) -> None:
    """Conversations that are left, listed, taken up again and shortened."""
    anna = Person(platform=platform, chat="sessions")
    for wish in ("tell", "plain"):
        said = anna.says(f"@ {wish}")
        await platform.shown(f"re {said.id}", chat="sessions")
        anna.says("/new", expects="notice")
    for command in ("/sessions", "/resume 1", "/undo", "/why", "/usage", "/whoami"):
        anna.says(command, expects="command")
    anna.says("@ plain")


async def faults(platform: Platform) -> None:
    """What the platform refuses, for now or for ever, what it takes without a word, and what the model refuses."""
    anna = Person(platform=platform, chat="faults")
    for wish, expects in (
        ("flaky", "reply"),
        ("cut", "reply"),
        ("dead", "dead"),
        ("gone", "dead"),
        ("bad", "failure"),
        ("plain", "reply"),
    ):
        anna.says(f"@ {wish}", expects=expects)


async def threads(platform: Platform) -> None:
    """Two conversations in one room, and the same words in both."""
    for wish in ("@ plain", "@ count"):
        for thread in ("a", "b"):
            Person(platform=platform, chat="plain", thread=thread).says(wish)


DIALOGUES: Sequence[Dialogue] = (
    plain,
    tools,
    questions,
    busy,
    commands,
    stops,
    modes,
    outage,
    approvals,
    family,
    sessions,
    faults,
    threads,
)


async def talk(platform: Platform, dialogues: Sequence[Dialogue] = DIALOGUES) -> None:
    """All of them at once, to their ends."""
    async with asyncio.TaskGroup() as group:
        for dialogue in dialogues:
            group.create_task(_talk(dialogue, platform), name=dialogue.__name__)


async def attend(platform: Platform) -> None:
    """Whoever is asked whether an interrupted call shall run again says no, once. Until cancelled."""
    answered: set[str] = set()

    def asked() -> Sequence[Taken]:
        cards = [one for one in platform.ledger.lines if one.tokens and one.key not in answered]
        return [one for one in cards if bare(one.text).startswith(INTERRUPTED)]

    while True:
        await platform.changes.until(lambda: bool(asked()), within=None, otherwise=str)
        for one in asked():
            answered.add(one.key)
            Person(platform=platform, chat=one.chat, thread=one.thread).presses(one.tokens[-1])


async def _talk(dialogue: Dialogue, platform: Platform) -> None:
    await dialogue(platform)
