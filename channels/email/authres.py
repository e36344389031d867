"""Who a mail is really from, by what our own server found out (RFC 8601): its topmost result, and only that."""

import re

from channels.email.addresses import domain
from channels.email.headers import Headers

_COMMENT = re.compile(r"\([^()]*+\)")
_RESULT = re.compile(r"^\s*([a-z0-9_-]+)\s*(?:/\s*\d+)?\s*=\s*([a-z]+)", re.IGNORECASE)
_PROPERTY = re.compile(r"\b(header\.from|header\.d|header\.i|smtp\.mailfrom)\s*=\s*\"?([^\s;\"]+)", re.IGNORECASE)
DEEPEST_COMMENT = 4


def server_of(value: str) -> str:
    """The name of the server that wrote a result."""
    return (_uncommented(value).split(";", 1)[0].split() or [""])[0].lower()


def is_verified(headers: Headers, server: str, author: str) -> bool:
    """Whether `server` says that DMARC passed for the author's domain.

    Our server stands at the top and takes out, or stands above, what others wrote under its name: so only its topmost
    field counts, and none at all when another server's stands above it.
    """
    values = headers.all("authentication-results")
    if not values or server_of(values[0]) != server.lower():
        return False
    results = _uncommented(values[0]).split(";")[1:]
    found = [match for match in map(_dmarc, results) if match is not None]
    return len(found) == 1 and found[0] == ("pass", domain(author))


def _dmarc(result: str) -> tuple[str, str] | None:
    """The verdict and the domain that it is about."""
    match = _RESULT.match(result)
    if match is None or match[1].lower() != "dmarc":
        return None
    properties = {name.lower(): value.lower() for name, value in _PROPERTY.findall(result)}
    return match[2].lower(), domain("@" + properties.get("header.from", "").lstrip("@").rpartition("@")[2])


def _uncommented(value: str) -> str:
    for _ in range(DEEPEST_COMMENT):
        cleaned = _COMMENT.sub(" ", value)
        if cleaned == value:
            break
        value = cleaned
    return value
