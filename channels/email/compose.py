"""A whole mail: addresses, thread and text, as bytes. Pure."""

import mimetypes
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime

from channels.email.addresses import is_address
from channels.email.conversations import Conversation
from channels.email.headers import one_line
from channels.email.outbound import EmailPart
from channels.email.threads import mark, reply_subject
from channels.email.where import Manner

POLICY = SMTP.clone(max_line_length=200)


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """What the settings say about our mails."""

    address: str
    display_name: str = ""
    reply_all: bool = True
    plus_addressing: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Letter:
    """Ready to be handed in."""

    message_id: str
    recipients: tuple[str, ...]
    raw: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Enclosed:
    """A file with what is in it."""

    name: str
    data: bytes


def message_id(key: str, root: str, manner: Manner, *, asks: bool) -> str:
    """The same on every attempt; it tells its conversation, and whether an answer to it is one to a question."""
    clean = "".join(one if one.isalnum() or one in "._-" else "_" for one in key)[:40] or "_"
    return f"<{clean}.{mark(root)}{'.q' if asks else ''}@{manner.domain}>"


def letter(
    part: EmailPart, known: Conversation, key: str, manner: Manner, style: Style, *, files: Sequence[Enclosed], now: int
) -> Letter:
    """To whom wrote last, with those who read along. Raises ValueError for an address or a name that is none."""
    mail = EmailMessage(policy=POLICY)
    others = [one for one in known.others if style.reply_all and one != known.author]
    if not all(map(is_address, (style.address, known.author, *others))):
        raise ValueError("there is no plain mail address to write to")
    mail["From"] = Address(display_name=one_line(style.display_name), addr_spec=style.address)
    mail["To"] = known.author
    if others:
        mail["Cc"] = ", ".join(others)
    mail["Subject"] = reply_subject(known.subject) if known.subject else "Re:"
    mail["Date"] = format_datetime(datetime.fromtimestamp(now / 1000, UTC))
    found = message_id(key, known.root, manner, asks=part["asks"])
    mail["Message-ID"] = found
    mail["In-Reply-To"] = _id(known.last)
    mail["References"] = " ".join(_id(one) for one in dict.fromkeys([known.root, *known.references]))
    if style.plus_addressing:
        local, _, domain = style.address.rpartition("@")
        mail["Reply-To"] = f"{local}+{mark(known.root)}@{domain}"
    # RFC 3834: no program is to answer this, and none that keeps to it will.
    mail["Auto-Submitted"] = "auto-replied"
    mail["X-Auto-Response-Suppress"] = "All"
    _fill(mail, part, files)
    return Letter(message_id=found, recipients=(known.author, *others), raw=mail.as_bytes())


def _id(text: str) -> str:
    if not text.startswith("<") or not text.endswith(">") or not text.isprintable() or " " in text:
        raise ValueError("a reference is no Message-ID")
    return text


def _fill(mail: EmailMessage, part: EmailPart, files: Sequence[Enclosed]) -> None:
    captions = [f"{one['name']}: {one['caption']}" for one in part["files"] if one["caption"]]
    text = "\n".join([part["text"], *captions]).strip("\n") + "\n"
    mail.set_content(text, cte=_encoding(text))
    if part["html"]:
        mail.add_alternative(part["html"], subtype="html", cte=_encoding(part["html"]))
    for file in files:
        kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
        main, _, sub = kind.partition("/")
        mail.add_attachment(file.data, maintype=main, subtype=sub, filename=one_line(file.name))


def _encoding(text: str) -> str:
    """As it is where every server takes it, else quoted where it stays readable."""
    if text.isascii():
        longest = max(map(len, text.split("\n")), default=0)
        return "7bit" if longest < 900 else "quoted-printable"
    foreign = sum(not one.isascii() for one in text)
    return "quoted-printable" if foreign * 4 < len(text) else "base64"
