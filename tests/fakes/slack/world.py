"""What a workspace holds: people, conversations, messages, files, and the ledger of what an app had accepted."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from tests.fakes.slack.refused import Refused
from tests.fakes.wire import Json, objects_at, text_at

TEAM = "T0TEAM0001"
APP = "A0APP00001"
BOT = "U0BOT00001"
BOT_ID = "B0BOT00001"
BOT_TOKEN = "xoxb-fake-bot-token"
APP_TOKEN = "xapp-fake-app-token"
SCOPES = (
    "app_mentions:read assistant:write channels:history channels:read chat:write commands files:read files:write "
    "groups:history groups:read im:history im:read im:write mpim:history mpim:read mpim:write reactions:read "
    "reactions:write users:read"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Somebody in the workspace, or a guest of another one."""

    id: str
    name: str
    team: str = TEAM
    is_bot: bool = False

    def body(self) -> Json:
        """As users.info tells it."""
        profile = {"display_name": self.name, "real_name": self.name.title()}
        return {
            "id": self.id,
            "team_id": self.team,
            "name": self.name,
            "is_bot": self.is_bot,
            "deleted": False,
            "is_stranger": self.team != TEAM,
            "tz": "Europe/Berlin",
            "profile": profile,
        }


@dataclass(eq=False, slots=True)
class Conversation:
    """A channel (C), a private one (G), a group of people (mpim) or a DM (im); `messages` by ts, oldest first."""

    id: str
    name: str = ""
    kind: str = "channel"
    members: set[str] = field(default_factory=set)
    archived: bool = False
    messages: dict[str, Json] = field(default_factory=dict)

    def body(self) -> Json:
        """As conversations.info tells it."""
        body: Json = {
            "id": self.id,
            "name": self.name,
            "is_channel": self.kind == "channel",
            "is_group": self.kind == "group",
            "is_im": self.kind == "im",
            "is_mpim": self.kind == "mpim",
            "is_private": self.kind != "channel",
            "is_archived": self.archived,
            "is_member": BOT in self.members,
        }
        if self.kind == "im":
            body["user"] = next(iter(sorted(self.members - {BOT})), "")
        return body

    def thread(self, root: str) -> list[Json]:
        """A message and the replies to it."""
        return [one for ts, one in self.messages.items() if ts == root or text_at(one, "thread_ts") == root]


@dataclass(eq=False, slots=True)
class Upload:
    """A file: announced, then uploaded, then shared."""

    id: str
    name: str
    length: int
    data: bytes = b""
    owner: str = BOT
    shared: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """One call that changed what people see: the platform did it, whatever the caller heard."""

    method: str
    channel: str
    ts: str
    text: str = ""
    thread_ts: str = ""
    message: Json = field(default_factory=dict, hash=False)


class World:
    """One workspace with one app in it. Times are given by `now`, in seconds; no two messages have the same ts."""

    def __init__(self, *, now: Callable[[], float] = time.time) -> None:
        self.people = {BOT: Person(id=BOT, name="parley", is_bot=True)}
        self.conversations: dict[str, Conversation] = {}
        self.files: dict[str, Upload] = {}
        self.ledger: list[Accepted] = []
        self.streaming: set[tuple[str, str]] = set()
        self.scopes = SCOPES.split()
        self.now = now
        self._last = 0

    def person(self, user_id: str, name: str, **more: str) -> str:
        """Somebody comes into the workspace. Returns the id."""
        self.people[user_id] = Person(id=user_id, name=name, team=more.get("team", TEAM))
        return user_id

    def conversation(self, channel: str, *members: str, kind: str = "channel", name: str = "", bot: bool = True) -> str:
        """A place with these people in it, and the app unless `bot` is false. Returns the id."""
        joined = {*members, BOT} if bot else set(members)
        self.conversations[channel] = Conversation(channel, name or channel.lower(), kind, joined)
        return channel

    def next_ts(self) -> str:
        """The time in microseconds, later than any before."""
        self._last = max(self._last + 100, int(self.now() * 1_000_000))
        return f"{self._last // 1_000_000}.{self._last % 1_000_000:06d}"

    def next_id(self, letter: str) -> str:
        """An id of this kind."""
        return f"{letter}0{self.next_ts().replace('.', '')[-9:]}"

    def place(self, channel: str) -> Conversation:
        """Raises channel_not_found for what is not there or cannot be seen."""
        found = self.conversations.get(channel) or self._direct(channel)
        if found is None or (found.kind != "channel" and BOT not in found.members):
            raise Refused("channel_not_found")
        return found

    def writable(self, channel: str) -> Conversation:
        """A place that the app may write to."""
        found = self.place(channel)
        if found.archived:
            raise Refused("is_archived")
        if BOT not in found.members and "chat:write.public" not in self.scopes:
            raise Refused("not_in_channel")
        return found

    def message(self, channel: str, ts: str) -> Json:
        """Raises message_not_found."""
        found = self.place(channel).messages.get(ts)
        if found is None:
            raise Refused("message_not_found")
        return found

    def need(self, *scopes: str) -> None:
        """Raises missing_scope unless the app has one of these."""
        if not set(scopes) & set(self.scopes):
            raise Refused("missing_scope", needed=scopes[0], provided=",".join(self.scopes))

    def accept(self, method: str, channel: str, message: Json) -> None:
        """Writes down that the platform did it."""
        self.ledger.append(
            Accepted(
                method=method,
                channel=channel,
                ts=text_at(message, "ts"),
                text=text_at(message, "text"),
                thread_ts=text_at(message, "thread_ts"),
                message=dict(message),
            )
        )

    def shown(self, channel: str) -> Iterator[Json]:
        """What stands in a conversation now and was written by the app, oldest first."""
        found = self.conversations[channel].messages.values()
        return (one for one in found if text_at(one, "user") == BOT)

    def reactions(self, channel: str, ts: str) -> set[str]:
        """The names of the app's signs on a message."""
        found = objects_at(self.message(channel, ts), "reactions")
        return {text_at(one, "name") for one in found if BOT in str(one.get("users"))}

    def _direct(self, user_id: str) -> Conversation | None:
        """A user's id stands for the DM with that user."""
        members = {user_id, BOT}
        return next((one for one in self.conversations.values() if one.kind == "im" and one.members == members), None)
