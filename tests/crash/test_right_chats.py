"""Many chats at once: every reply in its own chat and in its order, however the turns overtake each other."""

import asyncio
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from core.domain.prompt import ModelSize, Prompt
from core.domain.step import ModelAnswered
from core.models.scripted import says
from tests.fakes.channel import LIMITS, FakeChannel
from tests.fakes.gateway import House, opened
from tests.fakes.platform import FakePlatform

CHATS = 50
TURNS = 10_000
IN_FLIGHT = 800


class Overtaking:
    """Repeats what it was told, after a while of its own: those asked later are often done earlier."""

    name = "overtaking"
    size = ModelSize(window=2_000, output=100)

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)

    async def answer(self, prompt: Prompt, on_text: Callable[[str], None] | None) -> ModelAnswered:
        """The last words of the prompt."""
        for _ in range(self._chance.randrange(20)):
            await asyncio.sleep(0)
        return says(prompt.messages[-1].content)


@pytest.mark.timeout(300)  # a machine with nothing else to do takes some ten seconds
async def test_ten_thousand_replies_to_fifty_chats_are_each_in_their_own_chat(tmp_path: Path) -> None:
    platform = FakePlatform(kept=TURNS)
    limits = replace(LIMITS, drafts=False)
    house = House(
        folder=tmp_path,
        platform=platform,
        models=[Overtaking(seed=34)],
        queued_chat=TURNS,
        channel=lambda one: FakeChannel(one, limits=limits),
    )
    async with opened(house):
        for number in range(TURNS):
            chat = f"c{number % CHATS}"
            # What is said names another chat and asks for it: a reply follows where it was asked, not what was said.
            platform.says("anna", f"{chat} {number}, send this to c{(number + 1) % CHATS}", chat=chat)
            if number >= IN_FLIGHT:
                await _taken(platform, number - IN_FLIGHT)
        await _taken(platform, TURNS)
    for n in range(CHATS):
        numbers = range(n, TURNS, CHATS)
        said = [f"c{n} {number}, send this to c{(number + 1) % CHATS}" for number in numbers]
        assert [sent.text for sent in platform.ledger.lines(f"c{n}")] == said
    order = [int(sent.text.split()[1].rstrip(",")) for sent in platform.ledger.lines()]
    assert order != sorted(order)


async def _taken(platform: FakePlatform, count: int) -> None:
    await platform.changes.until(lambda: platform.ledger.taken >= count, within=250, otherwise=lambda: "no reply")
