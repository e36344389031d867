"""What a tool says while it runs."""

from base64 import urlsafe_b64encode
from dataclasses import dataclass
from hashlib import sha256
from itertools import count

from core.domain.chat import ChatKey
from core.domain.errors import ToolError
from core.domain.message import Reply
from core.ports import Clock, Say, Sayings
from core.runtime.frame import Frame
from core.runtime.patience import persist
from core.runtime.sender import Sender

STOPPED = "The turn was stopped: nothing was said."


@dataclass(frozen=True, slots=True, kw_only=True)
class Saying:
    """Writes what tools say and wakes the sender. A store that cannot be written now is waited for."""

    sayings: Sayings
    sender: Sender
    clock: Clock

    def of_call(self, frame: Frame, replay_key: str) -> Say:
        """The `say` of one call. The same call run again gives its words the same keys, in their order."""
        numbers = count()

        async def say(reply: Reply, to: ChatKey | None = None) -> None:
            key = _key(frame, replay_key, next(numbers))
            claim = frame.claim
            row = await persist(lambda: self.sayings.say(claim, reply, key=key, to=to), self.clock)
            if row is None:
                raise ToolError(STOPPED)
            self.sender.wake(row, to or claim.chat)

        return say


def _key(frame: Frame, replay_key: str, number: int) -> str:
    """As long as a random key. The chat and the time of the message keep the keys of two stores apart."""
    chat, head = frame.claim.chat, frame.tree.frames[0].current.said[0]
    place = (chat.channel, chat.account, chat.chat_id, chat.thread_id or "", str(head.at))
    digest = sha256("\0".join((*place, replay_key, str(number))).encode("utf-8", "surrogatepass")).digest()
    return urlsafe_b64encode(digest[:16]).decode().rstrip("=")
