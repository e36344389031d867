"""What a mail can hold, and how fast mails may follow each other."""

from channels.contract import Limits
from channels.email.outbound import MOST_FILE_BYTES, MOST_FILES
from channels.email.settings import EmailSettings
from channels.email.where import CHANNEL
from core.domain.chat import ChatKey
from core.domain.pace import Once, Pace, Scope
from core.domain.presence import Rhythm
from core.ports import Lane

# Providers count by the day; this keeps a burst from looking like a spammer's.
PACES = (Pace(scope=Scope.CHAT, per_s=0.5, burst=10), Pace(scope=Scope.ACCOUNT, per_s=2.0, burst=30))


def paces(chat: ChatKey) -> tuple[Pace, ...]:
    """The same everywhere."""
    return PACES


def limits_of(settings: EmailSettings) -> Limits:
    """No limit to the text, nothing that could be changed once it is out."""
    return Limits(
        text=0,
        files=MOST_FILES,
        file_bytes=MOST_FILE_BYTES,
        threads=True,
        once=Once.REPEAT,
        rhythm=Rhythm(notice_s=settings.notice_after_min * 60),
    )


def lane_of(account: str) -> Lane:
    """All conversations of a mailbox."""
    return Lane(channel=CHANNEL, account=account)
