"""Who people are and what channels are called: asked once, kept for a while. Names give no rights."""

import asyncio
from collections import OrderedDict
from collections.abc import Iterable
from typing import Final

from channels.slack.api import Api
from channels.slack.raw import text_at
from channels.slack.words import Names
from core.domain.errors import SendError
from core.ports import Clock

# An event has to be acknowledged within three seconds: a name is not worth more than this.
PATIENCE_S: Final = 0.8
KEPT_MS: Final = 3_600_000
MISSING_MS: Final = 60_000
MOST_KEPT: Final = 5_000
MOST_AT_ONCE: Final = 10


class Directory:
    """The names of one workspace."""

    def __init__(self, api: Api, clock: Clock) -> None:
        self._api = api
        self._clock = clock
        self._known: OrderedDict[str, tuple[str, int]] = OrderedDict()

    async def names(self, users: Iterable[str], channels: Iterable[str]) -> Names:
        """What is known after a moment; whoever is not is called by the id. Never raises."""
        wanted_users, wanted_channels = set(users), set(channels)
        missing = [one for one in sorted(wanted_users | wanted_channels) if self._kept(one) is None]
        if missing:
            await self._look_up(missing[:MOST_AT_ONCE], wanted_channels)
        return Names(users=self._of(wanted_users), channels=self._of(wanted_channels))

    async def _look_up(self, missing: list[str], channels: set[str]) -> None:
        try:
            async with asyncio.timeout(PATIENCE_S), asyncio.TaskGroup() as group:
                for one in missing:
                    group.create_task(self._ask(one, channel=one in channels))
        except TimeoutError:
            for one in missing:
                self._keep(one, "", MISSING_MS)

    async def _ask(self, one: str, *, channel: bool) -> None:
        try:
            if channel:
                answer = await self._api.call("conversations.info", channel=one)
                self._keep(one, text_at(answer, "channel", "name"), KEPT_MS)
                return
            answer = await self._api.call("users.info", user=one)
        except SendError:
            self._keep(one, "", MISSING_MS)
            return
        profile = [text_at(answer, "user", "profile", key) for key in ("display_name", "real_name")]
        name = next((found for found in [*profile, text_at(answer, "user", "name")] if found), "")
        self._keep(one, name, KEPT_MS)

    def _keep(self, one: str, name: str, for_ms: int) -> None:
        if name or self._kept(one) is None:
            self._known[one] = (name, self._clock.now() + for_ms)
        while len(self._known) > MOST_KEPT:
            self._known.popitem(last=False)

    def _kept(self, one: str) -> str | None:
        name, until = self._known.get(one, ("", 0))
        return name if until > self._clock.now() else None

    def _of(self, wanted: set[str]) -> dict[str, str]:
        return {one: name for one in wanted if (name := self._kept(one))}
