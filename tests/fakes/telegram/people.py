"""What people do: each changes the world and becomes an update, as Telegram makes it."""

import re
from collections.abc import Awaitable, Callable

from tests.fakes.telegram.entities import units
from tests.fakes.telegram.world import BOT, Chat, World
from tests.fakes.wire import Json, objects_at, text_at

Tell = Callable[[str, Json], Awaitable[int]]
SPECIAL = re.compile(
    r"(?P<bot_command>(?:^|(?<=\s))/\w+(?:@\w+)?)|(?P<mention>(?:^|(?<=\W))@\w{3,})|(?P<url>https?://\S+)"
)
BY_ID = 2**40


class People:
    """Hands for a test. Each returns the id of the message that it made or changed."""

    def __init__(self, world: World, tell: Tell) -> None:
        self._world = world
        self._tell = tell

    async def says(self, user: int, chat: int, text: str, **more: object) -> int:
        """A message; `more` are further fields of it, as message_thread_id. Special words have their entities.

        In a group with privacy mode the bot hears only what is said to it.
        """
        place = self._world.chats[chat]
        content: Json = {"text": text} | more
        if found := special(text):
            content.setdefault("entities", found)
        message = self._world.new_message(place, user, **content)
        if self._hears(place, message):
            await self._tell("message", dict(message))
        return int(text_at(message, "message_id"))

    async def replies(self, user: int, chat: int, to: int, text: str, **more: object) -> int:
        """A message in answer to another."""
        return await self.says(user, chat, text, reply_to_message=dict(self._world.chats[chat].messages[to]), **more)

    async def sends_file(
        self, user: int, chat: int, name: str, data: bytes, *, kind: str = "document", **more: object
    ) -> int:
        """A file; `kind` is its field in the message, `more` has its caption, say."""
        body = self._world.keep(name, data).body()
        content: Json = {kind: [{**body, "width": 90, "height": 90}] if kind == "photo" else body}
        message = self._world.new_message(self._world.chats[chat], user, **content, **more)
        await self._tell("message", dict(message))
        return int(text_at(message, "message_id"))

    async def edits(self, user: int, chat: int, message_id: int, text: str) -> int:
        """An earlier message says something else now."""
        message = self._world.chats[chat].messages[message_id]
        message |= {"text": text, "entities": special(text), "edit_date": int(self._world.now())}
        await self._tell("edited_message", {key: value for key, value in message.items() if value != []})
        return message_id

    async def presses(self, user: int, chat: int, message_id: int, label: str) -> str:
        """A button of a message. Returns the query's id. Raises LookupError when it is not there."""
        message = self._world.chats[chat].messages[message_id]
        rows = message.get("reply_markup", {})
        buttons = [one for row in _rows(rows) for one in row if text_at(one, "text") == label]
        if not buttons:
            raise LookupError(f"no {label} stands in {message}")
        return await self.calls_back(user, chat, message_id, text_at(buttons[0], "callback_data"))

    async def calls_back(self, user: int, chat: int, message_id: int, data: str) -> str:
        """A press with this data, whether there is such a button or not."""
        query_id = str(BY_ID + self._world.count("query"))
        message = self._world.chats[chat].messages[message_id]
        self._world.queries[query_id] = {"chat": chat, "asked_at": float(self._world.now())}
        person = self._world.people[user].body()
        query: Json = {"id": query_id, "from": person, "message": dict(message), "chat_instance": "1", "data": data}
        await self._tell("callback_query", query)
        return query_id

    async def reacts(self, user: int, chat: int, message_id: int, emoji: str) -> None:
        """A sign on a message; told only to who asked for these."""
        sign: Json = {"chat": self._world.chats[chat].body(), "message_id": message_id, "date": int(self._world.now())}
        sign |= {"user": self._world.people[user].body(), "old_reaction": []}
        await self._tell("message_reaction", sign | {"new_reaction": [{"type": "emoji", "emoji": emoji}]})

    async def joins(self, user: int, chat: int) -> None:
        """Somebody comes into a group; the bot, when it is BOT."""
        await self._becomes(user, chat, "member")

    async def leaves(self, user: int, chat: int) -> None:
        """Somebody leaves, or the bot is removed."""
        place = self._world.chats[chat]
        if user == BOT:
            place.closed = f"bot was kicked from the {place.kind} chat"
        await self._becomes(user, chat, "kicked" if user == BOT else "left")

    async def blocks(self, user: int) -> None:
        """The bot may not write to this person any more."""
        self._world.chats[user].closed = "bot was blocked by the user"
        await self._becomes(BOT, user, "kicked")

    async def unblocks(self, user: int) -> None:
        """It may again."""
        self._world.chats[user].closed = ""
        await self._becomes(BOT, user, "member")

    async def topic(self, user: int, chat: int, name: str) -> int:
        """A new topic. Returns its thread id."""
        place = self._world.chats[chat]
        message = self._world.new_message(place, user, forum_topic_created={"name": name, "icon_color": 7322096})
        thread = int(text_at(message, "message_id"))
        place.topics[thread] = name
        message |= {"message_thread_id": thread, "is_topic_message": True}
        await self._tell("message", dict(message))
        return thread

    async def migrates(self, old: int, new: int) -> None:
        """A group becomes a supergroup with another id: told in both, and the old one takes nothing any more."""
        place = self._world.chats[old]
        self._world.chats[new] = Chat(new, kind="supergroup", title=place.title, members=dict(place.members))
        by = next(user for user in place.members if user != BOT)
        there = self._world.new_message(place, by, migrate_to_chat_id=new)
        here = self._world.new_message(self._world.chats[new], by, migrate_from_chat_id=old)
        place.moved_to = new
        for message in (there, here):
            await self._tell("message", dict(message))

    async def _becomes(self, user: int, chat: int, status: str) -> None:
        place, person = self._world.chats[chat], self._world.people[user].body()
        before = place.members.get(user, "left")
        place.members[user] = status
        by = self._world.people[chat].body() if place.kind == "private" else person
        change: Json = {"chat": place.body(), "from": by, "date": int(self._world.now())}
        change |= {"old_chat_member": {"user": person, "status": before}}
        change |= {"new_chat_member": {"user": person, "status": status}}
        await self._tell("my_chat_member" if user == BOT else "chat_member", change)
        if place.kind != "private" and user != BOT:
            fields = {"new_chat_members": [person]} if status == "member" else {"left_chat_member": person}
            await self._tell("message", dict(self._world.new_message(place, user, **fields)))

    def _hears(self, place: Chat, message: Json) -> bool:
        """https://core.telegram.org/bots/features#privacy-mode"""
        me = self._world.people[BOT]
        if place.kind == "private" or not self._world.privacy or place.members.get(BOT) in ("administrator", "creator"):
            return True
        to_us = text_at(message, "reply_to_message", "from", "id") == str(BOT)
        commands = any(one["type"] == "bot_command" for one in objects_at(message, "entities"))
        return to_us or commands or f"@{me.username}" in text_at(message, "text")


def special(text: str) -> list[Json]:
    """The entities that Telegram finds by itself, in UTF-16 units."""
    found: list[Json] = []
    for one in SPECIAL.finditer(text):
        where: Json = {"offset": units(text[: one.start()]), "length": units(one[0])}
        found.append({"type": str(one.lastgroup)} | where)
    return found


def _rows(markup: object) -> list[list[Json]]:
    rows = markup.get("inline_keyboard") if isinstance(markup, dict) else None
    return [[one for one in row if isinstance(one, dict)] for row in rows] if isinstance(rows, list) else []
