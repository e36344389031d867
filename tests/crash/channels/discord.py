"""Discord, as the gateways that die see it."""

import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager

from tests.contract.discord_rig import settings_of
from tests.crash.channels.birth import hurried
from tests.crash.channels.stage import kill
from tests.crash.matrix.points import Moment
from tests.crash.matrix.wire import Death
from tests.fakes.discord import BOT, DiscordServer
from tests.fakes.discord.faults import Fault, Faults, Planned
from tests.fakes.wire import Json, objects_at, text_at

# The calls at which the platform's side of a death can be: how a fake's fault names them.
CALLS = {"post a message": ("POST", "/messages"), "edit a message": ("PATCH", "/messages/")}
MOMENTS = {Moment.ARRIVED: Fault.CUT_BEFORE, Moment.TAKEN: Fault.CUT_AFTER}


class Deadly(Faults):
    """Faults one of which is the death of whoever calls."""

    def __init__(self) -> None:
        super().__init__()
        self.death: Death | None = None
        self.pid = 0
        self._came = 0

    def dies(self, death: Death | None, pid: int) -> None:
        """At the so many'th call from now on."""
        self.death, self.pid, self._came = death, pid, 0

    def due(self, method: str, path: str) -> Planned | None:
        """Kills before it says what is left of the call."""
        if self.death is not None and self.death.name in CALLS:
            wanted, part = CALLS[self.death.name]
            self._came += wanted == method and part in path
            if self._came == self.death.nth and wanted == method and part in path:
                kill(self.pid)
                fault, self.death = MOMENTS[self.death.moment], None
                return Planned(fault=fault, method=method, path=path)
        return super().due(method, path)


class DiscordWire:
    """A DM, a channel and a thread, and Anna in all of them."""

    def __init__(self, server: DiscordServer, since: float) -> None:
        self.server = server
        self.since = since
        self.faults = Deadly()
        server.faults = self.faults
        self.anna = server.world.person("anna")
        self.direct = server.world.direct(self.anna)
        self.general = server.world.channel("general")
        self.thread = server.world.thread(self.general, "a thread", self.anna)

    @property
    def channel(self) -> str:
        """Its name."""
        return "discord"

    @property
    def account(self) -> str:
        """The bot."""
        return BOT

    @property
    def settings(self) -> Json:
        """With the addresses of the server."""
        return settings_of(self.server)

    @property
    def people(self) -> Sequence[str]:
        """Anna."""
        return [self.anna]

    @property
    def places(self) -> Sequence[str]:
        """Three conversations."""
        return [self.direct, self.general, self.thread]

    async def says(self, place: str, words: str) -> str:
        """With a mention where others read along."""
        return await self.server.people.says(self.anna, place, words if place == self.direct else f"<@{BOT}> {words}")

    async def chooses(self, place: str, words: str) -> bool:
        """The last button but the pen."""
        card = self._card(place, words)
        if card is None or not objects_at(card, "components"):
            return False
        buttons = [one for row in objects_at(card, "components")[:-1] for one in objects_at(row, "components")]
        await self.server.people.presses(self.anna, place, text_at(card, "id"), text_at(buttons[-1], "custom_id"))
        return True

    def closed(self, place: str, words: str) -> bool:
        """A card that is there and asks nothing any more."""
        card = self._card(place, words)
        return card is not None and not objects_at(card, "components")

    def shown(self, place: str) -> Sequence[str]:
        """What stands there."""
        return [text_at(one, "content").replace("\\", "") for one in self.server.world.shown(place)]

    @contextmanager
    def deadly(self, death: Death | None, pid: int) -> Iterator[None]:
        """While this process lives."""
        self.faults.dies(death, pid)
        try:
            yield
        finally:
            self.faults.dies(None, 0)

    def _card(self, place: str, words: str) -> Json | None:
        shown = self.server.world.shown(place)
        found = [one for one in shown if words in text_at(one, "content").replace("\\", "")]
        return found[-1] if found else None


@asynccontextmanager
async def discord() -> AsyncIterator[DiscordWire]:
    """A Discord of its own."""
    since = time.time()
    async with DiscordServer(now=lambda: hurried(since)) as server:
        yield DiscordWire(server, since)
