"""A gateway connection that breaks all the time: what people say meanwhile is neither lost nor doubled nor reordered.

The quick suite does a few; all of it, 200 cuts during 2,000 messages, takes some minutes:

    python -m tests.discord.cuts
"""

import asyncio
import logging
import random
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from channels.contract import ChannelContext
from channels.discord import SPEC
from channels.discord.channel import DiscordChannel
from core.domain.command import COMMANDS
from core.domain.errors import StoreFull
from core.domain.message import Dropped, Inbound
from core.domain.texts import Texts
from core.ports import Accepted
from tests.contract.discord_rig import Impatient, settings_of
from tests.fakes.discord import BOT, GUILD, DiscordServer
from tests.fakes.discord.gateway import IDENTIFY, RESUME
from tests.fakes.waiting import until

CODES = (0, 1001, 4000, 4008, 4009)


@dataclass(eq=False, slots=True)
class Stored:
    """What a store keeps: each event once by its key, and where reading goes on. Now and then it takes nothing."""

    chance: random.Random
    rows: dict[str, Inbound] = field(default_factory=dict)
    cursors: dict[str, str] = field(default_factory=dict)

    async def accept(self, event: Inbound | Dropped) -> Accepted:
        """Committed when it returns."""
        await asyncio.sleep(0)
        if self.chance.random() < 0.02:
            raise StoreFull("not now")
        known = event.event_key in self.rows
        if event.cursor is not None:
            self.cursors[event.cursor.scope] = event.cursor.value
        if isinstance(event, Inbound) and not known:
            self.rows[event.event_key] = event
        return Accepted(inbound=len(self.rows), chat_row=1, duplicate=known)

    async def cursor(self, scope: str) -> str | None:
        """As the store keeps it."""
        return self.cursors.get(scope)

    def by_place(self) -> Mapping[str, Sequence[str]]:
        """The words of each place, in the order in which they were stored."""
        found: defaultdict[str, list[str]] = defaultdict(list)
        for row in self.rows.values():
            found[row.chat.thread_id or row.chat.chat_id].append(row.content)
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Endured:
    """What came of it."""

    said: Mapping[str, Sequence[str]] = field(hash=False)
    stored: Mapping[str, Sequence[str]] = field(hash=False)
    resumes: int
    identifies: int

    @property
    def lost(self) -> int:
        """What was said and never stored."""
        return sum(len(set(words) - set(self.stored.get(place, ()))) for place, words in self.said.items())

    @property
    def doubled(self) -> int:
        """What was stored more than once."""
        return sum(len(words) - len(set(words)) for words in self.stored.values())

    @property
    def reordered(self) -> bool:
        """Whether any place has another order than people had."""
        return any(list(words) != list(self.said[place]) for place, words in self.stored.items())


async def endure(*, messages: int, cuts: int, seed: int) -> Endured:
    """Half of the cuts can be resumed, half cannot."""
    chance = random.Random(seed)
    stored = Stored(chance)
    said: defaultdict[str, list[str]] = defaultdict(list)
    async with DiscordServer() as server, asyncio.TaskGroup() as group:
        anna = server.world.person("anna")
        places = [server.world.channel(f"room{n}") for n in range(3)] + [server.world.direct(anna)]
        bot = _bot(server, stored)
        listening = group.create_task(bot.listen(stored.accept))
        await until(lambda: f"began.{GUILD}" in stored.cursors)
        # A DM that nobody heard of before cannot be found later: Discord does not list them.
        when = sorted(chance.sample(range(40, messages), cuts))
        how = [number % 2 == 0 for number in range(cuts)]
        chance.shuffle(how)
        for number in range(messages):
            if when and when[0] <= number:
                when.pop(0)
                await server.gateway.connected()
                await server.gateway.cut(chance.choice(CODES), resumable=how.pop())
            if number % 97 == 50:
                places.append(await server.people.opens_thread(anna, places[0], f"thread {number}"))
            place = places[number] if number < len(places) else chance.choice(places)
            said[place].append(f"message {number}")
            await server.people.says(anna, place, f"message {number}")
            await asyncio.sleep(chance.random() * 0.01)
        await until(lambda: len(stored.rows) >= messages, within=60)
        listening.cancel()
        ops = [one["op"] for one in server.gateway.heard]
    await bot.close()
    return Endured(said=said, stored=stored.by_place(), resumes=ops.count(RESUME), identifies=ops.count(IDENTIFY))


def _bot(server: DiscordServer, stored: Stored) -> DiscordChannel:
    context = ChannelContext(
        account=BOT,
        workspace=Path(),
        clock=Impatient(),
        commands=COMMANDS,
        texts=Texts({}),
        env=lambda name: None,
        cursor=stored.cursor,
    )
    bot = SPEC.build(SPEC.settings.model_validate(settings_of(server)), context)
    assert isinstance(bot, DiscordChannel)
    return bot


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    found = asyncio.run(endure(messages=2000, cuts=200, seed=int(sys.argv[1]) if len(sys.argv) > 1 else 1))
    sys.stdout.write(
        f"200 cuts, 2,000 messages: {found.lost} lost, {found.doubled} doubled, "
        f"{'reordered' if found.reordered else 'order kept'}; {found.resumes} resumed, {found.identifies} begun anew\n"
    )
    sys.exit(bool(found.lost or found.doubled or found.reordered))
