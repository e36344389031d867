"""Which conversation a mail belongs to: by the ids in its header, never by its subject alone."""

import hashlib
import re

from channels.email.headers import Headers, one_line, readable

MOST_IDS = 200
LONGEST_ID = 300
_ID = re.compile(r"<([^<>]{1,320})>")
_BARE = re.compile(r"(?<![^\s,])([^<>\s,()]{1,250}@[^<>\s,()]{1,100})(?![^\s,])")
_PREFIX = re.compile(
    r"^\s*(?:re|aw|sv|vs|antw|antwort|rif|r|odp|res|ref|re\.|tr|enc|ynt|ang|atb|hs|vá|απ|回复|回覆|答复|答覆|返信|ha|rv"
    r"|bls|fwd?|wg|vb|i|doorst|vl|pd"
    r"|转发|轉寄|転送|전달|회신|отв|на|fs|vl|továbbítás|ilt|továbbá)\s*(?:[\[(]\d{1,4}[\])]|\^\d{1,4})?\s*[:：]\s*",
    re.IGNORECASE,
)


def ids(headers: Headers, name: str) -> list[str]:
    """Every Message-ID in a field, as `<...>`, in its order; prose, missing brackets and broken lines do no harm."""
    found: list[str] = []
    for raw in headers.all(name):
        value = readable(raw) if "=?" in raw else raw
        within = ["".join(one.split()) for one in _ID.findall(value)] or _BARE.findall(value)
        found += [f"<{one}>" for one in within if one and one.isprintable()]
    return list(dict.fromkeys(found))[-MOST_IDS:]


def own_id(headers: Headers) -> str | None:
    """The mail's own Message-ID; None for a mail without a usable one."""
    found = ids(headers, "message-id")
    return found[0] if found else None


def ancestors(headers: Headers) -> list[str]:
    """The mails that it answers, the newest first: what it replies to, then its references from the end."""
    answered = ids(headers, "in-reply-to")
    referred = ids(headers, "references")
    own = own_id(headers)
    return [one for one in dict.fromkeys([*reversed(answered), *reversed(referred)]) if one != own]


def oldest(headers: Headers) -> str | None:
    """The root, as far as the mail itself says."""
    referred = [one for one in ids(headers, "references") if one != own_id(headers)]
    answered = ids(headers, "in-reply-to")
    return next(iter([*referred, *answered]), None)


def mark(message_id: str) -> str:
    """A short name for a Message-ID, fit to be part of another one and of an address."""
    return hashlib.sha256(message_id.encode("utf-8", "replace")).hexdigest()[:20]


def subject_base(subject: str) -> str:
    """Without any of the prefixes that mail programs pile up."""
    text = one_line(subject)
    for _ in range(30):
        shorter = _PREFIX.sub("", text, count=1)
        if shorter == text:
            break
        text = shorter
    return text


def reply_subject(subject: str) -> str:
    """One prefix in front of what it is about."""
    return f"Re: {subject_base(subject)[:400]}".rstrip()
