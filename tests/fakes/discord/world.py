"""What stands on the platform: people, a guild with its channels, threads and messages; and what the app did there."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from tests.fakes.discord.refused import Refused, unknown
from tests.fakes.wire import Json, flag_at, objects_at, text_at

APP = "42000000000000000"
BOT = APP
TOKEN = "NDIwMDAwMDAwMDAwMDAwMDA.not-a.real-token"
GUILD = "70000000000000000"
OWNER = "10000000000000000"
EPOCH_MS = 1_420_070_400_000
TEXT, DM, PUBLIC_THREAD, FORUM = 0, 1, 11, 15
# What members of a new guild may do: see, write, read back, react, attach, embed, open threads and write in them,
# use commands.
MEMBER_RIGHTS = str(sum(1 << bit for bit in (6, 10, 11, 14, 15, 16, 31, 35, 38)))
CONTENT_FLAGS = (1 << 18) | (1 << 19)
NONCE_WINDOW_S = 180.0


def iso(seconds: float) -> str:
    """A time as Discord writes it."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="microseconds")


@dataclass(eq=False, slots=True)
class Place:
    """A channel, DM, thread or forum post. `denied` holds what the app may not do there: view, send, react, history."""

    data: Json
    messages: dict[str, Json] = field(default_factory=dict)
    denied: set[str] = field(default_factory=set)

    @property
    def id(self) -> str:
        """Its snowflake."""
        return text_at(self.data, "id")

    @property
    def kind(self) -> int:
        """Discord's number of the type."""
        kind = self.data["type"]
        assert isinstance(kind, int)
        return kind

    @property
    def is_thread(self) -> bool:
        """Threads and forum posts."""
        return self.kind == PUBLIC_THREAD


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """One thing that the platform did for the app: `what` is create, edit, delete, response or followup."""

    what: str
    channel: str
    id: str
    content: str
    nonce: str
    message: Json = field(hash=False)


