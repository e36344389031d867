"""Who wrote a mail, and who else takes part. Pure."""

from channels.email.addresses import domain, mailboxes, shown
from channels.email.authres import is_verified
from channels.email.conversations import Letter
from channels.email.looking import Reading
from channels.email.threads import mark
from channels.email.where import CHANNEL, Manner
from core.domain.chat import Principal


def letter_of(reading: Reading, manner: Manner) -> Letter:
    """The mail as a part of its conversation; one without an id of its own is named by its place in the mailbox."""
    headers = reading.mail.headers
    others = [one.address for one in mailboxes([*headers.all("to"), *headers.all("cc")])]
    return Letter(
        message_id=reading.message_id or f"<{mark(reading.spot.name)}@{manner.domain}>",
        subject=reading.subject,
        author=reading.author.address,
        others=tuple(one for one in others if not manner.is_ours(one)),
    )


def principal_of(reading: Reading, manner: Manner) -> Principal:
    """Whoever wrote it: the address is the identity, the domain a list may name too, the name is for display."""
    author = reading.author
    verified = bool(manner.authserv_id) and is_verified(reading.mail.headers, manner.authserv_id or "", author.address)
    return Principal(
        channel=CHANNEL,
        account=manner.account,
        user_id=author.address,
        name=shown(author.name) or author.address,
        verified=verified or manner.trust_all,
        roles=(f"@{domain(author.address)}",),
    )
