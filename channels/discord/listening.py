"""One connection of a bot from its start to its end, put together."""

from collections.abc import Sequence
from dataclasses import dataclass

from channels.contract import Accept, Finding
from channels.discord.backfill import Backfill
from channels.discord.checks import check
from channels.discord.desk import Desk
from channels.discord.ears import Ears, Ways
from channels.discord.gateway import hear
from channels.discord.journal import Journal
from channels.discord.menu import offer_commands


@dataclass(frozen=True, slots=True, kw_only=True)
class Listener:
    """Listens for one bot, as often as it is asked to."""

    desk: Desk

    async def listen(self, accept: Accept) -> None:
        """Until cancelled. Raises SettingsError for a token or an intent that Discord refuses."""
        desk, context = self.desk, self.desk.context
        journal = Journal(accept, context.cursor, context.clock, context.account)

        async def begins() -> None:
            await backfill.directs()
            await offer_commands(desk.rest, context)

        async def guild(guild_id: str) -> None:
            await backfill.guild(guild_id, unread=context.start == "unread")

        ears = Ears(desk, journal, Ways(begins=begins, guild=guild))
        backfill = Backfill(desk, journal, ears.message)
        await hear(desk.token, ears.take, content=desk.settings.message_content, clock=context.clock)

    async def check(self, *, deep: bool) -> Sequence[Finding]:
        """What `doctor` wants to know."""
        return await check(self.desk.rest, self.desk.settings, deep=deep)
