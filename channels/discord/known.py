"""What the gateway has told of the places around a message, which the message itself does not say."""

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, replace

from channels.discord.fields import Json, inner, number_text, objects, text
from core.domain.chat import ChatKey, Principal

DM, GROUP_DM, FORUM, MEDIA = 1, 3, 15, 16
THREADS = frozenset({10, 11, 12})
REMEMBERED = 20_000
# Channels in which a message can open a thread.
OPEN = frozenset({0, 5})
FORUMS = frozenset({FORUM, MEDIA})


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A channel, a thread or a DM. `last` is the id of its newest message, as far as that was told."""

    id: str
    type: int
    name: str = ""
    guild: str | None = None
    parent: str | None = None
    last: str | None = None

    @property
    def is_thread(self) -> bool:
        """A thread or a forum post; `parent` is where it lives."""
        return self.type in THREADS


@dataclass(frozen=True, slots=True, kw_only=True)
class Guild:
    """A server. `ours` is the id of the role that it made for this bot, `boost` the tier of its premium."""

    id: str
    owner: str | None = None
    boost: int = 0
    ours: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Author:
    """Who said a message, and where: an edit does not always say it, a delete never."""

    chat: ChatKey
    sender: Principal


class Known:
    """Fed with every dispatch, in order. Of single messages it remembers the newest 20,000."""

    def __init__(self, *, me: str | None = None, name: str = "", role: str | None = None) -> None:
        self.me = me
        self.name = name
        self.role = role
        self.places: dict[str, Place] = {}
        self.guilds: dict[str, Guild] = {}
        self.names: dict[str, str] = {}
        self._authors: OrderedDict[str, Author] = OrderedDict()

    def learn(self, event: str, told: Json) -> None:
        """Take in what a dispatch tells; any other tells nothing."""
        match event:
            case "READY":
                user = inner(told, "user")
                self.me, self.name = text(user, "id") or self.me, text(user, "username") or ""
            case "GUILD_CREATE":
                self._learn_guild(told)
            case "GUILD_ROLE_CREATE" | "GUILD_ROLE_UPDATE":
                self._learn_roles(text(told, "guild_id") or "", [inner(told, "role")])
            case "CHANNEL_CREATE" | "CHANNEL_UPDATE" | "THREAD_CREATE" | "THREAD_UPDATE":
                self.learn_place(told)
            case "THREAD_LIST_SYNC":
                for thread in objects(told, "threads"):
                    self.learn_place({"guild_id": told.get("guild_id"), **thread})

    def learn_place(self, told: Json) -> Place | None:
        """A channel as a dispatch, an interaction or the API describes it. What it leaves out stays as it was."""
        found, kind = text(told, "id"), told.get("type")
        if found is None or not isinstance(kind, int):
            return None
        before = self.places.get(found) or Place(id=found, type=kind)
        place = Place(
            id=found,
            type=kind,
            name=text(told, "name") or before.name,
            guild=text(told, "guild_id") or before.guild,
            parent=text(told, "parent_id") or before.parent,
            last=number_text(told, "last_message_id") or before.last,
        )
        self.places[found] = place
        return place

    def said(self, message_id: str, author: Author) -> None:
        """Remember whose message it is."""
        self._authors[message_id] = author
        self._authors.move_to_end(message_id)
        if len(self._authors) > REMEMBERED:
            self._authors.popitem(last=False)

    def author(self, message_id: str) -> Author | None:
        """Who said it, if that is still known."""
        return self._authors.get(message_id)

    def readable(self, guild: str) -> Iterator[Place]:
        """The channels and threads of a guild that hold messages of their own."""
        for place in list(self.places.values()):
            if place.guild == guild and place.type not in FORUMS and place.last is not None:
                yield place

    def parents(self, guild: str) -> list[Place]:
        """Its channels that may have public threads, and in which anything was ever said."""
        here = [one for one in self.places.values() if one.guild == guild and one.last is not None]
        return [one for one in here if one.type in OPEN or one.type in FORUMS]

    def ours(self, guild: str | None) -> frozenset[str]:
        """The roles that stand for us there."""
        found = self.guilds.get(guild or "")
        return frozenset(one for one in (self.role, found.ours if found else None) if one)

    def _learn_guild(self, told: Json) -> None:
        guild = text(told, "id")
        if guild is None:
            return
        boost = told.get("premium_tier")
        known = Guild(id=guild, owner=text(told, "owner_id"), boost=boost if isinstance(boost, int) else 0)
        self.guilds[guild] = known
        self._learn_roles(guild, objects(told, "roles"))
        for place in (*objects(told, "channels"), *objects(told, "threads")):
            self.learn_place({**place, "guild_id": guild})

    def _learn_roles(self, guild: str, roles: list[Json]) -> None:
        for role in roles:
            self.names[text(role, "id") or ""] = text(role, "name") or ""
            if self.me and text(inner(role, "tags"), "bot_id") == self.me and guild in self.guilds:
                self.guilds[guild] = replace(self.guilds[guild], ours=text(role, "id"))
