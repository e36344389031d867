"""Keeps a channel listening: a connection that breaks is made anew, with growing pauses."""

import structlog

from channels.contract import AnyChannel
from core.bus import Accept
from core.ports import Chance, Clock

log = structlog.get_logger(__name__)

FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 60.0
# A connection that held this long counts as good: the next pause is a short one again.
GOOD_MS = 60_000


async def keep_listening(channel: AnyChannel, accept: Accept, clock: Clock, chance: Chance) -> None:
    """Until cancelled, or until the channel says by returning that nothing more will come."""
    attempt = 0
    while True:
        began = clock.now()
        try:
            await channel.listen(accept)
        except Exception:  # supervisor: one platform's trouble must not end the others
            log.exception("channel.broke", channel=channel.lane.channel, account=channel.lane.account)
        else:
            return
        attempt = 0 if clock.now() - began > GOOD_MS else attempt + 1
        pause = min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2.0 ** min(attempt, 10))
        await clock.sleep(pause * (0.5 + chance.jitter() / 2))
