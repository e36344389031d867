"""A Slack app in one workspace as a channel."""

from collections.abc import Sequence

from channels.contract import Accept, Finding, WebAnswer, WebRequest
from channels.slack import outbound, posts, signs
from channels.slack.listening import Listener
from channels.slack.manners import lane_of, limits_for, paces
from core.domain.chat import ChatKey
from core.domain.delivery import Receipt, Settled
from core.domain.message import Reply
from core.domain.presence import Reaction


class SlackChannel:
    """One app."""

    def __init__(self, listener: Listener) -> None:
        self.limits = limits_for(listener.desk.file_bytes)
        self.lane = lane_of(listener.desk.context.account)
        self.serves = listener.serves
        self.paces = paces
        self._listener = listener
        self._desk = listener.desk

    async def listen(self, accept: Accept) -> None:
        """Until cancelled. Raises SettingsError for a token that Slack refuses."""
        await self._listener.listen(accept)

    async def web(self, request: WebRequest) -> WebAnswer:
        """Signed posts only."""
        return await self._listener.web(request)

    def render(self, reply: Reply) -> Sequence[outbound.SlackPart]:
        """Messages of at most 4,000 characters, then files."""
        return outbound.render(reply)

    async def send(self, chat: ChatKey, part: outbound.SlackPart, key: str) -> Receipt:
        """With the key in its metadata, by which it can be found again."""
        return await posts.send(self._desk, chat, part, key)

    async def settle(self, chat: ChatKey, part: outbound.SlackPart, key: str) -> Settled:
        """By reading the chat's last day back."""
        return await posts.settle(self._desk, chat, part, key)

    async def edit(self, chat: ChatKey, receipt: Receipt, part: outbound.SlackPart, key: str) -> Receipt:
        """Unreachable for a message that is gone, or that Slack lets nobody edit any more."""
        return await posts.edit(self._desk, chat, receipt, part, key)

    async def delete(self, chat: ChatKey, receipt: Receipt) -> None:
        """One of our messages goes away."""
        await posts.delete(self._desk, chat, receipt.message_id)

    async def typing(self, chat: ChatKey, *, on: bool) -> None:
        """The line under an assistant's thread; nothing elsewhere, since Slack has no such sign for bots."""
        await signs.status(self._desk, chat, on=on)

    async def react(self, chat: ChatKey, message_id: str, reaction: Reaction, instead_of: Reaction | None) -> None:
        """Puts one there and takes the other away."""
        await signs.react(self._desk, chat, message_id, reaction, instead_of)

    async def check(self, *, deep: bool) -> Sequence[Finding]:
        """Tokens and scopes; `deep` posts, changes, reads back and deletes in `doctor_chat`."""
        return await self._listener.check(deep=deep)
