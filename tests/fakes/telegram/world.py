"""What the bot's world holds: people, chats, messages, files, and the ledger of what the bot had accepted."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from tests.fakes.telegram.refused import bad, forbidden, moved
from tests.fakes.wire import Json, text_at

TOKEN = "110201543:fake-telegram-bot-token"
BOT = 110201543
BOT_NAME = "parley_bot"
INSIDE = ("creator", "administrator", "member", "restricted")


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """A user; `username` is without its @."""

    id: int
    first_name: str
    username: str = ""
    is_bot: bool = False

    def body(self) -> Json:
        """The User object."""
        body: Json = {"id": self.id, "is_bot": self.is_bot, "first_name": self.first_name}
        return body | ({"username": self.username} if self.username else {"language_code": "en"})


@dataclass(eq=False, slots=True)
class Chat:
    """A private chat (its id is the person's), group, supergroup (id -100...) or channel; `members` by user id.

    `closed` is why the bot may not write there, in the server's words: `bot was blocked by the user`. `moved_to` is the
    id of the supergroup that a group has become.
    """

    id: int
    kind: str = "private"
    title: str = ""
    username: str = ""
    forum: bool = False
    members: dict[int, str] = field(default_factory=dict)
    topics: dict[int, str] = field(default_factory=dict)
    messages: dict[int, Json] = field(default_factory=dict)
    closed: str = ""
    moved_to: int = 0
    next_message: int = 1

    def body(self) -> Json:
        """The Chat object."""
        body: Json = {"id": self.id, "type": self.kind}
        body |= {"first_name": self.title} if self.kind == "private" else {"title": self.title}
        if self.username:
            body["username"] = self.username
        return body | ({"is_forum": True} if self.forum else {})


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """A file by its id; `path` is what getFile tells."""

    id: str
    name: str
    data: bytes = field(repr=False)
    media_type: str = "application/octet-stream"

    @property
    def path(self) -> str:
        """Below /file/bot<token>/."""
        return f"documents/{self.id}_{self.name}"

    def body(self) -> Json:
        """As it stands in a message."""
        return {
            "file_id": self.id,
            "file_unique_id": f"u{self.id}",
            "file_size": len(self.data),
            "file_name": self.name,
            "mime_type": self.media_type,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """One call that changed what people see: the platform did it, whatever the caller heard."""

    method: str
    chat: int
    message_id: int
    text: str = ""
    thread: int | None = None
    message: Json = field(default_factory=dict, hash=False)


class World:
    """One bot and all that it can see. `now` is in seconds."""

    def __init__(self, *, now: Callable[[], float] = time.time) -> None:
        me = Person(id=BOT, first_name="Parley", username=BOT_NAME, is_bot=True)
        self.people: dict[int, Person] = {BOT: me}
        self.chats: dict[int, Chat] = {}
        self.files: dict[str, File] = {}
        self.ledger: list[Accepted] = []
        self.commands: dict[str, list[Json]] = {}
        self.queries: dict[str, Json] = {}
        self.now = now
        self.privacy = True
        self._counts: dict[str, int] = {}

    def person(self, user_id: int, first_name: str, *, username: str = "", started: bool = True) -> int:
        """Somebody; `started`: the bot may write to them, since they pressed Start. Returns the id."""
        self.people[user_id] = Person(id=user_id, first_name=first_name, username=username)
        if started:
            self.chats[user_id] = Chat(user_id, title=first_name, username=username, members={user_id: "member"})
        return user_id

    def group(self, chat: int, title: str, *members: int, kind: str = "supergroup", forum: bool = False) -> int:
        """A place with these people and the bot in it. Returns the id."""
        joined = {**dict.fromkeys(members, "member"), BOT: "member"}
        self.chats[chat] = Chat(chat, kind=kind, title=title, forum=forum, members=joined)
        return chat

    def chat(self, chat: str) -> Chat:
        """By id or @username. Raises chat not found."""
        names = (one for one in self.chats.values() if one.username and f"@{one.username}" == chat)
        found = self.chats.get(int(chat)) if chat.lstrip("-").isdigit() else next(names, None)
        if found is None and chat.isdigit() and int(chat) in self.people:
            raise forbidden("bot can't initiate conversation with a user")
        if found is None:
            raise bad("chat not found" if chat else "chat_id is empty")
        return found

    def writable(self, chat: str) -> Chat:
        """A chat that takes the bot's messages."""
        found = self.chat(chat)
        if found.moved_to:
            raise moved(found.moved_to)
        if found.closed:
            raise forbidden(found.closed)
        if found.kind != "private" and found.members.get(BOT) not in INSIDE:
            raise forbidden(f"bot is not a member of the {found.kind} chat")
        return found

    def count(self, what: str) -> int:
        """The next number of its kind, from 1."""
        self._counts[what] = self._counts.get(what, 0) + 1
        return self._counts[what]

    def new_message(self, chat: Chat, sender: int, **content: object) -> Json:
        """Stores a message with the next id of its chat: private chats count together, supergroups each for itself."""
        if chat.kind in ("supergroup", "channel"):
            number, chat.next_message = chat.next_message, chat.next_message + 1
        else:
            number = self.count("message")
        message: Json = {"message_id": number, "date": int(self.now()), "chat": chat.body()}
        message |= {"from": self.people[sender].body()} | content
        chat.messages[number] = message
        return message

    def keep(self, name: str, data: bytes, media_type: str = "application/octet-stream") -> File:
        """A file with an id of its own."""
        file = File(id=f"FILE{self.count('file')}", name=name, data=data, media_type=media_type)
        self.files[file.id] = file
        return file

    def accept(self, method: str, chat: Chat, message: Json) -> None:
        """Writes down that the platform did it."""
        thread = message.get("message_thread_id")
        number = message.get("message_id")
        self.ledger.append(
            Accepted(
                method=method,
                chat=chat.id,
                message_id=number if isinstance(number, int) else 0,
                text=text_at(message, "text") or text_at(message, "caption"),
                thread=thread if isinstance(thread, int) else None,
                message=dict(message),
            )
        )

    def shown(self, chat: int) -> list[str]:
        """The bot's words that stand in a chat now, oldest first."""
        mine = (one for one in self.chats[chat].messages.values() if text_at(one, "from", "id") == str(BOT))
        return [text_at(one, "text") or text_at(one, "caption") for one in mine]
