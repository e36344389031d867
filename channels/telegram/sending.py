"""One part out by one call, and the little that may follow when Telegram says where it should have gone instead."""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from channels.telegram.calls import Api, Moved, NotModified, ThreadGone, Upload
from channels.telegram.outbound import TelegramPart, shown
from channels.telegram.raw import id_at
from channels.telegram.targets import Targets
from channels.telegram.uploads import contents
from core.domain.chat import ChatKey
from core.domain.delivery import Receipt
from core.domain.errors import RateLimited, Unacceptable, Unreachable, Unsure
from core.domain.presence import Reaction

TOPIC_GONE = "(its topic is gone)"
PHOTO_BYTES = 10_000_000
PHOTOS = (".jpg", ".jpeg", ".png", ".webp")
# Bots may use Telegram's own list of reactions only; these come nearest.
REACTIONS: Mapping[Reaction, str] = {
    Reaction.QUEUED: "✍",
    Reaction.TAKEN: "👀",
    Reaction.DONE: "👌",
    Reaction.FAILED: "💔",
}
# What answerCallbackQuery shows at most, in characters, and the receipt of what was shown so.
ALERT = 200
SHOWN_ONCE = "shown."
NO_PREVIEW = {"is_disabled": True}


class Outgoing:
    """Makes the calls of a chat."""

    def __init__(self, api: Api, targets: Targets, workspace: Path, most_bytes: int) -> None:
        self._api = api
        self._targets = targets
        self._workspace = workspace
        self._most = most_bytes

    async def send(self, chat: ChatKey, part: TelegramPart) -> Receipt:
        """The message.

        A refusal because of a group's new id or a deleted topic says that nothing was sent: then once more, to the new
        place or to the chat itself. Raises SendError.
        """
        if part["press"] and (receipt := await self._told(chat, part)):
            return receipt
        file = part["file"]
        upload = None
        if file is not None:
            data = await asyncio.to_thread(contents, self._workspace, file["path"], self._most)
            upload = Upload(name=file["name"], data=data)
        try:
            return await self._placed(chat, part, upload, chat.thread_id)
        except Moved as moved:
            self._targets.moved(chat, moved.moved_to)
            return await self._placed(chat, part, upload, chat.thread_id)
        except ThreadGone:
            text = f"{TOPIC_GONE}\n{part['text']}".rstrip()
            told: TelegramPart = {**part, "text": text}
            return await self._placed(chat, told, upload, None)

    async def _told(self, chat: ChatKey, part: TelegramPart) -> Receipt | None:
        """Shown to whoever pressed a button, and to nobody else. None when that is too late: then all may read it."""
        self._targets.of(chat)
        text = shown(part["text"])
        if len(text) > ALERT:
            return None
        arguments = {"callback_query_id": part["press"], "text": text, "show_alert": True}
        try:
            await self._api.call("answerCallbackQuery", arguments)
        except Unacceptable:
            return None
        return Receipt(message_id=f"{SHOWN_ONCE}{part['press']}")

    async def edit(self, chat: ChatKey, receipt: Receipt, part: TelegramPart) -> Receipt:
        """The same edit twice is one. Raises SendError."""
        if part["file"] is not None:
            raise Unacceptable("a message of words cannot become a file")
        if receipt.message_id.startswith(SHOWN_ONCE):
            raise Unreachable("what was shown to one person in a window cannot be changed")
        with suppress(NotModified):
            await self.call("editMessageText", chat, {**_body(part), "message_id": int(receipt.message_id)})
        return receipt

    async def delete(self, chat: ChatKey, receipt: Receipt) -> None:
        """No error when it is gone already. Raises SendError."""
        if receipt.message_id.startswith(SHOWN_ONCE):
            return
        with suppress(Unreachable):
            await self.call("deleteMessage", chat, {"message_id": int(receipt.message_id)})

    async def typing(self, chat: ChatKey) -> None:
        """The sign of it, for five seconds or until a message comes."""
        thread = int(chat.thread_id) if chat.thread_id else None
        await self.call("sendChatAction", chat, {"action": "typing", "message_thread_id": thread})

    async def react(self, chat: ChatKey, message_id: str, reaction: Reaction) -> None:
        """A bot has one reaction on a message: the new one takes the old one's place."""
        sign = [{"type": "emoji", "emoji": REACTIONS[reaction]}]
        await self.call("setMessageReaction", chat, {"message_id": int(message_id), "reaction": sign})

    async def call(self, method: str, chat: ChatKey, arguments: Mapping[str, object]) -> object:
        """A call about a chat; while Telegram wants quiet there, none. Raises SendError."""
        target = self._targets.of(chat)
        try:
            return await self._api.call(method, {"chat_id": target, **arguments})
        except RateLimited as exc:
            self._targets.quiet(chat, exc)
            raise

    async def _placed(self, chat: ChatKey, part: TelegramPart, upload: Upload | None, thread: str | None) -> Receipt:
        topic = {"message_thread_id": int(thread) if thread else None}
        if upload is None:
            return receipt_of(await self.call("sendMessage", chat, {**topic, **_body(part)}))
        where: dict[str, object] = {"chat_id": self._targets.of(chat), **topic, **_caption(part)}
        try:
            return receipt_of(await self._file(where, upload))
        except RateLimited as exc:
            self._targets.quiet(chat, exc)
            raise

    async def _file(self, arguments: Mapping[str, object], upload: Upload) -> object:
        """A picture as one, where Telegram takes it as one."""
        if upload.name.lower().endswith(PHOTOS) and len(upload.data) <= PHOTO_BYTES:
            # A refusal says that nothing was sent: too long or too narrow to be a photo, or none at all.
            with suppress(Unacceptable):
                return await self._api.call("sendPhoto", arguments, file=upload, field="photo")
        return await self._api.call("sendDocument", arguments, file=upload, field="document")


def receipt_of(result: object) -> Receipt:
    """By the message's id. Raises Unsure for an answer without one: something was sent."""
    message_id = id_at(result, "message_id") if isinstance(result, dict) else ""
    if not message_id:
        raise Unsure("Telegram answered without a message")
    return Receipt(message_id=message_id)


def _body(part: TelegramPart) -> dict[str, object]:
    return {
        "text": part["text"],
        "parse_mode": "HTML",
        "link_preview_options": NO_PREVIEW,
        "reply_markup": _keyboard(part),
    }


def _caption(part: TelegramPart) -> dict[str, object]:
    return {"caption": part["text"] or None, "parse_mode": "HTML", "reply_markup": _keyboard(part)}


def _keyboard(part: TelegramPart) -> dict[str, object] | None:
    """One button a line: labels may be long."""
    if not part["buttons"]:
        return None
    return {"inline_keyboard": [[{"text": one["label"], "callback_data": one["token"]}] for one in part["buttons"]]}
