"""Where something happens and who does it: conversations, people and their standing. Pure."""

from dataclasses import dataclass

from channels.contract import ChannelContext
from channels.discord.fields import Json, inner, made_at, moment, number, text, texts
from channels.discord.known import DM, OPEN, Known, Place
from channels.discord.settings import DiscordSettings
from channels.discord.words import display_name
from core.domain.chat import ChatKey, Principal, SenderKind
from core.domain.message import Dropped

CHANNEL = "discord"
STARTER = 21


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """What the settings say about reading. `bots`: what other programs say counts too.

    `now` is the time of whoever reads: an interaction has none of its own.
    """

    account: str
    bots: bool = False
    auto_thread: bool = False
    forum_posts: bool = False
    now: int | None = None


def manner_of(settings: DiscordSettings, context: ChannelContext) -> Manner:
    """As the settings say it."""
    return Manner(
        account=context.account,
        bots=context.bots,
        auto_thread=settings.auto_thread,
        forum_posts=settings.answer_new_forum_posts,
    )


def chat_of(told: Json, known: Known, manner: Manner, *, opens: bool = False) -> ChatKey:
    """The conversation of something in a channel; `opens` says that it begins a thread of its own where that is set.

    A thread that is made from a message has that message's id.
    """
    channel_id, message_id = text(told, "channel_id") or "unknown", text(told, "id")
    place = known.places.get(channel_id) or _told_place(told)
    if place is not None and place.is_thread and place.parent:
        return ChatKey(channel=CHANNEL, account=manner.account, chat_id=place.parent, thread_id=channel_id)
    if not (opens and manner.auto_thread and _may_open(place, told, known)) and not _has_thread(told, known):
        message_id = None
    return ChatKey(channel=CHANNEL, account=manner.account, chat_id=channel_id, thread_id=message_id)


def _may_open(place: Place | None, told: Json, known: Known) -> bool:
    return is_shared(told, known) and (place is None or place.type in OPEN)


def _has_thread(told: Json, known: Known) -> bool:
    thread = known.places.get(text(told, "id") or "")
    return thread is not None and thread.is_thread and thread.parent == text(told, "channel_id")


def _told_place(told: Json) -> Place | None:
    """A thread whose own dispatch was never seen, by what a message says of the place that it refers to."""
    reference = inner(told, "message_reference")
    parent, channel_id = text(reference, "channel_id"), text(told, "channel_id")
    if number(told, "type") == STARTER and parent and channel_id:
        return Place(id=channel_id, type=11, parent=parent)
    return None


def is_shared(told: Json, known: Known) -> bool:
    """Whether others read along: everywhere but in a DM."""
    place = known.places.get(text(told, "channel_id") or "")
    return text(told, "guild_id") is not None or (place is not None and place.type != DM)


def sender_of(user: Json, member: Json, account: str) -> Principal:
    """Who speaks: rights hang on the id and on the ids of roles, never on a name."""
    return Principal(
        channel=CHANNEL,
        account=account,
        user_id=text(user, "id") or "unknown",
        name=display_name(user, member),
        kind=SenderKind.BOT if user.get("bot") is True else SenderKind.PERSON,
        roles=tuple(texts(member, "roles")),
    )


def rules_there(user_id: str, told: Json, known: Known) -> bool:
    place = known.places.get(text(told, "channel_id") or "")
    guild = known.guilds.get(text(told, "guild_id") or (place.guild if place else None) or "")
    return guild is not None and guild.owner == user_id


def dropped(reason: str, told: Json, manner: Manner, *, key: str | None = None) -> Dropped:
    message_id = text(told, "id") or "none"
    chat = ChatKey(channel=CHANNEL, account=manner.account, chat_id=text(told, "channel_id") or "unknown")
    at = moment(text(told, "timestamp")) or made_at(message_id)
    return Dropped(reason=reason, event_key=key or message_id, chat=chat, at=at)
