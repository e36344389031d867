"""What Slack takes, and how fast: https://docs.slack.dev/apis/web-api/rate-limits."""

from dataclasses import replace
from typing import Final

from channels.contract import Limits
from channels.slack.inbound import CHANNEL
from channels.slack.outbound import MOST_TEXT
from core.domain.chat import ChatKey
from core.domain.pace import Pace, Scope
from core.domain.presence import Rhythm
from core.ports import Lane

# One message a second in a conversation, a few more at once; several hundred a minute in the workspace.
PACES: Final = (Pace(scope=Scope.CHAT, per_s=1.0, burst=4), Pace(scope=Scope.ACCOUNT, per_s=8.0, burst=40))
# chat.update has its own fifty a minute.
RHYTHM: Final = Rhythm(typing_s=90.0, progress_s=10.0, change_s=3.0)
LIMITS: Final = Limits(
    text=MOST_TEXT, files=10, buttons=8, edits=True, threads=True, drafts=True, rhythm=RHYTHM, file_bytes=0
)


def limits_for(file_bytes: int) -> Limits:
    """With the largest file that the settings allow."""
    return replace(LIMITS, file_bytes=file_bytes)


def lane_of(account: str) -> Lane:
    """All chats of a workspace."""
    return Lane(channel=CHANNEL, account=account)


def paces(chat: ChatKey) -> tuple[Pace, ...]:
    """The same for every chat."""
    return PACES
