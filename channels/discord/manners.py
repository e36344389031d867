"""What Discord takes, and how fast."""

from channels.contract import Limits
from channels.discord.files import MOST_OUT
from channels.discord.outbound import IN_A_ROW, MOST_BUTTONS, MOST_FILES, MOST_TEXT
from channels.discord.where import CHANNEL
from core.domain.chat import ChatKey
from core.domain.pace import Pace, Scope
from core.domain.presence import Rhythm
from core.ports import Lane

LIMITS = Limits(
    text=MOST_TEXT,
    files=MOST_FILES,
    file_bytes=MOST_OUT,
    buttons=MOST_BUTTONS - IN_A_ROW,
    edits=True,
    threads=True,
    drafts=True,
    rhythm=Rhythm(typing_s=8.0),
)
# Discord says it in prose only: about five messages in five seconds a channel, fifty calls a second. What the headers
# of its answers say is kept to besides.
PACES = (Pace(scope=Scope.CHAT, per_s=1.0, burst=5), Pace(scope=Scope.ACCOUNT, per_s=45.0, burst=45))


def paces(chat: ChatKey) -> tuple[Pace, ...]:
    """What may go out without Discord having to say so: the same everywhere."""
    return PACES


def lane_of(account: str) -> Lane:
    """All chats of a bot."""
    return Lane(channel=CHANNEL, account=account)
