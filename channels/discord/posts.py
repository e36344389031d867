"""Messages on their way out: sent once, and changed."""

from channels.discord.desk import Desk, target
from channels.discord.fields import Json, text
from channels.discord.outbound import DiscordPart, body, changed_body
from channels.discord.outgoing import MESSAGE, MESSAGES, files_of, open_thread
from channels.discord.pending import Waiting
from channels.discord.rest import GONE_TOKEN, NO_CHANNEL, TOO_LARGE, Refused
from channels.discord.settling import settle as settle
from core.domain.chat import ChatKey
from core.domain.delivery import Receipt
from core.domain.errors import Unreachable

ORIGINAL = "/webhooks/{webhook_id}/{webhook_token}/messages/@original"
FOLLOW_UP = "/webhooks/{webhook_id}/{webhook_token}"
EPHEMERAL = 1 << 6


async def send(desk: Desk, chat: ChatKey, part: DiscordPart, key: str) -> Receipt:
    """Under the nonce `key`: repeated within two minutes it is the same message. Raises SendError."""
    require(desk, chat)
    now = desk.context.clock.now()
    try:
        found = await desk.pending.found(chat, part.get("answers"), key, now)
        receipt = await _answer(desk, *found, part, key) if found is not None else None
        if receipt is not None:
            return receipt
        desk.attempts.begins(key, now)
        return await _post(desk, chat, part, {**body(part), "nonce": key, "enforce_nonce": True})
    except Refused as refused:
        raise refused.as_send_error() from refused


async def edit(desk: Desk, chat: ChatKey, receipt: Receipt, part: DiscordPart) -> Receipt:
    """The message says this from now on. Raises SendError."""
    require(desk, chat)
    files, notes = files_of(desk, chat, part)
    place = {"channel_id": target(chat), "message_id": receipt.message_id}
    try:
        await desk.rest.upload("PATCH", MESSAGE, changed_body(part, notes), files, **place)
    except Refused as refused:
        raise refused.as_send_error() from refused
    return receipt


def require(desk: Desk, chat: ChatKey) -> None:
    """Raises Unreachable for a chat of another bot, and for what is no channel of Discord at all."""
    if chat.account != desk.context.account:
        raise Unreachable(f"the bot {desk.context.account} does not speak for {chat.account}")
    if not target(chat).isdigit():
        raise Unreachable(f"{target(chat)} is no channel of Discord")


async def _post(desk: Desk, chat: ChatKey, part: DiscordPart, content: Json) -> Receipt:
    """Into the thread that it belongs into, which may have to be opened first."""
    try:
        return await _deliver(desk, chat, part, content)
    except Refused as refused:
        if chat.thread_id is None or refused.code != NO_CHANNEL:
            raise
    await open_thread(desk, chat.chat_id, chat.thread_id)
    return await _deliver(desk, chat, part, content)


async def _deliver(desk: Desk, chat: ChatKey, part: DiscordPart, content: Json) -> Receipt:
    files, notes = files_of(desk, chat, part)
    place = {"channel_id": target(chat)}
    try:
        return _receipt(await desk.rest.upload("POST", MESSAGES, {**content, **body(part, notes)}, files, **place))
    except Refused as refused:
        if refused.code != TOO_LARGE and refused.status != 413:
            raise
    # The guild takes less than it said: the text goes out all the same.
    notes = [desk.context.texts.say("file_too_large", name=one["name"]) for one in part["files"]]
    return _receipt(await desk.rest.upload("POST", MESSAGES, {**content, **body(part, notes)}, (), **place))


async def _answer(desk: Desk, event_key: str, waiting: Waiting, part: DiscordPart, key: str) -> Receipt | None:
    """By the interaction's token; None when that is good for nothing any more, or not for this part."""
    fills = waiting.fills and desk.pending.first(event_key, key)
    if not fills and not waiting.whispers:
        return None
    files, notes = files_of(desk, waiting.chat, part)
    content = body(part, notes)
    if not fills:
        content["flags"] = EPHEMERAL
    tokens = {"webhook_id": waiting.interaction.application, "webhook_token": waiting.interaction.token}
    method, path = ("PATCH", ORIGINAL) if fills else ("POST", FOLLOW_UP)
    try:
        return _receipt(await desk.rest.upload(method, path, content, files, **tokens))
    except Refused as refused:
        if refused.status not in (401, 404) and refused.code not in GONE_TOKEN:
            raise
    desk.pending.gone(event_key)
    return None


def _receipt(message: object) -> Receipt:
    return Receipt(message_id=(text(message, "id") if isinstance(message, dict) else None) or "")
