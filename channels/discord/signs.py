"""What is no message: typing, reactions, and taking a message away."""

from collections.abc import Mapping

from channels.discord.desk import Desk, target
from channels.discord.known import FORUMS
from channels.discord.outgoing import MESSAGE
from channels.discord.rest import Refused
from core.domain.chat import ChatKey
from core.domain.presence import Reaction

SIGNS: Mapping[Reaction, str] = {
    Reaction.QUEUED: "\u23f3",
    Reaction.TAKEN: "\U0001f440",
    Reaction.DONE: "\u2705",
    Reaction.FAILED: "\u274c",
}
OWN_SIGN = MESSAGE + "/reactions/{emoji}/@me"


async def delete(desk: Desk, chat: ChatKey, message_id: str) -> None:
    """One of our messages goes away."""
    await _call(desk, "DELETE", MESSAGE, {"channel_id": target(chat), "message_id": message_id}, gone=True)


async def typing(desk: Desk, chat: ChatKey) -> None:
    """Lasts ten seconds, and ends with the next message."""
    await _call(desk, "POST", "/channels/{channel_id}/typing", {"channel_id": target(chat)})


async def react(desk: Desk, chat: ChatKey, message_id: str, sign: Reaction, instead_of: Reaction | None) -> None:
    """The message that a thread was made from stands in the channel, the first one of a post in the post."""
    parent = desk.known.places.get(chat.chat_id)
    outside = chat.thread_id == message_id and (parent is None or parent.type not in FORUMS)
    place = {"channel_id": chat.chat_id if outside else target(chat), "message_id": message_id}
    await _call(desk, "PUT", OWN_SIGN, {**place, "emoji": SIGNS[sign]})
    if instead_of is not None:
        await _call(desk, "DELETE", OWN_SIGN, {**place, "emoji": SIGNS[instead_of]}, gone=True)


async def _call(desk: Desk, method: str, path: str, places: Mapping[str, str], *, gone: bool = False) -> None:
    """`gone`: no error where the thing is not there."""
    try:
        await desk.rest.call(method, path, **places)
    except Refused as refused:
        if not gone or refused.status != 404:
            raise refused.as_send_error() from refused
