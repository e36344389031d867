"""Addresses of people: only real ones, compared without regard to case."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from email.utils import getaddresses

from channels.email.headers import one_line, readable

LONGEST = 254
MOST = 200
_ATOM = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]"
_ADDRESS = re.compile(rf"{_ATOM}{{1,64}}@[^\s@<>()\[\],;:\"\\\x00-\x20\x7f]{{1,253}}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Mailbox:
    """Somebody who can be written to; `address` is in lower case."""

    address: str
    name: str = ""


def is_address(text: str) -> bool:
    """Whether it is one plain address that can stand in a command: no controls, no source routes, no quoted parts."""
    return len(text) <= LONGEST and _ADDRESS.fullmatch(text) is not None


def mailboxes(values: Iterable[str]) -> list[Mailbox]:
    """Every real address in the fields, each once. Groups, names and anything else that stands there is left out.

    The names are decoded after the addresses were found: an address inside an encoded name is part of the name.
    """
    found: dict[str, Mailbox] = {}
    for name, address in getaddresses(_quoting_commas(values)):
        clean = address.strip().lower()
        if is_address(clean) and len(found) < MOST:
            found.setdefault(clean, Mailbox(address=clean, name=readable(name)))
    return list(found.values())


def _quoting_commas(values: Iterable[str]) -> list[str]:
    """`Kern, Anna <anna@x>` as its writer meant it; whatever is ambiguous is left as it is."""
    return [re.sub(r'^\s*([^"<>@,;:]+,[^"<>@,;:]+)<([^<>]+)>\s*$', r'"\1" <\2>', value) for value in values]


def base(address: str) -> str:
    """Without a plus-tag."""
    local, at, domain = address.lower().rpartition("@")
    return f"{local.split('+', 1)[0]}{at}{domain}"


def tag(address: str) -> str | None:
    """The plus-tag, None without one."""
    local = address.rpartition("@")[0]
    _, plus, found = local.partition("+")
    return found if plus else None


def domain(address: str) -> str:
    """What stands behind the at sign."""
    return address.rpartition("@")[2].lower()


def shown(text: str) -> str:
    """A display name that cannot be taken for more than one."""
    return one_line(text)[:120]
