"""Whatever people say, take back and go back to: a prompt shows exactly what a list of lists would hold."""

import asyncio
import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from core.decide.prompt import BROKEN_TURN
from core.domain.errors import ModelRefused
from core.models.scripted import ScriptedModel, fails, says
from tests.fakes.gateway import House, opened
from tests.fakes.platform import FakePlatform

# What is done, in one gateway after another; each word is a command, a message, or one that the model fails at.
ACT = st.one_of(
    st.sampled_from(["say", "say", "fail", "/new", "/undo", "/retry", "/retry fail"]),
    st.integers(min_value=0, max_value=4).map(lambda number: f"/resume {number}"),
)
DAYS = st.lists(st.lists(ACT, max_size=10), min_size=1, max_size=3)


@dataclass
class Expected:
    """The simplest thing that could be right: a list for each conversation, of what was said and answered."""

    sessions: list[list[tuple[str, str]]] = field(default_factory=lambda: [[]])
    current: int = 0
    prompt: list[str] = field(default_factory=list)

    def asks(self, question: str, answer: str) -> None:
        """A message and its answer."""
        here = self.sessions[self.current]
        self.prompt = [*(text for exchange in here for text in exchange), question]
        here.append((question, answer))

    def does(self, act: str) -> str | None:
        """A command that asks no model: the first words of what it says; None for one that does nothing."""
        here = self.sessions[self.current]
        match act.split():
            case ["/new"]:
                self.sessions.append([])
                self.current = len(self.sessions) - 1
                return "New conversation."
            case ["/undo"]:
                return f"Undone: {here.pop()[0]}" if here else "There is nothing to undo."
            case ["/resume", number]:
                return self._resumes(int(number))
            case _:
                return None if here else "There is nothing to try again."

    def _resumes(self, number: int) -> str:
        if number - 1 == self.current:
            return f"Conversation {number} is the current one."
        if not 1 <= number <= len(self.sessions) or not self.sessions[number - 1]:
            return f"There is no conversation {number} here."
        self.current = number - 1
        return f"Conversation {number} goes on: {self.sessions[self.current][0][0]}"


@dataclass
class Talk:
    """One chat on a store, and what should be in it."""

    house: House
    model: ScriptedModel
    expected: Expected = field(default_factory=Expected)
    said: int = 0

    async def day(self, acts: list[str]) -> None:
        """In a gateway of its own."""
        async with opened(self.house):
            for act in acts:
                await self.act(act)

    async def act(self, act: str) -> None:
        """One thing that Anna does, and what she hears."""
        anna = self.house.platform.person("anna")
        told = self.expected.does(act) if act.startswith("/") else None
        if told is not None:
            await anna.says(act)
            await anna.hears(told)
            return
        self.said += 1
        broken = act.endswith("fail")
        answer = f"answer {self.said}"
        self.model.then(fails(ModelRefused("busy")) if broken else says(answer))
        again = act.startswith("/retry")
        question = self.expected.sessions[self.expected.current].pop()[0] if again else f"question {self.said}"
        self.expected.asks(question, BROKEN_TURN if broken else answer)
        await anna.says("/retry" if again else question)
        await anna.hears("I could not answer this: the model refused." if broken else answer)
        assert [message.content for message in self.model.prompts[-1].messages[1:]] == self.expected.prompt


async def live_through(days: list[list[str]], empty_store: Path, folder: Path) -> None:
    shutil.copy(empty_store, folder / "parley.db")
    model = ScriptedModel()
    talk = Talk(house=House(folder=folder, platform=FakePlatform(), models=[model]), model=model)
    for acts in days:
        await talk.day(acts)
    assert model.faults == []


@settings(max_examples=20, deadline=None)
@given(days=DAYS)
def test_a_prompt_holds_what_the_simplest_model_of_a_history_holds(empty_store: Path, days: list[list[str]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(live_through(days, empty_store, Path(folder)))
