"""A mailbox as a channel."""

from collections.abc import Sequence

from channels.contract import Accept, Finding
from channels.email import outbound, sending
from channels.email.checks import check
from channels.email.listening import Listener
from channels.email.manners import lane_of, limits_of, paces
from core.domain.chat import ChatKey
from core.domain.delivery import Receipt, Settled
from core.domain.errors import Unreachable
from core.domain.message import Reply


class EmailChannel:
    """One mailbox."""

    def __init__(self, listener: Listener) -> None:
        self._listener = listener
        self._desk = listener.desk
        self.limits = limits_of(self._desk.settings)
        self.lane = lane_of(self._desk.context.account)
        self.paces = paces

    async def listen(self, accept: Accept) -> None:
        """Until cancelled."""
        await self._listener.listen(accept)

    def render(self, reply: Reply) -> Sequence[outbound.EmailPart]:
        """One mail, of any length."""
        return outbound.render(reply)

    async def send(self, chat: ChatKey, part: outbound.EmailPart, key: str) -> Receipt:
        """Under a Message-ID that is the same on every attempt."""
        if not self.lane.serves(chat):
            raise Unreachable("this chat is of another mailbox")
        return await sending.send(self._desk, chat, part, key)

    async def settle(self, chat: ChatKey, part: outbound.EmailPart, key: str) -> Settled:
        """By what lies in the folder of sent mail."""
        return await sending.settle(self._desk, chat, part, key)

    async def check(self, *, deep: bool) -> Sequence[Finding]:
        """Login, IDLE, folders, submission, who verifies senders; `deep` sends a mail to ourselves and waits for it."""
        return await check(self._desk, deep=deep)
