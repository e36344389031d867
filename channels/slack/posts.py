"""Messages out: posted under a key, read back by it, changed and taken away.

The key goes along as metadata, which only apps see and which can be read back; it is what settles a part whose fate is
unknown. It goes along as client_msg_id too, a bonus: no document promises what Slack makes of that.
"""

import uuid
from typing import Final

from channels.slack.desk import Desk
from channels.slack.outbound import FilePart, SlackPart, TextPart, escaped
from channels.slack.raw import Json, objects_at, text_at
from core.domain.chat import ChatKey
from core.domain.delivery import Receipt, Settled
from core.domain.errors import SendError, Unacceptable, Unreachable

EVENT: Final = "parley_part"
PAGE: Final = 200
MOST_PAGES: Final = 10
# A delivery is given up after a day: nothing older can be what we look for.
LOOK_BACK_S: Final = 25 * 3_600
_NAMES: Final = uuid.UUID("6f1ad1a6-6f0e-4a5f-9a52-3f2a6e0c51d7")


async def send(desk: Desk, chat: ChatKey, part: SlackPart, key: str) -> Receipt:
    """One message. Raises SendError. A file that can never go out is told of in its place."""
    require(desk, chat)
    if part["kind"] == "text":
        return Receipt(message_id=await _post(desk, chat, part, key))
    try:
        return Receipt(message_id=await desk.uploads.share(chat, part, key))
    except (Unacceptable, Unreachable) as error:
        return Receipt(message_id=await _post(desk, chat, _instead(desk, part, error), key))


async def edit(desk: Desk, chat: ChatKey, receipt: Receipt, part: SlackPart, key: str) -> Receipt:
    """The message as it is from now on, its buttons gone unless the part has some. Raises SendError."""
    require(desk, chat)
    if part["kind"] != "text" or part["only_for"]:
        raise Unacceptable("a message of words becomes no file, and none that one person alone can see")
    await desk.api.call(
        "chat.update",
        channel=chat.chat_id,
        ts=receipt.message_id,
        text=part["text"],
        blocks=part["blocks"],
        metadata=_metadata(key),
    )
    return receipt


async def delete(desk: Desk, chat: ChatKey, message_id: str) -> None:
    """One of our messages goes away; no error when it is gone. Raises SendError."""
    require(desk, chat)
    try:
        await desk.api.call("chat.delete", channel=chat.chat_id, ts=message_id)
    except Unreachable as error:
        if "message_not_found" not in str(error):
            raise


async def settle(desk: Desk, chat: ChatKey, part: SlackPart, key: str) -> Settled:
    """By reading back. What one person alone could see, no history keeps."""
    require(desk, chat)
    if part["kind"] == "text" and part["only_for"]:
        return Settled.UNKNOWN
    try:
        messages, whole = await _recent(desk, chat)
    except SendError:
        return Settled.UNKNOWN
    if any(text_at(one, "metadata", "event_payload", "key") == key for one in messages):
        return Settled.SENT
    if part["kind"] == "file":
        shared = await desk.uploads.was_shared(key, list(messages))
        if shared is None:
            return _named(part, messages)
        if shared:
            return Settled.SENT
    return Settled.NOT_SENT if whole else Settled.UNKNOWN


def require(desk: Desk, chat: ChatKey) -> None:
    """Raises Unreachable for a chat of another account."""
    if chat.account != desk.context.account:
        raise Unreachable(f"this app is in the workspace {desk.context.account}, not in {chat.account}")


async def _post(desk: Desk, chat: ChatKey, part: TextPart, key: str) -> str:
    if part["only_for"] and not chat.chat_id.startswith("D"):
        hidden = await desk.api.call(
            "chat.postEphemeral",
            channel=chat.chat_id,
            user=part["only_for"],
            text=part["text"],
            blocks=part["blocks"] or None,
            thread_ts=chat.thread_id,
        )
        return text_at(hidden, "message_ts")
    posted = await desk.api.call(
        "chat.postMessage",
        channel=chat.chat_id,
        text=part["text"],
        blocks=part["blocks"] or None,
        thread_ts=chat.thread_id,
        metadata=_metadata(key),
        client_msg_id=str(uuid.uuid5(_NAMES, key)),
        unfurl_links=False,
        unfurl_media=False,
    )
    return text_at(posted, "ts")


def _metadata(key: str) -> Json:
    return {"event_type": EVENT, "event_payload": {"key": key}}


def _instead(desk: Desk, part: FilePart, error: SendError) -> TextPart:
    """What stands where a file cannot. The reason is ours or Slack's own word for it."""
    words = desk.context.texts.say("file_not_sent", name=part["name"], why=str(error))
    text = "\n".join(filter(None, [part["text"], escaped(words)]))
    return TextPart(kind="text", text=text, blocks=[], only_for="")


async def _recent(desk: Desk, chat: ChatKey) -> tuple[list[Json], bool]:
    """The messages of the chat's last day, and whether those are all."""
    oldest = f"{desk.context.clock.now() / 1000 - LOOK_BACK_S:.6f}"
    where = {"channel": chat.chat_id, "oldest": oldest, "limit": PAGE, "include_all_metadata": True}
    method = "conversations.history"
    if chat.thread_id:
        method, where = "conversations.replies", {**where, "ts": chat.thread_id}
    found: list[Json] = []
    cursor = ""
    for _ in range(MOST_PAGES):
        page = await desk.api.call(method, **where, cursor=cursor or None)
        found += objects_at(page, "messages")
        cursor = text_at(page, "response_metadata", "next_cursor")
        if not cursor:
            return found, True
    return found, False


def _named(part: FilePart, messages: list[Json]) -> Settled:
    """A file of an earlier process: where none of its name stands, it was not shared; where one does, who knows."""
    names = {text_at(file, "name") for one in messages for file in objects_at(one, "files")}
    return Settled.UNKNOWN if part["name"] in names else Settled.NOT_SENT
