"""What was said while nobody was connected, read by REST: of each channel, from the newest stored message on."""

from collections.abc import Awaitable, Callable, Sequence

import structlog

from channels.discord.desk import Desk
from channels.discord.fields import Json, inner, made_at, objects, snowflake_at, text
from channels.discord.journal import Journal
from channels.discord.known import Place
from channels.discord.rest import Refused
from core.domain.errors import NotSent, RateLimited, Unsure

log = structlog.get_logger(__name__)

PAGE = 100
PATIENCE_S = (1.0, 2.0, 5.0, 10.0, 30.0)
DAY_MS = 24 * 3600 * 1000
SOONEST_SLEEP_MS = 55 * 60 * 1000

Message = Callable[[Json], Awaitable[None]]


class Backfill:
    """Reads in order and hands each message on as if it came by the gateway; what is stored already does no harm."""

    def __init__(self, desk: Desk, journal: Journal, take: Message) -> None:
        self._rest = desk.rest
        self._known = desk.known
        self._clock = desk.context.clock
        self._journal = journal
        self._take = take
        self._members: dict[tuple[str, str], Json] = {}

    async def guild(self, guild: str, *, unread: bool) -> None:
        """Every channel and thread of a guild with something new. The very first time nothing is, unless `unread`."""
        places = list(self._known.readable(guild))
        present = max([int(guild), *(_last(one) for one in places)])
        day_ago = snowflake_at(self._clock.now() - DAY_MS)
        await self._journal.begin(guild, day_ago if unread else str(present))
        awake = {one.id for one in places}
        places += [one for one in await self._asleep(guild, places) if one.id not in awake]
        self._members.clear()
        for place in sorted(places, key=_last):
            after = await self._journal.read_of(place.id, guild)
            if after is not None and _last(place) > int(after):
                await self.channel(place.id, after, guild)

    async def directs(self) -> None:
        """Every DM that ever was."""
        for channel_id in await self._journal.direct():
            self._known.learn_place({"id": channel_id, "type": 1})
            after = await self._journal.read_of(channel_id, None)
            await self.channel(channel_id, after or channel_id, None)

    async def channel(self, channel_id: str, after: str, guild: str | None) -> None:
        """The messages behind one, oldest first. A channel that cannot be read is left out, with a word in the log."""
        while True:
            path = f"/channels/{{channel_id}}/messages?limit={PAGE}&after={after}"
            found = await self._asked("GET", path, channel_id=channel_id)
            messages = [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
            messages.sort(key=lambda one: int(text(one, "id") or "0"))
            for message in messages:
                await self._take(await self._whole(message, channel_id, guild))
            if len(messages) < PAGE:
                return
            after = text(messages[-1], "id") or after

    async def _whole(self, message: Json, channel_id: str, guild: str | None) -> Json:
        """With what only the gateway says of a message: its guild, and the roles of whoever wrote it."""
        whole = {**message, "channel_id": channel_id}
        user = text(inner(message, "author"), "id")
        if guild is None or user is None:
            return whole
        if (guild, user) not in self._members and not text(message, "webhook_id"):
            found = await self._asked("GET", "/guilds/{guild_id}/members/{user_id}", guild_id=guild, user_id=user)
            self._members[guild, user] = found if isinstance(found, dict) else {}
        return {"member": self._members.get((guild, user), {}), **whole, "guild_id": guild}

    async def _asleep(self, guild: str, places: Sequence[Place]) -> list[Place]:
        """Threads that went to sleep: no dispatch lists them, and somebody may have said something before they did.

        None goes to sleep within an hour of its last message, so after a short absence there are none to look for.
        """
        read = [await self._journal.read_of(place.id, guild) or "0" for place in places]
        heard = max(map(made_at, read), default=0)
        if self._clock.now() - heard < SOONEST_SLEEP_MS:
            return []
        found: list[Place] = []
        for place in self._known.parents(guild):
            found += await self._asleep_in(place.id, guild)
        return found

    async def _asleep_in(self, channel_id: str, guild: str) -> list[Place]:
        path = f"/channels/{{channel_id}}/threads/archived/public?limit={PAGE}"
        listed = await self._asked("GET", path, channel_id=channel_id)
        threads = objects(listed, "threads") if isinstance(listed, dict) else []
        learnt = [self._known.learn_place({"guild_id": guild, **thread}) for thread in threads]
        return [one for one in learnt if one is not None and one.last is not None]

    async def _asked(self, method: str, path: str, **places: str) -> object:
        """Tried again as long as that may help; None for what is refused."""
        attempt = 0
        while True:
            try:
                return await self._rest.call(method, path, **places)
            except (RateLimited, Unsure, NotSent) as error:
                asked = error.retry_in if isinstance(error, RateLimited) else 0.0
            except Refused as refused:
                if refused.status not in (429, 500, 502, 503, 504):
                    log.info("backfill.refused", path=path, why=str(refused), **places)
                    return None
                asked = refused.retry_after if refused.status == 429 else 0.0
            await self._clock.sleep(max(asked, PATIENCE_S[min(attempt, len(PATIENCE_S) - 1)]))
            attempt += 1


def _last(place: Place) -> int:
    return int(place.last or "0")
