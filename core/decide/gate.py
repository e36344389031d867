"""Who may speak. The one place that lets anybody in."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from core.domain.chat import Principal


class Role(StrEnum):
    """What a person may do, least first."""

    GUEST = "guest"
    MEMBER = "member"
    OWNER = "owner"


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Per (channel, account): who is let in. What is not named here is closed.

    `trusted`: whoever can reach the channel at all was already checked by the operating system, and is the owner.
    `approvers` decide about calls that need leave; where none are named, owners do.
    """

    trusted: frozenset[tuple[str, str]] = frozenset()
    owners: Mapping[tuple[str, str], frozenset[str]] = field(default_factory=dict, hash=False)
    approvers: Mapping[tuple[str, str], frozenset[str]] = field(default_factory=dict, hash=False)
    listed: Mapping[tuple[str, str], frozenset[str]] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """Not let in, for the reason code `reason`."""

    reason: str


def authorize(sender: Principal, policy: Policy) -> Role | Refused:
    """The sender's role, or why there is none. Platform ids decide, never names; an empty list means nobody."""
    place = (sender.channel, sender.account)
    if place in policy.trusted:
        return Role.OWNER
    if not sender.verified:
        return Refused(reason="unverified")
    if sender.user_id in policy.owners.get(place, frozenset()):
        return Role.OWNER
    return Role.MEMBER if sender.user_id in policy.listed.get(place, frozenset()) else Refused(reason="not_listed")


def may_approve(sender: Principal, policy: Policy) -> bool:
    """Whether this person's word lets a call run that needs leave."""
    named = policy.approvers.get((sender.channel, sender.account))
    return sender.user_id in named if named else authorize(sender, policy) is Role.OWNER


def lowest(people: Iterable[Principal], policy: Policy) -> Role:
    """The fewest rights of anybody among them; whoever is not let in any more has a guest's."""
    roles = [Role.GUEST if isinstance(role := authorize(one, policy), Refused) else role for one in people]
    return min(roles, key=list(Role).index, default=Role.GUEST)
