"""A mailbox as a channel."""

from collections.abc import Sequence

from channels.contract import Accept, Finding, Limits
from channels.email import outbound, sending
from channels.email.checks import check
from channels.email.listening import Listener
from channels.email.where import CHANNEL
from core.domain.chat import ChatKey
from core.domain.delivery import Receipt, Settled
from core.domain.errors import Unreachable
from core.domain.message import Reply
from core.domain.pace import Once, Pace, Scope
from core.domain.presence import Rhythm
from core.ports import Lane

# Providers count by the day; this keeps a burst from looking like a spammer's.
PACES = (Pace(scope=Scope.CHAT, per_s=0.5, burst=10), Pace(scope=Scope.ACCOUNT, per_s=2.0, burst=30))


class EmailChannel:
    """One mailbox."""

    def __init__(self, listener: Listener) -> None:
        self._listener = listener
        self._desk = listener.desk
        settings = self._desk.settings
        self.limits = Limits(
            text=0,
            files=outbound.MOST_FILES,
            file_bytes=outbound.MOST_FILE_BYTES,
            threads=True,
            once=Once.REPEAT,
            rhythm=Rhythm(notice_s=settings.notice_after_min * 60),
        )
        self.lane = Lane(channel=CHANNEL, account=self._desk.context.account)

    def paces(self, chat: ChatKey) -> tuple[Pace, ...]:
        """The same everywhere."""
        return PACES

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
