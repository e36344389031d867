"""Asks Telegram for updates, and confirms only what is stored: the offset of a poll is the promise to forget."""

from collections.abc import Awaitable, Callable

import structlog

from channels.telegram.calls import Api, Conflicting
from channels.telegram.inbound import LISTENED
from channels.telegram.offset import SCOPE, Offset
from channels.telegram.raw import Raw, number_at
from channels.telegram.taking import ALBUM_S, Intake, Taken
from core.domain.errors import NotSent, RateLimited, SendError, Unsure
from core.ports import Clock

log = structlog.get_logger(__name__)

WAIT_S = 50
FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 60.0
ANOTHER = (
    "somebody else takes the updates of this bot: stop the other program that uses its token, "
    "or give it a bot of its own; Telegram serves one at a time"
)


class Poller:
    """One poll after the other, for ever."""

    def __init__(self, api: Api, clock: Clock) -> None:
        self._api = api
        self._clock = clock
        self._troubles = 0
        self._offset = Offset()

    async def run(self, intake: Intake, cursor: Callable[[str], Awaitable[str | None]] | None) -> None:
        """Until cancelled. `cursor` reads what the store keeps; without one, this goes on where it was."""
        stored = await cursor(SCOPE) if cursor is not None else None
        if stored is not None:
            self._offset = Offset(stored)
        again = False
        while True:
            try:
                found = updates_of(
                    await self._api.updates(self._offset.asked(self._clock.now()), 0 if again else WAIT_S, LISTENED)
                )
            except SendError as exc:
                await self._trouble(exc)
                continue
            self._fine()
            taken = await intake.take(found, self._offset)
            again = taken is Taken.ALBUM
            if again:
                await self._clock.sleep(ALBUM_S)
            elif taken is Taken.REFUSED:
                await self._clock.sleep(FIRST_PAUSE_S)

    async def _trouble(self, exc: SendError) -> None:
        """Wait, the longer the longer it lasts; said once, and not at every attempt."""
        if isinstance(exc, Conflicting) and "webhook" in str(exc):
            log.warning("telegram.webhook_removed", reason="polling was asked for, and a webhook was set")
            await self._without_webhook()
        elif self._troubles == 0 and not isinstance(exc, Unsure):
            log.warning("telegram.no_updates", reason=ANOTHER if isinstance(exc, Conflicting) else str(exc))
        self._troubles += 1
        pause = min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2.0 ** min(self._troubles - 1, 6))
        await self._clock.sleep(max(pause, exc.retry_in) if isinstance(exc, RateLimited) else pause)

    async def _without_webhook(self) -> None:
        try:
            await self._api.call("deleteWebhook", {"drop_pending_updates": False})
        except SendError as exc:
            log.warning("telegram.webhook_stays", reason=str(exc))

    def _fine(self) -> None:
        if self._troubles:
            log.info("telegram.updates_again", failed_polls=self._troubles)
        self._troubles = 0


def updates_of(found: object) -> list[Raw]:
    """What a poll gave. Raises NotSent for an answer that is none."""
    if not isinstance(found, list):
        raise NotSent("getUpdates gave no list")
    return [one if isinstance(one, dict) and number_at(one, "update_id") is not None else {} for one in found]
