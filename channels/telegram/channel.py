"""A bot of Telegram as a channel."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from channels.contract import Accept, Finding, Limits
from channels.telegram import outbound
from channels.telegram.listening import Listener
from channels.telegram.outbound import TelegramPart
from channels.telegram.sending import Outgoing
from core.domain.chat import ChatKey
from core.domain.delivery import Receipt, Settled
from core.domain.pace import Pace, Scope
from core.domain.presence import Reaction
from core.ports import Lane

ONE_A_SECOND = Pace(scope=Scope.CHAT, per_s=1.0)
TWENTY_A_MINUTE = Pace(scope=Scope.CHAT, per_s=20 / 60, burst=20)
THIRTY_A_SECOND = Pace(scope=Scope.ACCOUNT, per_s=30.0, burst=30)


class Check(Protocol):
    """Finds out how the bot stands."""

    def __call__(self, *, deep: bool) -> Awaitable[Sequence[Finding]]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Ways:
    """What the channel works with."""

    outgoing: Outgoing
    listener: Listener
    check: Check
    close: Callable[[], Awaitable[None]]


class TelegramChannel:
    """Takes what people write to a bot, and writes as the bot.

    Telegram offers neither a key nor a read-back: what may have been sent stays unknown, and `Limits.once` says what
    becomes of it.
    """

    render = staticmethod(outbound.render)
    placeholder = staticmethod(outbound.placeholder)

    def __init__(self, lane: Lane, limits: Limits, ways: Ways) -> None:
        self.lane = lane
        self.limits = limits
        self.web = ways.listener.webhook.web
        self.draft = ways.listener.drafts.draft
        self.progress = ways.listener.drafts.draft
        self.drafts_in = ways.listener.drafts.here
        self._ways = ways

    async def listen(self, accept: Accept) -> None:
        """Until cancelled."""
        await self._ways.listener.listen(accept)

    async def close(self) -> None:
        """Give the connections back; nothing can be sent after it."""
        await self._ways.close()

    @property
    def serves(self) -> bool:
        """Whether updates come by webhook."""
        return self._ways.listener.webhook.serves

    async def check(self, *, deep: bool) -> Sequence[Finding]:
        """Token, privacy mode, webhook, rights."""
        return await self._ways.check(deep=deep)

    async def send(self, chat: ChatKey, part: TelegramPart, key: str) -> Receipt:
        """One message; the key is ours alone, since Telegram knows none."""
        return await self._ways.outgoing.send(chat, part)

    async def settle(self, chat: ChatKey, part: TelegramPart, key: str) -> Settled:
        """A bot cannot read a chat back."""
        return Settled.UNKNOWN

    async def edit(self, chat: ChatKey, receipt: Receipt, part: TelegramPart, key: str) -> Receipt:
        """The same edit twice is one."""
        return await self._ways.outgoing.edit(chat, receipt, part)

    async def delete(self, chat: ChatKey, receipt: Receipt) -> None:
        """Gone when this returns."""
        await self._ways.outgoing.delete(chat, receipt)

    async def typing(self, chat: ChatKey, *, on: bool) -> None:
        """The sign goes away by itself."""
        if on:
            await self._ways.outgoing.typing(chat)

    async def react(self, chat: ChatKey, message_id: str, reaction: Reaction, instead_of: Reaction | None) -> None:
        """The new one takes the place of the old one."""
        await self._ways.outgoing.react(chat, message_id, reaction)

    def paces(self, chat: ChatKey) -> tuple[Pace, ...]:
        """One a second in a chat, twenty a minute in a group, thirty a second in all: Telegram's own figures."""
        group = (TWENTY_A_MINUTE,) if chat.chat_id.startswith("-") else ()
        return (ONE_A_SECOND, *group, THIRTY_A_SECOND)
