"""What is done with each dispatch, one after the other."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

import structlog

from channels.discord.answering import Answering
from channels.discord.desk import Desk
from channels.discord.fields import Json, inner, number_text, text, texts
from channels.discord.inbound import read
from channels.discord.incoming import Incoming
from channels.discord.interactions import COMPONENT, interaction_of
from channels.discord.journal import Journal
from channels.discord.known import DM, Author
from channels.discord.where import manner_of
from core.domain.message import Dropped, Inbound

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ways:
    """What a connection brings with it: `begins` with each new session, `guild` for each guild."""

    begins: Callable[[], Awaitable[None]]
    guild: Callable[[str], Awaitable[None]]


class Ears:
    """Reads, stores, and only then answers."""

    def __init__(self, desk: Desk, journal: Journal, ways: Ways) -> None:
        self._desk = desk
        self._known = desk.known
        self._manner = manner_of(desk.settings, desk.context)
        self._journal = journal
        self._ways = ways
        self._incoming = Incoming(desk)
        self._answering = Answering(desk)
        self._warned = False

    async def take(self, event: str, told: Json) -> None:
        """One dispatch of the gateway."""
        self._known.learn(event, told)
        match event:
            case "READY":
                await self._ways.begins()
            case "GUILD_CREATE":
                if guild := number_text(told, "id"):
                    await self._ways.guild(guild)
            case "MESSAGE_CREATE":
                await self.message(told)
            case "MESSAGE_UPDATE" | "MESSAGE_DELETE":
                await self._journal.store(read(event, told, self._known, self._manner))
            case "MESSAGE_DELETE_BULK":
                for one in texts(told, "ids"):
                    await self.take("MESSAGE_DELETE", {**told, "id": one})
            case "INTERACTION_CREATE":
                await self._interaction(told)

    async def _guild(self, guild: str | None) -> None:
        if guild is not None:
            await self._ways.guild(guild)

    async def message(self, told: Json) -> None:
        """A message, by the gateway or read back."""
        if self._journal.has(text(told, "id") or ""):
            return
        await self._place(told)
        event = read("MESSAGE_CREATE", told, self._known, self._manner)
        message_id, channel_id = text(told, "id") or "", text(told, "channel_id") or ""
        if isinstance(event, Inbound):
            event = await self._incoming.fetched(event, told)
            await self._stored(event, channel_id, message_id)
            self._known.said(message_id, Author(chat=event.chat, sender=event.sender))
            return
        if event.reason == "own":
            self._desk.attempts.hears(text(told, "nonce") or "", message_id)
            await self._journal.store(event)
            return
        self._warn(event)
        await self._stored(event, channel_id, message_id)

    async def _stored(self, event: Inbound | Dropped, channel_id: str, message_id: str) -> None:
        if message_id.isdigit() and channel_id.isdigit():
            await self._journal.read_up_to(event, channel_id, message_id)
        else:
            await self._journal.store(event)

    async def _place(self, told: Json) -> None:
        """A place that was never heard of: a DM is remembered, a thread is looked up."""
        channel_id = text(told, "channel_id")
        if channel_id is None or channel_id in self._known.places:
            return
        if text(told, "guild_id") is None:
            await self._journal.remember_direct(channel_id)
            self._known.learn_place({"id": channel_id, "type": DM})
        else:
            await self._incoming.look_up(channel_id)

    async def _interaction(self, told: Json) -> None:
        one = interaction_of(told)
        if one is not None and one.opens_form and one.type == COMPONENT:
            await self._answering.opens_form(one, text(inner(told, "message"), "content") or "")
            return
        manner = replace(self._manner, now=self._desk.context.clock.now())
        event = read("INTERACTION_CREATE", told, self._known, manner)
        if one is None or isinstance(event, Dropped):
            await self._journal.store(event)
            return
        if not event.shared:
            await self._place({"channel_id": event.chat.chat_id})
        # Discord itself tells the person when nothing answers; a press that comes again is another one.
        with self._desk.pending.coming(event.chat):
            accepted = await self._journal.offer(event)
            if accepted is not None:
                await self._answering.takes(one, event.event_key, event.chat, accepted)

    def _warn(self, event: Dropped) -> None:
        if event.reason == "content_hidden" and not self._warned:
            self._warned = True
            log.warning(
                "discord.content_hidden",
                fix="switch the message content intent on in the developer portal (Bot, Privileged Gateway Intents)",
            )
