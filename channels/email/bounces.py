"""What a delivery report says about a mail of ours."""

import re
from dataclasses import dataclass

from channels.email.charsets import decoded
from channels.email.headers import Headers, one_line, parsed
from channels.email.mime import Mail

_QUOTED_ID = re.compile(r"^[>\s]*message-id:\s*(<[^<>\s@]{1,200}@[^<>\s@]{1,200}>)", re.IGNORECASE | re.MULTILINE)
_ID = re.compile(r"<[^<>\s@]{1,200}@[^<>\s@]{1,200}>")


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """`about` are the Message-IDs that it names, the returned mail's own first; `failed` is False for a mere delay."""

    about: tuple[str, ...]
    recipient: str
    status: str
    text: str
    failed: bool


def report_of(mail: Mail) -> Report:
    """As much as it says; an old server's says it in prose only."""
    status = Headers(fields=())
    about: list[str] = []
    for part in mail.parts:
        if part.media_type in ("message/delivery-status", "message/global-delivery-status"):
            blocks = re.split(rb"(?:\r?\n){2,}", part.data.strip())
            status = parsed(b"\n".join(blocks))
        elif part.media_type in ("message/rfc822", "text/rfc822-headers", "message/global"):
            about += _ID.findall(
                parsed(re.split(rb"\r?\n\r?\n", part.data.lstrip(), maxsplit=1)[0]).first("message-id")
            )
    for name in ("in-reply-to", "references", "x-failed-message-id"):
        about += reversed(_ID.findall(mail.headers.first(name)))
    if not about:
        prose = "\n".join(decoded(part.data[:65_536], part.charset) for part in mail.parts)
        about = _QUOTED_ID.findall(prose) or _ID.findall(prose)
    action = status.first("action").lower()
    return Report(
        about=tuple(dict.fromkeys(about)),
        recipient=one_line(status.first("final-recipient").rpartition(";")[2]),
        status=one_line(status.first("status")),
        text=one_line(status.first("diagnostic-code").partition(";")[2])[:500],
        failed=action == "failed" or (not action and not mail.headers.first("subject").lower().startswith("delayed")),
    )
