"""Everything that goes on while a bot listens: who it is, its menu, its updates by polling or by webhook, its drafts."""

import asyncio
from collections.abc import Awaitable, Callable

import structlog

from channels.contract import ChannelContext
from channels.telegram import groups, menu, offset
from channels.telegram.calls import Api
from channels.telegram.drafts import Drafts
from channels.telegram.people import Me, me_of
from channels.telegram.polling import Poller
from channels.telegram.settings import TelegramSettings
from channels.telegram.taking import Intake, Sources
from channels.telegram.webhook import Webhook
from core.bus import Accept
from core.domain.errors import SendError
from core.ports import Clock

log = structlog.get_logger(__name__)

FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 60.0


class Listener:
    """What `listen` of the channel does."""

    def __init__(
        self, settings: TelegramSettings, context: ChannelContext, sources: Sources, drafts: Drafts, webhook: Webhook
    ) -> None:
        self._settings = settings
        self._context = context
        self._sources = sources
        self._drafts = drafts
        self._webhook = webhook

    async def listen(self, accept: Accept) -> None:
        """Until cancelled."""
        self._sources.moves.recall(await self._stored(groups.SCOPE))
        intake = Intake(await persist(self._me, self._sources.clock, "telegram.not_reached"), accept, self._sources)
        async with asyncio.TaskGroup() as group:
            group.create_task(self._drafts.run(), name="drafts")
            group.create_task(self._menu(), name="menu")
            if self._settings.mode == "webhook":
                group.create_task(self._pushed(intake), name="webhook")
            else:
                stored = offset.Offset(await self._stored(offset.SCOPE))
                poller = Poller(self._sources.api, intake, stored, self._sources.clock)
                group.create_task(poller.run(), name="polling")

    async def _stored(self, scope: str) -> str | None:
        return await self._context.cursor(scope) if self._context.cursor is not None else None

    async def _me(self) -> Me:
        found = await self._sources.api.call("getMe")
        return me_of(found if isinstance(found, dict) else None)

    async def _menu(self) -> None:
        """A menu that cannot be set is no reason not to listen."""
        if not self._settings.menu:
            return
        for scope, commands in menu.menus(self._context.commands).items():
            try:
                await self._sources.api.call("setMyCommands", {"scope": {"type": scope}, "commands": list(commands)})
            except SendError as exc:
                log.warning("telegram.no_menu", scope=scope, reason=str(exc))

    async def _pushed(self, intake: Intake) -> None:
        async def opened() -> None:
            await self._webhook.open(self._sources.api, intake)

        await persist(opened, self._sources.clock, "telegram.no_webhook")
        try:
            await asyncio.Event().wait()
        finally:
            self._webhook.close()


async def persist[ResultT](call: Callable[[], Awaitable[ResultT]], clock: Clock, said: str) -> ResultT:
    """Until it works; why it does not is said once for each reason."""
    pause, told = FIRST_PAUSE_S, ""
    while True:
        try:
            return await call()
        except SendError as exc:
            if str(exc) != told:
                told = str(exc)
                log.warning(said, reason=told)
            await clock.sleep(pause)
            pause = min(LONGEST_PAUSE_S, 2 * pause)
