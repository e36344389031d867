"""One account of one channel: who it is, its channel, and listening to it, for as long as the settings want it."""

import asyncio
from contextlib import suppress
from dataclasses import replace
from typing import Final

from channels.contract import AnySpec, Closes
from core.domain.errors import SendError, SettingsError
from gateway.ground import Ground
from gateway.identity import Identity
from gateway.receiver import keep_listening
from gateway.roster import Served
from gateway.settings import ChannelSettings
from gateway.states import Standing

FIRST_PAUSE_S: Final = 2.0
LONGEST_PAUSE_S: Final = 60.0
LEAVE_WITHIN_S: Final = 10.0
# A connection that has held for so long is told to be one.
STEADY_S: Final = 3.0


class Line:
    """One account. `find` first; then `run` until cancelled."""

    def __init__(self, section: ChannelSettings, spec: AnySpec, ground: Ground) -> None:
        self.section = section
        self._served: Served | None = None
        self._spec = spec
        self._ground = ground
        self._identity = Identity(section, spec, ground)
        self._sure = False
        self._attempt = asyncio.Event()

    async def find(self) -> None:
        """Ask the platform who the account is. Where it gives no answer, it is who it was the last time."""
        self._tell(Standing.CONNECTING)
        account = await self._identity.ask()
        self._sure = account is not None
        if account is None and not self._identity.refused:
            account = await self._identity.remembered()
        if account is not None:
            await self._serve(account)

    async def run(self) -> None:
        """Listen. Whoever was not found at first is asked for again, for as long as that takes."""
        try:
            while not self._identity.refused:
                if self._served is None:
                    await self._until_found()
                elif await self._listen(self._served):
                    return
        finally:
            await self.leave()

    async def leave(self) -> None:
        """Nobody listens any more: what is on its way out goes, and the channel gives back what it holds."""
        served, self._served = self._served, None
        if served is not None:
            await self._ground.gateway.sender.leave(served.channel.lane, LEAVE_WITHIN_S)
            self._ground.roster.remove(served)
            if isinstance(served.channel, Closes):
                with suppress(SendError, OSError):
                    await served.channel.close()

    def takes(self, section: ChannelSettings) -> bool:
        """Whether new settings are nothing that the channel itself was built with: it takes them over as it runs."""
        old = self.section
        built_with = [(one.own, one.common.start, one.common.allow_bots) for one in (old, section)]
        if built_with[0] != built_with[1] or self._identity.refused:
            return False
        if self._served is not None:
            served, self._served = self._served, replace(self._served, section=section)
            self._ground.roster.replace(served, self._served)
        self.section = section
        return True

    async def _until_found(self) -> None:
        pause, world = FIRST_PAUSE_S, self._ground.gateway.world
        while self._served is None and not self._identity.refused:
            await world.clock.sleep(pause * (0.5 + world.chance.jitter() / 2))
            pause = min(LONGEST_PAUSE_S, pause * 2)
            await self.find()

    async def _listen(self, served: Served) -> bool:
        """Whether the channel has ended by itself."""
        gateway = self._ground.gateway
        world, accept = gateway.world, gateway.bus.publish
        async with asyncio.TaskGroup() as group:
            listening = group.create_task(keep_listening(served.channel, accept, world.clock, world.chance, self._note))
            beside = [group.create_task(self._look())]
            if not self._sure:
                beside.append(group.create_task(self._make_sure(served.account, listening)))
            await asyncio.wait([listening])
            if listening.cancelled():
                # The account is another one: whoever found that out comes to an end by itself.
                await asyncio.wait(beside[1:])
            for task in beside:
                task.cancel()
        if listening.cancelled():
            return False
        if not self._identity.refused:
            self._tell(Standing.ENDED)
        return True

    async def _make_sure(self, account: str, listening: "asyncio.Task[None]") -> None:
        """The account is who it was the last time; as soon as the platform answers, it is who that says."""
        pause, world = FIRST_PAUSE_S, self._ground.gateway.world
        while (found := await self._identity.ask()) is None and not self._identity.refused:
            await world.clock.sleep(pause)
            pause = min(LONGEST_PAUSE_S, pause * 2)
        self._sure = found is not None
        if found == account:
            await self._identity.keep(account)
            return
        listening.cancel()
        await asyncio.wait([listening])
        await self.leave()
        if found is not None:
            await self._serve(found)

    async def _look(self) -> None:
        while True:
            await self._attempt.wait()
            await self._ground.gateway.world.clock.sleep(STEADY_S)
            if self._attempt.is_set():
                self._tell(Standing.LISTENING)
                self._attempt.clear()

    async def _serve(self, account: str) -> None:
        try:
            channel = self._spec.build(self.section.own, self._ground.context(self.section, account))
            served = Served(spec=self._spec, account=account, channel=channel, section=self.section)
            self._ground.roster.add(served)
        except SettingsError as error:
            self._identity.refuse(error)
            return
        self._served = served
        await self._ground.gateway.sender.join(channel.lane)
        if self._sure:
            await self._identity.keep(account)
        self._tell(Standing.CONNECTING, account=account)

    def _note(self, trouble: Exception | None) -> None:
        """What the receiver says of the connection."""
        if trouble is None:
            self._attempt.set()
            return
        self._attempt.clear()
        if isinstance(trouble, SettingsError):
            self._identity.refuse(trouble)
        else:
            self._tell(Standing.UNREACHABLE, why=f"{type(trouble).__name__}: {trouble}")

    def _tell(self, standing: Standing, *, account: str = "", why: str = "") -> None:
        self._ground.tell(self.section, standing, account=account, why=why)
