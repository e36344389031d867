"""What a person wrote, out of the form in which Slack sends it.

https://docs.slack.dev/messaging/formatting-message-text: `& < >` come as entities, and everything that Slack
understood stands in angle brackets.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

_TOKEN = re.compile(r"<([^<>]*)>")
_ENTITY = re.compile(r"&(lt|gt|amp);")
_SIGNS: Mapping[str, str] = {"lt": "<", "gt": ">", "amp": "&"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """What ids stand for, as far as that is known."""

    users: Mapping[str, str] = field(default_factory=dict, hash=False)
    channels: Mapping[str, str] = field(default_factory=dict, hash=False)


NOBODY = Names()


def mentions(raw: str, user: str) -> bool:
    """Whether somebody is named in a message: by the token that only Slack makes, never by what it looks like."""
    return bool(user) and any(token.partition("|")[0] == f"@{user}" for token in _TOKEN.findall(raw))


def ids_in(raw: str) -> tuple[set[str], set[str]]:
    """The people and the channels that are named by their ids alone."""
    users, channels = set(), set()
    for token in _TOKEN.findall(raw):
        named, _, label = token.partition("|")
        if not label and named.startswith("@"):
            users.add(named[1:])
        elif not label and named.startswith("#"):
            channels.add(named[1:])
    return users, channels


def spoken(raw: str, names: Names, bot: str = "") -> str:
    """The words as they were typed. That the bot is called in front of them is no part of them."""
    words = "".join(_pieces(_without_call(raw, bot), names)).strip()
    return words or "".join(_pieces(raw, names)).strip()


def _without_call(raw: str, bot: str) -> str:
    return re.sub(rf"^\s*<@{re.escape(bot)}(?:\|[^<>]*)?>[\s,:]*", "", raw) if bot else raw


def _pieces(raw: str, names: Names) -> Iterator[str]:
    end = 0
    for token in _TOKEN.finditer(raw):
        yield _plain(raw[end : token.start()])
        yield _plain(_shown(token[1], names))
        end = token.end()
    yield _plain(raw[end:])


def _plain(text: str) -> str:
    """Each entity once: what was typed as an entity stays one."""
    return _ENTITY.sub(lambda found: _SIGNS[found[1]], text)


def _shown(token: str, names: Names) -> str:
    named, _, label = token.partition("|")
    match named[:1]:
        case "@":
            return "@" + (label or names.users.get(named[1:], named[1:]))
        case "#":
            return "#" + (label or names.channels.get(named[1:], named[1:]))
        case "!":
            return _special(named[1:], label)
    return _link(named, label)


def _link(address: str, label: str) -> str:
    if address.startswith("mailto:"):
        return label or address.removeprefix("mailto:")
    if label and label not in address:
        return f"{label} ({address})"
    # Slack makes a link of an address that was typed without its scheme.
    return label if label and address.rstrip("/").endswith(label) else address


def _special(named: str, label: str) -> str:
    if named in ("here", "channel", "everyone"):
        return f"@{named}"
    if label:
        return label
    return f"@{named.removeprefix('subteam^')}" if named.startswith("subteam^") else named
