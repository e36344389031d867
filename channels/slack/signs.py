"""What is shown beside the words: reactions, and the line under an assistant's thread."""

from typing import Final

from channels.slack.desk import Desk
from channels.slack.posts import require
from core.domain.chat import ChatKey
from core.domain.errors import NotSent
from core.domain.presence import Reaction

STATUS: Final = "is working on it..."
# Done before, or not there to be taken away.
HARMLESS: Final = ("already_reacted", "no_reaction")


async def react(desk: Desk, chat: ChatKey, message_id: str, reaction: Reaction, instead_of: Reaction | None) -> None:
    """The new one first, so that the message never stands without. Raises SendError."""
    require(desk, chat)
    await _sign(desk, "reactions.add", chat, message_id, reaction)
    if instead_of is not None and instead_of is not reaction:
        await _sign(desk, "reactions.remove", chat, message_id, instead_of)


async def status(desk: Desk, chat: ChatKey, *, on: bool) -> None:
    """Only threads of a direct conversation have such a line. Raises SendError."""
    if not (desk.settings.assistant_status and chat.thread_id and chat.chat_id.startswith("D")):
        return
    require(desk, chat)
    await desk.api.call(
        "assistant.threads.setStatus",
        channel_id=chat.chat_id,
        thread_ts=chat.thread_id,
        status=STATUS if on else "",
    )


async def _sign(desk: Desk, method: str, chat: ChatKey, message_id: str, reaction: Reaction) -> None:
    try:
        await desk.api.call(method, channel=chat.chat_id, timestamp=message_id, name=reaction.value)
    except NotSent as error:
        if not str(error).endswith(HARMLESS):
            raise
