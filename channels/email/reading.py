"""A mail in a file, as `parley read` takes it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from channels.contract import Seen
from channels.email.addresses import base
from channels.email.bounces import report_of
from channels.email.inbound import judge
from channels.email.looking import look
from channels.email.where import Manner, Spot
from core.domain.command import COMMANDS
from core.domain.message import Attachment, Dropped, Inbound


def manner_of(me: Mapping[str, object] | None) -> Manner:
    """`me` holds our `addresses`, the first of them the mailbox, and `authserv_id`, the name of our own server."""
    told = me or {}
    listed = told.get("addresses")
    addresses = [one.lower() for one in listed if isinstance(one, str)] if isinstance(listed, list | tuple) else []
    server = told.get("authserv_id")
    return Manner(
        account=addresses[0] if addresses else "unknown",
        addresses=frozenset(base(one) for one in addresses),
        authserv_id=server if isinstance(server, str) and server else None,
        commands=frozenset(one.name for one in COMMANDS),
    )


def read_file(raw: bytes, me: Mapping[str, object] | None, *, bots: bool) -> Sequence[Seen]:
    """One mail; nothing is known of its conversation but what it says itself."""
    reading = look(raw, Spot(), manner_of(me))
    judged = judge(reading, None, manner_of(me))
    event = judged.event
    if isinstance(event, Inbound) and judged.body is not None:
        files = tuple(
            Attachment(name=one.name, media_type=one.media_type, size=len(one.data)) for one in judged.body.files
        )
        event = replace(event, attachments=files)
    more: dict[str, object] = {
        "subject": reading.subject,
        "quoted": judged.quoted,
        "verified": isinstance(event, Inbound) and event.sender.verified,
    }
    if isinstance(event, Dropped) and event.reason == "bounce":
        more["bounces"] = list(report_of(reading.mail).about)
    return [Seen(event=event, more=more)]
