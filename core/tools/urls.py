"""Which URLs may be fetched at all. Pure: no name is looked up here.

Two programs that read one URL differently are how a checked host becomes another one. So a URL is taken only in the
plain form that every parser reads alike, and it is refused when the two parsers at hand do not agree on it.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urljoin, urlsplit

from yarl import URL

from core.domain.errors import ToolError
from core.tools.paths import shown

LONGEST_URL = 4_096
DEFAULT_PORTS = {"http": 80, "https": 443}

_SPLIT = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*):(?P<slashes>/*)(?P<authority>[^/?#]*)", re.DOTALL)
_AUTHORITY = re.compile(r"(?P<host>\[[0-9A-Fa-f.]*:[0-9A-Fa-f:.]*\]|[A-Za-z0-9._-]+)(?::(?P<port>[0-9]{1,5}))?")
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMERIC = re.compile(r"[0-9]+|0x[0-9a-f]*")
_FORBIDDEN = re.compile(r"[\x00-\x20\x7f-\xa0\\\u1680\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff\ud800-\udfff]")
_NEVER_PUBLIC = ("localhost", "local", "internal", "intranet", "lan", "home", "corp", "private", "home.arpa", "test")


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A URL that may be looked up: `host` is a lower-case ASCII name or a canonical address without brackets."""

    url: URL
    host: str
    port: int

    @property
    def is_address(self) -> bool:
        """Whether the host is an address and not a name."""
        return ":" in self.host or self.host.replace(".", "").isdigit()


def target_of(url: str, allows_port: Callable[[int], bool]) -> Target:
    """Raises ToolError that says what is wrong with the URL."""
    if reason := _form(url):
        raise _refused(url, reason)
    split = _SPLIT.match(url)
    authority = _AUTHORITY.fullmatch(split["authority"]) if split else None
    if split is None or authority is None:
        raise _refused(url, "its host is not a plain name or address")
    scheme, host = split["scheme"].lower(), authority["host"].lower().strip("[]")
    port = int(authority["port"] or DEFAULT_PORTS[scheme])
    if reason := _host(host) or _port(port, allows_port):
        raise _refused(url, reason)
    parsed = _agreed(url, scheme, host, port)
    if parsed is None:
        raise _refused(url, "it can be read in two ways")
    return Target(url=parsed, host=host, port=port)


def redirected(target: Target, location: str, allows_port: Callable[[int], bool]) -> Target:
    """Where a redirect of `target` leads: judged as strictly as the first URL. Raises ToolError."""
    if _FORBIDDEN.search(location):
        raise _refused(location, "it holds a space, a backslash or a control character")
    try:
        joined = urljoin(str(target.url), location)
    except ValueError as exc:
        raise _refused(location, "it can be read in two ways") from exc
    return target_of(joined, allows_port)


def _refused(url: str, reason: str) -> ToolError:
    return ToolError(
        f"The URL {shown(url)} is refused: {reason}. Use a public address such as https://example.com/page."
    )


def _form(url: str) -> str:
    """What is wrong before the host is looked at."""
    if len(url) > LONGEST_URL:
        return f"it is longer than {LONGEST_URL} characters"
    if _FORBIDDEN.search(url):
        return "it holds a space, a backslash or a control character"
    split = _SPLIT.match(url)
    if split is None or split["scheme"].lower() not in DEFAULT_PORTS:
        return "only http:// and https:// are fetched"
    if split["slashes"] != "//":
        return "the scheme is not followed by exactly two slashes"
    if "@" in split["authority"]:
        return "it holds a user name"
    if "%" in split["authority"]:
        return "its host is percent-encoded"
    return "" if split["authority"].isascii() else "its host is not ASCII; write it in its xn-- form"


def _port(port: int, allows_port: Callable[[int], bool]) -> str:
    return "" if 0 < port < 65_536 and allows_port(port) else f"port {port} is not allowed"


def _host(host: str) -> str:
    if ":" in host:
        return "" if _canonical(host) else "its address is not in canonical form"
    if host.endswith("."):
        return "its host ends with a dot"
    labels = host.split(".")
    if _NUMERIC.fullmatch(labels[-1]):
        return "" if _canonical(host) else "its host is a number that is not a plain address"
    return _name(host, labels)


def _name(host: str, labels: list[str]) -> str:
    if len(host) > 253 or not all(_LABEL.fullmatch(label) for label in labels):
        return "its host is not a valid name"
    if len(labels) < 2 or any(host == name or host.endswith(f".{name}") for name in _NEVER_PUBLIC):
        return "its host is a name of a local network"
    return ""


def _canonical(host: str) -> bool:
    try:
        return str(ip_address(host)) == host
    except ValueError:
        return False


def _agreed(url: str, scheme: str, host: str, port: int) -> URL | None:
    """The URL as the client will use it, if both parsers find in it what we found."""
    try:
        plain, ours = urlsplit(url), URL(url)
        readings = (
            (plain.scheme, plain.hostname, plain.port or DEFAULT_PORTS[scheme], plain.username),
            (ours.scheme, ours.raw_host, ours.port, ours.user),
            # What is connected to must also survive being written out and read again.
            (ours.scheme, urlsplit(str(ours)).hostname, ours.port, urlsplit(str(ours)).username),
        )
    except ValueError:
        return None
    return ours.with_fragment(None) if all(reading == (scheme, host, port, None) for reading in readings) else None
