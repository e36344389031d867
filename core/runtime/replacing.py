"""A reply in the place of a message that was sent before."""

from collections.abc import Mapping

import structlog

from core.decide.retry import falls_back
from core.domain.delivery import Delivery, Receipt
from core.domain.errors import SendError, Unacceptable, Unreachable
from core.ports import Sending

log = structlog.get_logger(__name__)


async def put_into(place: Receipt, delivery: Delivery, part: Mapping[str, object], sending: Sending) -> Receipt | None:
    """Edit the message into the part; None where the channel cannot, or the message is there no more or cannot become
    this: then the part is to be sent as a new one. Raises every other SendError.
    """
    try:
        return await sending.edit(delivery.chat, place, part, delivery.part_key())
    except (Unacceptable, Unreachable) as error:
        if falls_back(error, delivery.reply, plain=delivery.plain):
            raise
        log.info("delivery.not_edited", delivery=delivery.id, error=str(error))
        return None


async def clear_away(delivery: Delivery, sending: Sending) -> None:
    """Take the message away that the reply stands for; after the reply, so that there is always one of both."""
    if delivery.removes is None:
        return
    try:
        await sending.remove(delivery.chat, delivery.removes)
    except SendError as error:
        log.info("delivery.not_removed", delivery=delivery.id, error=str(error))
