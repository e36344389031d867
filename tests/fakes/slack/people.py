"""What people do in a workspace: each changes the world and tells the app, as Slack would."""

import uuid
from collections.abc import Awaitable, Callable, Iterator, Sequence

from tests.fakes.slack import files
from tests.fakes.slack.events import Delivery, action_body, command_body, event_body
from tests.fakes.slack.sockets import Pending
from tests.fakes.slack.world import BOT, TEAM, Conversation, Person, Upload, World
from tests.fakes.wire import Json, object_at, objects_at, text_at

Tell = Callable[[Delivery], Awaitable[Pending | None]]
KINDS = {"channel": "channel", "group": "group", "im": "im", "mpim": "mpim"}


class People:
    """Hands for a test. `mention_first` turns the two events of one mention around."""

    def __init__(self, world: World, tell: Tell, base: Callable[[], str]) -> None:
        self.mention_first = False
        self.responses: dict[str, str] = {}
        self._world = world
        self._tell = tell
        self._base = base

    async def says(self, user: str, channel: str, text: str, **more: object) -> str:
        """A message; `more` are further fields of it, as thread_ts or subtype. A mention comes as a second event."""
        message: Json = {"type": "message", "user": user, "text": text, "ts": self._world.next_ts(), **more}
        message.setdefault("client_msg_id", str(uuid.uuid4()))
        message["team"] = self._person(user).team
        place = self._world.conversations[channel]
        place.messages[text_at(message, "ts")] = message
        for event in self._doubled(place, message):
            await self._event(event, user)
        return text_at(message, "ts")

    async def uploads(self, user: str, channel: str, name: str, data: bytes, text: str = "", **more: object) -> str:
        """A message with a file."""
        file = Upload(self._world.next_id("F"), name, len(data), data, user, shared=True)
        self._world.files[file.id] = file
        bodies = [files.body(file, self._base())]
        return await self.says(user, channel, text, subtype="file_share", files=bodies, upload=False, **more)

    async def edits(self, user: str, channel: str, ts: str, text: str) -> None:
        """An earlier message says something else now."""
        message = self._world.conversations[channel].messages[ts]
        before = dict(message)
        now = self._world.next_ts()
        message |= {"text": text, "edited": {"user": user, "ts": now}}
        changed: Json = {"subtype": "message_changed", "message": dict(message), "previous_message": before}
        await self._hidden(channel, changed, now, user)

    async def deletes(self, user: str, channel: str, ts: str) -> None:
        """An earlier message is gone."""
        before = self._world.conversations[channel].messages.pop(ts)
        deleted: Json = {"subtype": "message_deleted", "deleted_ts": ts, "previous_message": before}
        await self._hidden(channel, deleted, self._world.next_ts(), user)

    async def broadcasts(self, user: str, channel: str, thread_ts: str, text: str) -> str:
        """A reply in a thread that stands in the channel too."""
        root = self._world.conversations[channel].messages[thread_ts]
        return await self.says(user, channel, text, subtype="thread_broadcast", thread_ts=thread_ts, root=dict(root))

    async def reacts(self, user: str, channel: str, ts: str, name: str) -> None:
        """A sign on a message."""
        item: Json = {"type": "message", "channel": channel, "ts": ts}
        sign: Json = {"type": "reaction_added", "user": user, "reaction": name, "item": item, "item_user": BOT}
        await self._event(sign | {"event_ts": self._world.next_ts()}, user)

    async def commands(self, user: str, channel: str, command: str, text: str = "") -> Pending | None:
        """A slash command."""
        return await self._tell(command_body(self._person(user), channel, command, text, self._links(channel, "")))

    async def presses(self, user: str, channel: str, ts: str, action_id: str, option: str = "") -> Pending | None:
        """A press on a button of a message, or the choice of an option. Raises LookupError when it is not there."""
        message = self._world.conversations[channel].messages[ts]
        action = next(_actions(message, action_id), None)
        if action is None:
            raise LookupError(f"no {action_id} stands in {message}")
        if option:
            found = [one for one in objects_at(action, "options") if text_at(one, "value") == option]
            action = {**action, "selected_option": found[0]}
        action = {**action, "action_ts": self._world.next_ts()}
        links = self._links(channel, ts)
        return await self._tell(action_body(self._person(user), channel, dict(message), action, links))

    async def sends(self, event: Json, user: str = "") -> Pending | None:
        """Any event, as it is."""
        return await self._event(event, user)

    async def _hidden(self, channel: str, event: Json, now: str, user: str) -> None:
        kind = KINDS[self._world.conversations[channel].kind]
        frame: Json = {"type": "message", "hidden": True, "channel": channel, "ts": now, "event_ts": now}
        await self._event({**frame, "channel_type": kind, **event}, user)

    def _doubled(self, place: Conversation, message: Json) -> Iterator[Json]:
        """The events of one message: in a DM there is no app_mention."""
        more: Json = {"channel": place.id, "event_ts": message["ts"]}
        plain = {**message, **more, "channel_type": KINDS[place.kind]}
        both = [plain]
        if f"<@{BOT}" in text_at(message, "text") and place.kind != "im" and BOT in place.members:
            mention = {key: value for key, value in message.items() if key != "subtype"}
            both.append({**mention, **more, "type": "app_mention"})
        yield from reversed(both) if self.mention_first else both

    async def _event(self, event: Json, user: str) -> Pending | None:
        team = self._person(user).team
        return await self._tell(event_body(event, self._world.next_id("Ev"), self._world.now(), team))

    def _person(self, user: str) -> Person:
        return self._world.people.get(user) or Person(id=user, name=user.lower(), team=TEAM)

    def _links(self, channel: str, ts: str) -> tuple[str, str]:
        token = uuid.uuid4().hex
        self.responses[token] = f"{channel} {ts}"
        return f"{self._base()}/response/{token}", f"{token[:10]}.trigger"


def _actions(message: Json, action_id: str) -> Iterator[Json]:
    for block in objects_at(message, "blocks"):
        elements: Sequence[Json] = [*objects_at(block, "elements"), object_at(block, "accessory")]
        for element in elements:
            if text_at(element, "action_id") == action_id:
                yield {**element, "block_id": text_at(block, "block_id") or "b1"}
