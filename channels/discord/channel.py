"""A Discord bot as a channel."""

from collections.abc import Sequence

from channels.contract import Accept, Finding
from channels.discord import outbound, posts, signs
from channels.discord.listening import Listener
from channels.discord.manners import LIMITS, lane_of, paces
from core.domain.chat import ChatKey
from core.domain.delivery import Receipt, Settled
from core.domain.message import Reply
from core.domain.presence import Reaction


class DiscordChannel:
    """One bot."""

    def __init__(self, listener: Listener) -> None:
        self.limits = LIMITS
        self.lane = lane_of(listener.desk.context.account)
        self.paces = paces
        self._listener = listener
        self._desk = listener.desk

    async def listen(self, accept: Accept) -> None:
        """Until cancelled. Raises SettingsError for a token or an intent that Discord refuses."""
        await self._listener.listen(accept)

    def render(self, reply: Reply) -> Sequence[outbound.DiscordPart]:
        """Messages of at most 2,000 characters."""
        return outbound.render(reply)

    async def send(self, chat: ChatKey, part: outbound.DiscordPart, key: str) -> Receipt:
        """Under a nonce that Discord knows again for some minutes, so that a repeat is the same message."""
        return await posts.send(self._desk, chat, part, key)

    async def edit(self, chat: ChatKey, receipt: Receipt, part: outbound.DiscordPart, key: str) -> Receipt:
        """Unreachable for a message that is gone, or that Discord lets nobody edit any more for now."""
        return await posts.edit(self._desk, chat, receipt, part)

    async def settle(self, chat: ChatKey, part: outbound.DiscordPart, key: str) -> Settled:
        """NOT_SENT while the nonce makes a repeat harmless, later by reading back."""
        return await posts.settle(self._desk, chat, part, key)

    async def delete(self, chat: ChatKey, receipt: Receipt) -> None:
        """One of our messages goes away."""
        await signs.delete(self._desk, chat, receipt.message_id)

    async def typing(self, chat: ChatKey, *, on: bool) -> None:
        """Lasts ten seconds, and ends with the message."""
        if on:
            await signs.typing(self._desk, chat)

    async def react(self, chat: ChatKey, message_id: str, reaction: Reaction, instead_of: Reaction | None) -> None:
        """Puts one there and takes the other away."""
        await signs.react(self._desk, chat, message_id, reaction, instead_of)

    async def check(self, *, deep: bool) -> Sequence[Finding]:
        """Token, intents, and the rights in each channel; `deep` asks for the gateway as well."""
        return await self._listener.check(deep=deep)

    async def close(self) -> None:
        """The session with the API ends; the next call opens another."""
        await self._desk.rest.close()
