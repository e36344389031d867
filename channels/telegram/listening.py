"""All that goes on while a bot listens: who it is, its menu, its updates by polling or by webhook, its drafts."""

import asyncio

from channels.contract import Accept, ChannelContext
from channels.telegram.drafts import Drafts
from channels.telegram.menu import offer
from channels.telegram.patience import persist
from channels.telegram.people import Me, me_of
from channels.telegram.polling import Poller
from channels.telegram.settings import TelegramSettings
from channels.telegram.sources import Sources
from channels.telegram.taking import Intake
from channels.telegram.webhook import Webhook


class Listener:
    """What `listen` of the channel does."""

    def __init__(self, settings: TelegramSettings, context: ChannelContext, sources: Sources, drafts: Drafts) -> None:
        self.webhook = Webhook(settings)
        self.drafts = drafts
        self._menu = context.commands if settings.menu else ()
        self._cursor = context.cursor
        self._sources = sources
        self._poller = Poller(sources.api, sources.clock)

    async def listen(self, accept: Accept) -> None:
        """Until cancelled."""
        api, clock = self._sources.api, self._sources.clock
        if self._cursor is not None:
            await self._sources.moves.recall(self._cursor)
        intake = Intake(await persist(self._me, clock, "telegram.not_reached"), accept, self._sources)
        async with asyncio.TaskGroup() as group:
            group.create_task(self.drafts.run(), name="drafts")
            group.create_task(offer(api, self._menu), name="menu")
            if self.webhook.serves:
                group.create_task(self.webhook.run(api, intake, clock), name="webhook")
            else:
                group.create_task(self._poller.run(intake, self._cursor), name="polling")

    async def _me(self) -> Me:
        found = await self._sources.api.call("getMe")
        return me_of(found if isinstance(found, dict) else None)
