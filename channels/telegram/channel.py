"""A bot of Telegram as a channel."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from channels.contract import Limits
from channels.telegram import outbound
from channels.telegram.drafts import Drafts
from channels.telegram.listening import Listener
from channels.telegram.outbound import TelegramPart
from channels.telegram.sending import Gone, Outgoing
from channels.telegram.signs import Signs
from channels.telegram.webhook import Webhook
from core.bus import Accept
from core.domain.chat import ChatKey
from core.domain.delivery import Receipt, Settled
from core.domain.errors import Unreachable
from core.domain.message import Reply
from core.domain.pace import Pace, Scope
from core.domain.presence import Reaction
from core.ports import Lane

ONE_A_SECOND = Pace(scope=Scope.CHAT, per_s=1.0)
TWENTY_A_MINUTE = Pace(scope=Scope.CHAT, per_s=20 / 60, burst=20)
THIRTY_A_SECOND = Pace(scope=Scope.ACCOUNT, per_s=30.0, burst=30)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ways:
    """What the channel works with."""

    outgoing: Outgoing
    signs: Signs
    drafts: Drafts
    listener: Listener
    webhook: Webhook
    check: Callable[..., object]
    serves: bool


class TelegramChannel:
    """Says what people write to a bot, and writes for it."""

    def __init__(self, account: str, limits: Limits, ways: Ways) -> None:
        self.limits = limits
        self.lane = Lane(channel="telegram", account=account)
        self.serves = ways.serves
        self.check = ways.check
        self.web = ways.webhook.web
        self.draft = ways.drafts.draft
        self._ways = ways
