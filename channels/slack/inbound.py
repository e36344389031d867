"""Pure: what Slack sends -> what it means. Nothing here ever raises over what came in.

Facts: https://docs.slack.dev/reference/events/message. One gesture may come several times: as `message` and as
`app_mention`, as a retry, or with another ts and the same client_msg_id. A message's name is its conversation and ts.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from channels.slack.raw import Json, at, object_at, objects_at, text_at
from channels.slack.shared_files import attachments
from channels.slack.words import NOBODY, Names, mentions, spoken
from core.domain.chat import ChatKey, Principal, SenderKind
from core.domain.command import COMMANDS
from core.domain.message import CursorMove, Dropped, Inbound, InboundKind

CHANNEL = "slack"
PRESS = "press"
SLASH = "slash"
ACTION = "parley"

SAID = frozenset({"", "file_share", "thread_broadcast", "me_message", "bot_message"})
TURN = frozenset({"message", "app_mention"})
NAMES = frozenset(spec.name for spec in COMMANDS if not spec.terminal_only)
# What tells of the life of a workspace and asks for nothing.
NOISE = frozenset(
    {"reaction_added", "reaction_removed", "assistant_thread_started", "assistant_thread_context_changed"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Me:
    """What the platform calls us."""

    user_id: str
    team_id: str
    bot_id: str = ""
    app_id: str = ""

    def is_of(self, user: str, bot: str) -> bool:
        """Whether these ids are ours; an empty one is nobody's."""
        return user == self.user_id or (bool(bot) and bot == self.bot_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """How to read: whether other programs count, and whether a root message that is for us opens a thread."""

    bots: bool = False
    reply_in_thread: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """One delivery and what is known around it; `me` is None where nobody said who we are."""

    body: Mapping[str, Any] = field(hash=False)
    me: Me | None
    manner: Manner = Manner()
    names: Names = NOBODY

    @property
    def event(self) -> Json:
        """The event of an Events API body."""
        return object_at(self.body, "event")

    @property
    def account(self) -> str:
        """The team."""
        if self.me:
            return self.me.team_id
        granted = text_at(self.body, "authorizations", 0, "team_id")
        return granted or text_at(self.body, "team_id") or text_at(self.body, "team", "id")

    def person(self, user: str, kind: SenderKind = SenderKind.PERSON) -> Principal:
        """By id, with the name where it is known."""
        name = self.names.users.get(user, "")
        return Principal(channel=CHANNEL, account=self.account, user_id=user, name=name, kind=kind)

    def chat(self, channel: str, thread: str | None = None) -> ChatKey:
        """A conversation, or a thread of one."""
        return ChatKey(channel=CHANNEL, account=self.account, chat_id=channel, thread_id=thread)

    def dropped(self, reason: str, key: str, channel: str = "", at: int = 0) -> Dropped:
        """Why nothing follows."""
        return Dropped(reason=reason, event_key=key, chat=self.chat(channel or "unknown"), at=at)


def me_in(body: Json) -> Me | None:
    """Who we are, where the event says so."""
    for one in objects_at(body, "authorizations"):
        if at(one, "is_bot") is True and text_at(one, "user_id"):
            return Me(
                user_id=text_at(one, "user_id"), team_id=text_at(one, "team_id"), app_id=text_at(body, "api_app_id")
            )
    return None


def read(frame: Frame) -> Inbound | Dropped:
    """Any body: an event, a slash command, a press on a button, or something else."""
    body = frame.body
    if text_at(body, "type") == "event_callback":
        return _event(frame)
    if text_at(body, "type") == "block_actions":
        return _press(frame)
    if text_at(body, "command"):
        return _slash(frame)
    return frame.dropped("unsupported" if text_at(body, "type") else "malformed", _digest(body))


def milliseconds(ts: str) -> int:
    """A ts is seconds with six places; 0 for what is none."""
    seconds, _, rest = ts.partition(".")
    if not (seconds.isascii() and seconds.isdigit() and rest.isascii() and rest.isdigit()) or len(seconds) > 12:
        return 0
    return int(seconds) * 1000 + int((rest + "000")[:3])


def is_direct(event: Json) -> bool:
    """A conversation with nobody else in it; app_mention does not always say what kind of place it comes from."""
    kind = text_at(event, "channel_type")
    return kind == "im" if kind else text_at(event, "channel").startswith("D")


def _event(frame: Frame) -> Inbound | Dropped:
    event, kind = frame.event, text_at(frame.event, "type")
    channel = text_at(event, "channel") or text_at(event, "item", "channel")
    key = f"event:{text_at(frame.body, 'event_id') or _digest(frame.body)}"
    when = milliseconds(text_at(event, "event_ts") or text_at(event, "ts"))
    if kind not in TURN:
        return frame.dropped(_no_words(kind), key, channel, when)
    if not channel or not when:
        return frame.dropped("malformed", key, channel)
    match text_at(event, "subtype"):
        case "message_changed":
            return _changed(frame, key, when)
        case "message_deleted":
            return _deleted(frame, key, when)
        case subtype if subtype in SAID:
            return _said(frame, when)
    return frame.dropped("noise", key, channel, when)


def _no_words(kind: str) -> str:
    if kind in NOISE:
        return "noise"
    return "unsupported" if kind else "malformed"


def _said(frame: Frame, when: int) -> Inbound | Dropped:
    event = frame.event
    channel, ts = text_at(event, "channel"), text_at(event, "ts")
    key = f"{channel}:{ts}"
    if reason := _not_a_person(frame, event):
        return frame.dropped(reason, key, channel, when)
    direct, raw = is_direct(event), text_at(event, "text")
    user = text_at(event, "user") or text_at(event, "bot_id")
    client = text_at(event, "client_msg_id")
    return Inbound(
        event_key=key,
        chat=_chat_of(frame, event, direct=direct),
        sender=frame.person(user, SenderKind.BOT if text_at(event, "bot_id") else SenderKind.PERSON),
        content=spoken(raw, frame.names, frame.me.user_id if frame.me else ""),
        at=when,
        attachments=attachments(event),
        message_id=ts,
        addressed=_addressed(frame, event, direct=direct),
        shared=not direct,
        place=None if direct else channel,
        twins=(f"{user}:{client}",) if client else (),
        cursor=CursorMove(scope=channel, value=ts),
    )


def _not_a_person(frame: Frame, message: Json) -> str:
    """`own`, `bot`, or "" for a person, and for a bot where those count. Raw fields only: names prove nothing."""
    user, bot = text_at(message, "user"), text_at(message, "bot_id")
    if not user and not bot:
        return "malformed"
    if frame.me and frame.me.is_of(user, bot):
        return "own"
    is_bot = bool(bot) or text_at(message, "subtype") == "bot_message"
    return "bot" if is_bot and not frame.manner.bots else ""


def _addressed(frame: Frame, message: Json, *, direct: bool) -> bool | None:
    if direct or text_at(frame.event, "type") == "app_mention":
        return True
    if frame.me is None:
        return None
    answered = text_at(message, "parent_user_id") == frame.me.user_id
    return answered or mentions(text_at(message, "text"), frame.me.user_id)


def _chat_of(frame: Frame, message: Json, *, direct: bool) -> ChatKey:
    """The thread, or the one that a root message opens. `channel` stands in the event, never in the message."""
    channel, ts, thread = text_at(frame.event, "channel"), text_at(message, "ts"), text_at(message, "thread_ts")
    if thread and thread != ts:
        return frame.chat(channel, thread)
    opens = not direct and frame.manner.reply_in_thread and _addressed(frame, message, direct=direct)
    return frame.chat(channel, ts if opens else None)


def _changed(frame: Frame, key: str, when: int) -> Inbound | Dropped:
    event = frame.event
    message, before = object_at(event, "message"), object_at(event, "previous_message")
    channel, ts = text_at(event, "channel"), text_at(message, "ts")
    if text_at(message, "subtype") == "tombstone":
        return _deleted(frame, key, when)
    if reason := _not_a_person(frame, message):
        return frame.dropped(reason, key, channel, when)
    edited = text_at(message, "edited", "ts")
    if not edited or (before and text_at(before, "text") == text_at(message, "text")):
        # A preview was added, or somebody answered below it.
        return frame.dropped("noise", key, channel, when)
    direct = is_direct(event)
    return Inbound(
        event_key=f"{channel}:{ts}:edit:{edited}",
        chat=_chat_of(frame, before or message, direct=direct),
        sender=frame.person(text_at(message, "edited", "user") or text_at(message, "user")),
        content=spoken(text_at(message, "text"), frame.names, frame.me.user_id if frame.me else ""),
        at=when,
        kind=InboundKind.EDIT,
        attachments=attachments(message),
        message_id=ts,
        addressed=_addressed(frame, message, direct=direct),
        shared=not direct,
        place=None if direct else channel,
    )


def _deleted(frame: Frame, key: str, when: int) -> Inbound | Dropped:
    """Slack does not tell who deleted it: only its author and those who rule the workspace can."""
    event = frame.event
    before = object_at(event, "previous_message")
    channel, ts = text_at(event, "channel"), text_at(event, "deleted_ts") or text_at(before, "ts")
    if not ts or not text_at(before, "user"):
        return frame.dropped("noise", key, channel, when)
    if reason := _not_a_person(frame, before):
        return frame.dropped(reason, key, channel, when)
    direct = is_direct(event)
    return Inbound(
        event_key=f"{channel}:{ts}:deleted",
        chat=_chat_of(frame, before, direct=direct),
        sender=frame.person(text_at(before, "user")),
        content="",
        at=when,
        kind=InboundKind.DELETE,
        message_id=ts,
        addressed=_addressed(frame, before, direct=direct),
        shared=not direct,
        place=None if direct else channel,
    )


def _slash(frame: Frame) -> Inbound | Dropped:
    """Slack takes no slash command in a thread, and tells no time of one. Other words behind it are a message."""
    body = frame.body
    channel, user = text_at(body, "channel_id"), text_at(body, "user_id")
    said, is_command = _slashed(text_at(body, "command"), spoken(text_at(body, "text"), frame.names))
    key = f"{SLASH}:{user}:{channel}:{text_at(body, 'trigger_id') or _digest(body)}"
    if not channel or not user:
        return frame.dropped("malformed", key, channel)
    direct = channel.startswith("D")
    return Inbound(
        event_key=key,
        chat=frame.chat(channel),
        sender=frame.person(user),
        content=said,
        at=0,
        kind=InboundKind.COMMAND if is_command else InboundKind.MESSAGE,
        shared=not direct,
        place=None if direct else channel,
    )


def _slashed(command: str, text: str) -> tuple[str, bool]:
    """`/parley stop`, or `/stop` where an operator made one of it; alone it asks for help."""
    named = command.removeprefix("/").lower()
    if named in NAMES:
        return f"/{named} {text}".strip(), True
    words = text.removeprefix("/").removeprefix("!") or "help"
    return (f"/{words}", True) if words.split()[0].lower() in NAMES else (text, False)


def _press(frame: Frame) -> Inbound | Dropped:
    """A button of ours: its value is the token of an answer."""
    body, action = frame.body, object_at(frame.body, "actions", 0)
    channel = text_at(body, "container", "channel_id") or text_at(body, "channel", "id")
    ts = text_at(body, "container", "message_ts") or text_at(body, "message", "ts")
    user, pressed = text_at(body, "user", "id"), text_at(action, "action_ts")
    key = f"{PRESS}:{user}:{channel}:{ts}:{pressed or _digest(body)}"
    if not all((channel, ts, user, _token(action))):
        return frame.dropped("unsupported" if action else "malformed", key, channel, milliseconds(pressed))
    direct = channel.startswith("D")
    return Inbound(
        event_key=key,
        chat=frame.chat(channel, _thread_of_card(body, ts)),
        sender=frame.person(user),
        content=_token(action),
        at=milliseconds(pressed),
        kind=InboundKind.BUTTON,
        message_id=ts,
        shared=not direct,
        place=None if direct else channel,
    )


def _token(action: Json) -> str:
    ours = text_at(action, "action_id").partition(":")[0] == ACTION
    return text_at(action, "value") if ours else ""


def _thread_of_card(body: Json, ts: str) -> str | None:
    thread = text_at(body, "container", "thread_ts") or text_at(body, "message", "thread_ts")
    return thread if thread and thread != ts else None


def _digest(body: Json) -> str:
    return hashlib.sha256(json.dumps(body, sort_keys=True, default=str).encode()).hexdigest()[:32]