class World:
    """`now` gives seconds since 1970 and is asked for every time; ids grow with it."""

    def __init__(self, *, now: Callable[[], float] = time.time) -> None:
        self.now = now
        self.ledger: list[Accepted] = []
        self.users: dict[str, Json] = {}
        self.places: dict[str, Place] = {}
        self.files: dict[str, bytes] = {}
        self.commands: dict[str, list[Json]] = {}
        self.content_intent = True
        self._last_id = 0
        self._nonces: dict[str, tuple[float, Json]] = {}
        self.person("parley", user_id=BOT, bot=True)
        self.person("owner", user_id=OWNER)

    def next_id(self) -> str:
        """A snowflake: later ones are greater."""
        self._last_id = max(self._last_id + 1, (int(self.now() * 1000) - EPOCH_MS) << 22)
        return str(self._last_id)

    def person(self, name: str, *, user_id: str = "", bot: bool = False, roles: tuple[str, ...] = ()) -> str:
        """A member of the guild. `dms` and `roles` of the stored user are ours, not Discord's."""
        user_id = user_id or self.next_id()
        user: Json = {"id": user_id, "username": name, "global_name": name.title(), "discriminator": "0"}
        self.users[user_id] = user | {"avatar": None, "bot": bot, "dms": True, "roles": list(roles)}
        return user_id

    def channel(self, name: str, *, forum: bool = False) -> str:
        """A channel of the guild."""
        data: Json = {"id": self.next_id(), "type": FORUM if forum else TEXT, "name": name, "guild_id": GUILD}
        data |= {"position": 0, "permission_overwrites": [], "topic": None, "nsfw": False, "parent_id": None}
        data |= {"rate_limit_per_user": 0, "last_message_id": None, "flags": 0}
        return self.add(data | ({"available_tags": [], "default_reaction_emoji": None} if forum else {}))

    def thread(self, parent: str, name: str, owner: str, *, thread_id: str = "") -> str:
        """A thread below a channel, or a post of a forum."""
        meta: Json = {"archived": False, "auto_archive_duration": 1440, "archive_timestamp": iso(self.now())}
        meta |= {"locked": False, "create_timestamp": iso(self.now())}
        data: Json = {"id": thread_id or self.next_id(), "type": PUBLIC_THREAD, "name": name, "guild_id": GUILD}
        data |= {"parent_id": parent, "owner_id": owner, "message_count": 0, "member_count": 1, "flags": 0}
        data |= {"total_message_sent": 0, "rate_limit_per_user": 0, "last_message_id": None, "thread_metadata": meta}
        return self.add(data)

    def direct(self, user_id: str) -> str:
        """The DM of the app with a person, opened when it is asked for first."""
        self.user(user_id)
        for place in self.places.values():
            if place.kind == DM and objects_at(place.data, "recipients")[0]["id"] == user_id:
                return place.id
        data: Json = {"id": self.next_id(), "type": DM, "last_message_id": None, "flags": 0}
        return self.add(data | {"recipients": [self.public(user_id)]})

    def add(self, data: Json) -> str:
        """A place by its own description."""
        place = Place(data)
        self.places[place.id] = place
        return place.id

    def user(self, user_id: str) -> Json:
        """Raises Unknown User."""
        if user_id not in self.users:
            raise unknown("User")
        return self.users[user_id]

    def public(self, user_id: str) -> Json:
        """What others see of a user."""
        return {key: value for key, value in self.user(user_id).items() if key not in ("dms", "roles")}

    def member(self, user_id: str) -> Json:
        """Somebody as a member of the guild, without the user inside."""
        member: Json = {"roles": self.user(user_id)["roles"], "joined_at": iso(0), "premium_since": None, "nick": None}
        return member | {"deaf": False, "mute": False, "flags": 0, "pending": False, "avatar": None}

    def place(self, channel: str, *, to: str = "view") -> Place:
        """Raises Unknown Channel, Missing Access, Missing Permissions, or that a person takes no DMs."""
        place = self.places.get(channel)
        if place is None:
            raise unknown("Channel")
        if "view" in place.denied:
            raise Refused(403, 50001, "Missing Access")
        if to in place.denied:
            raise Refused(403, 50013, "Missing Permissions")
        if to == "send":
            self._writable(place)
        return place

    def message(self, channel: str, message: str) -> Json:
        """Raises Unknown Message."""
        found = self.place(channel, to="history").messages.get(message)
        if found is None:
            raise unknown("Message")
        return found

    def seen(self, message: Json) -> Json:
        """The message as the app gets it: without words when it has no right to them."""
        allowed = self.content_intent or self.places[text_at(message, "channel_id")].kind == DM
        if (
            allowed
            or text_at(message, "author", "id") == BOT
            or any(m["id"] == BOT for m in objects_at(message, "mentions"))
        ):
            return message
        return message | {"content": "", "attachments": [], "embeds": [], "components": []}

    def repeated(self, nonce: str) -> Json | None:
        """The app's own message with this nonce, while Discord remembers it: some minutes."""
        at, message = self._nonces.get(nonce, (-NONCE_WINDOW_S, {}))
        return message if message and self.now() - at < NONCE_WINDOW_S else None

    def accept(self, what: str, message: Json, *, nonce: str = "") -> None:
        """Writes down that the platform did it."""
        if nonce:
            self._nonces[nonce] = (self.now(), message)
        channel, content = text_at(message, "channel_id"), text_at(message, "content")
        self.ledger.append(
            Accepted(
                what=what,
                channel=channel,
                id=text_at(message, "id"),
                content=content,
                nonce=nonce,
                message=dict(message),
            )
        )

    def shown(self, channel: str) -> list[Json]:
        """What stands in a place now and was written by the app, oldest first; nothing where there is no such place."""
        messages = self.places[channel].messages if channel in self.places else {}
        return [one for one in messages.values() if text_at(one, "author", "id") == BOT]

    def _writable(self, place: Place) -> None:
        if place.kind == FORUM:
            raise Refused(400, 50008, "Cannot send messages in a non-text channel")
        if place.kind == DM and not flag_at(self.user(text_at(objects_at(place.data, "recipients")[0], "id")), "dms"):
            raise Refused(403, 50007, "Cannot send messages to this user")
        if place.is_thread and flag_at(place.data, "thread_metadata", "locked"):
            raise Refused(400, 50083, "Thread is archived")
