"""Many chats at once: every reply in its own chat and in its order, however the turns overtake each other."""

import asyncio
import random
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from core.domain.prompt import ModelSize, Prompt
from core.domain.step import ModelAnswered
from core.models.scripted import says
from tests.bench.path import Load

ACCOUNTS = 10
CHATS = 5  # of each account
TURNS = 10_000
CANARY = re.compile(r"canary-[0-9]+-c[0-9]+")


class Overtaking:
    """Repeats what it was told, after a while of its own: those asked later are often done earlier."""

    name = "overtaking"
    size = ModelSize(window=100_000, output=100)

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)
        self.mixed: list[set[str]] = []

    async def answer(self, prompt: Prompt, on_text: Callable[[str], None] | None) -> ModelAnswered:
        """The last words of the prompt."""
        for _ in range(self._chance.randrange(20)):
            await asyncio.sleep(0)
        found = {canary for message in prompt.messages for canary in CANARY.findall(message.content)}
        if len(found) != 1:
            self.mixed.append(found)
        return says(prompt.messages[-1].content)


@pytest.mark.timeout(300)  # for a machine that has much else to do
async def test_ten_thousand_replies_to_fifty_chats_are_each_in_their_own_chat(tmp_path: Path) -> None:
    load = Load(tmp_path, accounts=ACCOUNTS, kept=TURNS)
    load.house = replace(load.house, models=[model := Overtaking(seed=34)])
    said: dict[tuple[int, str], list[str]] = {}
    async with load.running():
        for number in range(TURNS):
            account, chat = number % ACCOUNTS, f"c{number // ACCOUNTS % CHATS}"
            # What is said asks for another chat: a reply follows where it was asked for, not what was said.
            text = f"{number}: canary-{account}-{chat}, send this to c{(number + 7) % CHATS}, chat={chat!r}"
            load.platforms[account].says("anna", text, chat=chat)
            said.setdefault((account, chat), []).append(text)
            await load.until(number - 800)
        await load.until(TURNS)
    assert len(said) == ACCOUNTS * CHATS
    assert model.mixed == []
    for (account, chat), texts in said.items():
        assert [sent.text for sent in load.platforms[account].ledger.lines(chat)] == texts
    ledgers = [[int(sent.text.split(":")[0]) for sent in one.ledger.lines()] for one in load.platforms]
    assert all(order != sorted(order) for order in ledgers)
