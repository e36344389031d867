"""A whole gateway between several people, and what they and the world do to it, one act after the other."""

import asyncio
import json
import re
import shutil
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

from sqlalchemy import Connection, text

from core.decide.view import Queueing
from core.domain.errors import ModelRefused, ModelUnreachable
from core.domain.prompt import Prompt
from core.domain.step import ModelAnswered
from core.domain.tool import Approval, ToolResult
from core.models.scripted import Ending, ScriptedModel, calls, fails, says, together, waits
from core.ports import Tool, ToolContext
from core.tools.ask_user import ask_user
from gateway.wiring import Gateway
from tests.fakes.clock import FakeClock
from tests.fakes.gateway import House
from tests.fakes.platform import Event, FakePlatform, Profile
from tests.fakes.tools import FakeTool, answers, delegates

# Every message of a test has a number of its own, and every answer names the numbers that it is about.
NUMBER = re.compile(r"#\d+")
CHATS = (("team", True), ("den", False))
PEOPLE = ("anna", "ben", "carl")


class Gate:
    """Whoever waits here goes on when it opens; it closes behind them, until it stays open."""

    def __init__(self) -> None:
        self._event = asyncio.Event()

    async def wait(self) -> None:
        """Until it opens the next time."""
        await self._event.wait()

    def opens(self, *, stays: bool = False) -> None:
        """Let go on who waits."""
        self._event.set()
        if not stays:
            self._event = asyncio.Event()


class Mind:
    """Answers by what the newest message asks for; what fails for it once succeeds the second time."""

    def __init__(self, gate: Gate) -> None:
        self._gate = gate
        self._failed: set[str] = set()

    def answer(self, prompt: Prompt) -> Ending:
        """One word of the newest message decides; after a tool's result there is an answer."""
        newest = prompt.messages[-1]
        said = says(f"to {' '.join(_unanswered(prompt))}")
        if newest.role == "tool":
            return said
        match newest.content.rsplit(" ", 1)[-1]:
            case "hang":
                return waits(self._gate.wait, said)
            case "refused":
                return fails(ModelRefused("no"))
            case "flaky" if newest.content not in self._failed:
                self._failed.add(newest.content)
                return fails(ModelUnreachable("not now"))
            case word:
                return _calls(word, " ".join(NUMBER.findall(newest.content)[-1:])) or said


def _calls(word: str, number: str) -> ModelAnswered | None:
    asks = calls("ask_user", question=f"Which one for {number}?", choices=["red", "blue"])
    match word:
        case "ask":
            return asks
        case "soon":
            return calls("ask_user", question=f"Now for {number}?", deadline=600, default="later")
        case "both":
            return together(asks, calls("slow"), asks)
        case "slow" | "pay" | "buy" as tool:
            return calls(tool)
        case "hand":
            return calls("hand", agent="main", task=f"{number} below ask")
        case "below":
            return calls("hand", agent="main", task=f"{number} below slow")
        case _:
            return None


VERBS = ("hello", "ask", "soon", "both", "slow", "pay", "buy", "hand", "below", "hang", "refused", "flaky")


def _unanswered(prompt: Prompt) -> list[str]:
    """The numbers of all that was said since the last answer."""
    found: list[str] = []
    for message in prompt.messages:
        if message.role == "assistant" and not message.calls:
            found.clear()
        elif message.role == "user":
            found.extend(NUMBER.findall(message.content))
    return found


@dataclass(eq=False, slots=True)
class Town:
    """People, their platform and the house that serves them. `said` are the messages so far."""

    house: House
    model: ScriptedModel
    gate: Gate
    clock: FakeClock
    said: list[Event] = field(default_factory=list)
    numbers: int = 0

    @property
    def platform(self) -> FakePlatform:
        """Where they meet."""
        return self.house.platform

    def number(self) -> str:
        """A number that no message has."""
        self.numbers += 1
        return f"#{self.numbers}"

    def says(self, who: str, words: str, chat: int) -> Event:
        """Somebody says something."""
        name, shared = CHATS[chat % len(CHATS)]
        event = self.platform.says(who, words, chat=name, shared=shared)
        self.said.append(event)
        return event

    async def passes(self, gateway: Gateway, seconds: float) -> None:
        """Time passes, and everybody looks for work."""
        await self.clock.advance(seconds)
        for wakeup in gateway.wakeups:
            wakeup.set()
        await breathe(gateway, 2)


def town(folder: Path, empty_store: Path, profile: Profile, turns: int) -> Town:
    """A town with nothing said yet; few slots for turns, so that they are fought for."""
    shutil.copy(empty_store, folder / "parley.db")
    gate, clock = Gate(), FakeClock()
    model = ScriptedModel(Mind(gate).answer, repeat_last=True)
    tools: dict[str, Tool] = {
        "ask_user": ask_user,
        "slow": _slow("slow", gate.wait, replayable=True),
        "pay": _slow("pay", gate.wait, replayable=False),
        "buy": answers("buy", "bought", replayable=False, approval=Approval.ASK),
        "hand": delegates("hand"),
    }
    house = House(
        folder=folder,
        platform=FakePlatform(profile=profile),
        models=[model],
        tools=tools,
        clock=clock,
        turns=turns,
        queueing=Queueing(person=4),
        queued_chat=6,
        grace_s=0.02,
    )
    return Town(house=house, model=model, gate=gate, clock=clock)


def _slow(name: str, wait: Callable[[], Awaitable[None]], *, replayable: bool) -> FakeTool:
    async def body(arguments: str, context: ToolContext) -> ToolResult:
        await wait()
        return ToolResult(text=f"{name} is done")

    return FakeTool(name, body, replayable=replayable)


async def breathe(gateway: Gateway, times: int) -> None:
    """Whatever waits for the store gets what it waits for, so many times."""
    for _ in range(times):
        await gateway.world.store.run(_nothing)
        await asyncio.sleep(0)


def _nothing(conn: Connection) -> None:
    """Is done when all that was asked for before it is."""


def open_waits(conn: Connection, kind: str) -> list[tuple[int, str, str]]:
    """Of each open wait that is shown: its number, who is asked, and the chat."""
    rows = conn.execute(
        text(
            "SELECT w.id, w.asked, c.chat_id FROM waits w JOIN chats c ON c.id = w.chat"
            " WHERE w.closed_at IS NULL AND w.deadline IS NOT NULL AND w.kind = :kind ORDER BY w.id"
        ),
        {"kind": kind},
    )
    return [(row[0], row[1], row[2]) for row in rows]


def tokens(conn: Connection) -> list[tuple[str, str]]:
    """Of each button of a question: its token, and the chat."""
    rows = conn.execute(text("SELECT w.question, c.chat_id FROM waits w JOIN chats c ON c.id = w.chat"))
    return [(choice["token"], chat) for question, chat in rows for choice in json.loads(question)["choices"]]
