"""Keeps a channel listening: a connection that breaks is made anew, with growing pauses."""

from collections.abc import Callable

import structlog

from channels.contract import AnyChannel
from core.bus import Accept
from core.domain.errors import ParleyError, SettingsError
from core.ports import Chance, Clock

log = structlog.get_logger(__name__)

FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 60.0
# A connection that held this long counts as good: the next pause is a short one again.
GOOD_MS = 60_000


def _nobody(trouble: Exception | None) -> None:
    pass


async def keep_listening(
    channel: AnyChannel,
    accept: Accept,
    clock: Clock,
    chance: Chance,
    tell: Callable[[Exception | None], None] = _nobody,
) -> None:
    """Until cancelled, or until the channel says by returning that nothing more will come.

    `tell` hears of each attempt, and of what ended it. A channel that says that its settings are wrong is not asked
    again: each time it would knock at a closed door.
    """
    attempt = 0
    while True:
        began = clock.now()
        tell(None)
        try:
            await channel.listen(accept)
        except SettingsError as wrong:
            log.error("channel.stopped", channel=channel.lane.channel, account=channel.lane.account, error=str(wrong))
            tell(wrong)
            return
        except Exception as trouble:  # supervisor: one platform's trouble must not end the others
            if isinstance(trouble, ParleyError):
                lane = channel.lane
                log.warning("channel.broke", channel=lane.channel, account=lane.account, error=str(trouble))
            else:
                log.exception("channel.broke", channel=channel.lane.channel, account=channel.lane.account)
            tell(trouble)
        else:
            return
        attempt = 0 if clock.now() - began > GOOD_MS else attempt + 1
        pause = min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2.0 ** min(attempt, 10))
        await clock.sleep(pause * (0.5 + chance.jitter() / 2))
