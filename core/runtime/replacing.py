"""A reply in the place of a message that was sent before."""

from collections.abc import Mapping
from enum import Enum, auto

import structlog

from core.decide.retry import falls_back
from core.domain.delivery import Delivery, Receipt
from core.domain.errors import SendError, Unacceptable, Unreachable
from core.ports import Sending

log = structlog.get_logger(__name__)


class NoPlace(Enum):
    """Why the part is to be sent as a new message. NEVER: this channel edits nothing. REFUSED: not this message."""

    NEVER = auto()
    REFUSED = auto()


async def put_into(
    place: Receipt, delivery: Delivery, part: Mapping[str, object], sending: Sending
) -> Receipt | NoPlace:
    """Edit the message into the part. REFUSED where the message is there no more, or cannot become this.

    Raises every other SendError.
    """
    try:
        return await sending.edit(delivery.chat, place, part, delivery.part_key()) or NoPlace.NEVER
    except (Unacceptable, Unreachable) as error:
        if falls_back(error, delivery.reply, plain=delivery.plain):
            raise
        log.info("delivery.not_edited", delivery=delivery.id, error=str(error))
        return NoPlace.REFUSED


async def clear_away(delivery: Delivery, sending: Sending) -> None:
    """Take the message away that the reply stands for; after the reply, so that there is always one of both."""
    if delivery.removes is None:
        return
    try:
        await sending.remove(delivery.chat, delivery.removes)
    except SendError as error:
        log.info("delivery.not_removed", delivery=delivery.id, error=str(error))
