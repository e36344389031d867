"""Who may speak. The one place that lets anybody in."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from core.domain.chat import Principal, Role, SenderKind
from core.domain.message import Inbound

ANYONE: Final = "*"
NOT_LISTED: Final = "not_listed"
UNKNOWN: Final = "unknown"
PLACE_NOT_LISTED: Final = "place_not_listed"


class DmPolicy(StrEnum):
    """Who may write to us alone: the listed and whoever was approved; the listed; everybody, as guests; nobody."""

    PAIRING = "pairing"
    ALLOWLIST = "allowlist"
    OPEN = "open"
    DISABLED = "disabled"


class GroupPolicy(StrEnum):
    """Which groups count: the listed ones, all, or none. Who may speak there is a question of its own."""

    ALLOWLIST = "allowlist"
    OPEN = "open"
    DISABLED = "disabled"


class Activation(StrEnum):
    """What begins a turn in a group: only what is said to us, or whatever is said."""

    MENTION = "mention"
    ALWAYS = "always"


class AllowBots(StrEnum):
    """Which other programs are heard: none; the listed ones when they speak to us; the listed ones like people."""

    OFF = "off"
    MENTIONS = "mentions"
    LISTED = "listed"


class GroupContext(StrEnum):
    """Whose words that are not said to us are read along: those of listed people, or everybody's."""

    LISTED = "listed"
    ALL = "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class Door:
    """How one account is guarded. What is not named here is closed.

    `groups` and `authors` are ids: of places, and of people, roles or `*`. `bot_turns` is how many turns other programs
    may begin in one thread in an hour.
    """

    dm: DmPolicy = DmPolicy.ALLOWLIST
    group: GroupPolicy = GroupPolicy.ALLOWLIST
    groups: frozenset[str] = frozenset()
    authors: frozenset[str] = frozenset()
    activation: Activation = Activation.MENTION
    thread_follow: bool = True
    bots: AllowBots = AllowBots.OFF
    bot_turns: int = 3
    context: GroupContext = GroupContext.LISTED


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Per (channel, account): who is let in. What is not named here is closed.

    `trusted`: whoever can reach the channel at all was already checked by the operating system, and is the owner.
    `approvers` decide about calls that need leave; where none are named, owners do. `listed` may write to us alone.
    """

    trusted: frozenset[tuple[str, str]] = frozenset()
    owners: Mapping[tuple[str, str], frozenset[str]] = field(default_factory=dict, hash=False)
    approvers: Mapping[tuple[str, str], frozenset[str]] = field(default_factory=dict, hash=False)
    listed: Mapping[tuple[str, str], frozenset[str]] = field(default_factory=dict, hash=False)
    doors: Mapping[tuple[str, str], Door] = field(default_factory=dict, hash=False)

    def door(self, who: Principal) -> Door:
        """Of the account that this one speaks to."""
        return self.doors.get((who.channel, who.account), Door())


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What the store knows of a sender, where the rules ask for it.

    `paired` is the role that somebody approved them with, `bot_turns` how many turns programs began here in the last
    hour. `answered`: we have answered in this very chat before.
    """

    paired: Role | None = None
    bot_turns: int = 0
    answered: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """Not let in, for the reason code `reason`."""

    reason: str


NOTHING_KNOWN: Final = Known()


def authorize(said: Inbound, policy: Policy, known: Known = NOTHING_KNOWN) -> Role | Refused:
    """The sender's role, or why there is none, for whatever they did: words, edits, presses and commands alike.

    Platform ids decide, never names; an empty list means nobody; a right in one's own chat is none in a group.
    """
    sender = said.sender
    if (sender.channel, sender.account) in policy.trusted:
        return Role.OWNER
    if not sender.verified:
        return Refused(reason="unverified")
    role = _in_group(said, policy, known) if said.place is not None else _alone(said, policy, known)
    if isinstance(role, Refused) or sender.kind is SenderKind.PERSON:
        return role
    return _bot(said, policy, known) or min(role, Role.MEMBER, key=list(Role).index)


def _alone(said: Inbound, policy: Policy, known: Known) -> Role | Refused:
    sender, door = said.sender, policy.door(said.sender)
    if door.dm is DmPolicy.DISABLED:
        return Refused(reason="dm_disabled")
    if _owns(sender, policy, known):
        return Role.OWNER
    listed = policy.listed.get((sender.channel, sender.account), frozenset())
    if sender.user_id in listed:
        return Role.MEMBER
    if door.dm is DmPolicy.PAIRING and known.paired is not None:
        return known.paired
    if door.dm is DmPolicy.OPEN or (ANYONE in listed and sender.user_id):
        return Role.GUEST
    return Refused(reason=UNKNOWN if door.dm is DmPolicy.PAIRING else NOT_LISTED)


def _in_group(said: Inbound, policy: Policy, known: Known) -> Role | Refused:
    sender, door = said.sender, policy.door(said.sender)
    if door.group is GroupPolicy.DISABLED:
        return Refused(reason="group_disabled")
    if door.group is GroupPolicy.ALLOWLIST and said.place not in door.groups:
        return Refused(reason=PLACE_NOT_LISTED)
    if _owns(sender, policy, known):
        return Role.OWNER
    if not door.authors.isdisjoint((sender.user_id, *sender.roles)):
        return Role.MEMBER
    return Role.GUEST if ANYONE in door.authors and sender.user_id else Refused(reason=NOT_LISTED)


def _owns(sender: Principal, policy: Policy, known: Known) -> bool:
    return known.paired is Role.OWNER or sender.user_id in policy.owners.get((sender.channel, sender.account), ())


def _bot(said: Inbound, policy: Policy, known: Known) -> Refused | None:
    """What else is asked of a program that is listed."""
    door = policy.door(said.sender)
    if said.sender.kind is SenderKind.SYSTEM or door.bots is AllowBots.OFF:
        return Refused(reason="bot")
    if door.bots is AllowBots.MENTIONS and said.addressed is not True:
        return Refused(reason="bot_not_mentioning")
    return Refused(reason="bot_limit") if known.bot_turns >= door.bot_turns else None


def may_approve(said: Inbound, policy: Policy, known: Known = NOTHING_KNOWN) -> bool:
    """Whether this person's word lets a call run that needs leave."""
    named = policy.approvers.get((said.sender.channel, said.sender.account))
    return said.sender.user_id in named if named else authorize(said, policy, known) is Role.OWNER


def lowest(roles: Iterable[Role | None]) -> Role:
    """The fewest rights of anybody among them; a stranger whose words are read along has a guest's."""
    return min((role or Role.GUEST for role in roles), key=list(Role).index, default=Role.GUEST)
