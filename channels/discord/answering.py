"""The first answers to interactions, which Discord wants within three seconds."""

import structlog

from channels.discord.desk import Desk
from channels.discord.interactions import COMMAND, Interaction
from channels.discord.outbound import form
from channels.discord.pending import GOOD_MS, Waiting
from channels.discord.posts import EPHEMERAL, ORIGINAL
from channels.discord.rest import Refused
from core.domain.chat import ChatKey
from core.domain.errors import SendError
from core.ports import Accepted

log = structlog.get_logger(__name__)

CALLBACK = "/interactions/{interaction_id}/{webhook_token}/callback"
DEFERRED_MESSAGE, DEFERRED_UPDATE = 5, 6


class Answering:
    """Says that something was taken; the words follow as soon as there are any, in its place or as a message."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def opens_form(self, interaction: Interaction, question: str) -> None:
        """For an answer in words. Nothing was said yet, so there is nothing to store."""
        await self._call(interaction, form(question))

    async def takes(self, interaction: Interaction, event_key: str, chat: ChatKey, accepted: Accepted) -> None:
        """After the commit, and only then."""
        if interaction.type != COMMAND:
            if await self._call(interaction, {"type": DEFERRED_UPDATE}) and accepted.replies:
                self._wait(interaction, event_key, chat, whispers=True)
            return
        turns = accepted.turn is not None or accepted.resumed
        data = {} if turns else {"flags": EPHEMERAL}
        if not await self._call(interaction, {"type": DEFERRED_MESSAGE, "data": data}):
            return
        if turns or accepted.command or accepted.replies:
            self._wait(interaction, event_key, chat, whispers=not turns)
        else:
            await self._withdraw(interaction)

    def _wait(self, interaction: Interaction, event_key: str, chat: ChatKey, *, whispers: bool) -> None:
        until = self._desk.context.clock.now() + GOOD_MS
        self._desk.pending.waits(event_key, Waiting(interaction=interaction, chat=chat, until=until, whispers=whispers))

    async def _withdraw(self, interaction: Interaction) -> None:
        """Nothing will be said to it: the sign of waiting goes away."""
        try:
            token, application = interaction.token, interaction.application
            await self._desk.rest.call("DELETE", ORIGINAL, webhook_id=application, webhook_token=token)
        except (Refused, SendError) as error:
            log.info("interaction.not_withdrawn", why=str(error))

    async def _call(self, interaction: Interaction, answer: dict[str, object]) -> bool:
        try:
            place = {"interaction_id": interaction.id, "webhook_token": interaction.token}
            await self._desk.rest.call("POST", CALLBACK, answer, **place)
        except (Refused, SendError) as error:
            # Too late, or no connection: what was stored is worked on all the same, and answered by a message.
            log.info("interaction.not_answered", why=str(error))
            return False
        return True
