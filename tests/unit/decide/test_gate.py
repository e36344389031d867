"""Who may speak."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from core.decide.gate import (
    AllowBots,
    DmPolicy,
    Door,
    GroupPolicy,
    Known,
    Policy,
    Refused,
    authorize,
    lowest,
    may_approve,
)
from core.domain.chat import ChatKey, Principal, Role, SenderKind
from core.domain.message import Inbound, InboundKind

SLACK = ("slack", "T1")
TERMINAL = ("terminal", "anna")
GROUP = Door(groups=frozenset({"C1"}), authors=frozenset({"U1", "R7"}))
POLICY = Policy(
    trusted=frozenset({TERMINAL}),
    owners={SLACK: frozenset({"U0"})},
    listed={SLACK: frozenset({"U1"}), ("slack", "T2"): frozenset(), ("discord", "D1"): frozenset({"U2"})},
)
NOT_LISTED = Refused(reason="not_listed")


def who(user: str, place: tuple[str, str] = SLACK, *, name: str = "", verified: bool = True) -> Principal:
    return Principal(channel=place[0], account=place[1], user_id=user, name=name, verified=verified)


def said(sender: Principal, place: str | None = None, *, addressed: bool | None = True) -> Inbound:
    chat = ChatKey(channel=sender.channel, account=sender.account, chat_id=place or "D1")
    return Inbound(event_key="e", chat=chat, sender=sender, content="hi", at=0, place=place, addressed=addressed)


def guarded(door: Door, listed: Mapping[tuple[str, str], frozenset[str]] | None = None) -> Policy:
    return replace(POLICY, doors={SLACK: door}, listed=POLICY.listed if listed is None else listed)


@pytest.mark.parametrize(
    ("sender", "expected"),
    [
        (who("U0"), Role.OWNER),
        (who("U1"), Role.MEMBER),
        (who("U2"), NOT_LISTED),
        (who("U1", ("slack", "T2")), NOT_LISTED),
        (who("U1", ("slack", "T3")), NOT_LISTED),
        (who("U1", ("discord", "D1")), NOT_LISTED),
        (who("U2", ("discord", "D1")), Role.MEMBER),
        (who("u1"), NOT_LISTED),
        (who("U1 "), NOT_LISTED),
        (who(""), NOT_LISTED),
        (who("*"), NOT_LISTED),
        (who("U1", verified=False), Refused(reason="unverified")),
        (who("anyone", TERMINAL), Role.OWNER),
        (who("", TERMINAL, verified=False), Role.OWNER),
        (who("anyone", ("terminal", "ben")), NOT_LISTED),
    ],
)
def test_platform_ids_decide_and_nothing_else(sender: Principal, expected: Role | Refused) -> None:
    assert authorize(said(sender), POLICY) == expected


def test_a_name_is_never_a_right() -> None:
    assert authorize(said(who("U9", name="U1")), POLICY) == NOT_LISTED


def test_without_a_policy_nobody_is_let_in() -> None:
    assert authorize(said(who("U1")), Policy()) == NOT_LISTED
    assert authorize(said(who("U1"), "C1"), Policy()) == Refused(reason="place_not_listed")


@pytest.mark.parametrize("kind", InboundKind)
def test_every_kind_of_event_goes_through_the_same_gate(kind: InboundKind) -> None:
    for event in (said(who("U9")), said(who("U9"), "C1"), said(who("U1"), "C9")):
        assert isinstance(authorize(replace(event, kind=kind), guarded(GROUP)), Refused)


@pytest.mark.parametrize(
    ("policy", "known", "expected"),
    [
        (DmPolicy.PAIRING, Known(), Refused(reason="unknown")),
        (DmPolicy.PAIRING, Known(paired=Role.MEMBER), Role.MEMBER),
        (DmPolicy.PAIRING, Known(paired=Role.OWNER), Role.OWNER),
        (DmPolicy.ALLOWLIST, Known(paired=Role.MEMBER), NOT_LISTED),
        (DmPolicy.OPEN, Known(), Role.GUEST),
        (DmPolicy.DISABLED, Known(paired=Role.MEMBER), Refused(reason="dm_disabled")),
    ],
)
def test_who_is_not_listed_is_let_in_alone_by_the_policy(
    policy: DmPolicy, known: Known, expected: Role | Refused
) -> None:
    assert authorize(said(who("U9")), guarded(Door(dm=policy)), known) == expected


def test_a_star_among_those_who_may_write_lets_everybody_in_as_a_guest() -> None:
    policy = guarded(Door(), {SLACK: frozenset({"*", "U1"})})
    assert authorize(said(who("U9")), policy) is Role.GUEST
    assert authorize(said(who("U1")), policy) is Role.MEMBER
    assert authorize(said(who("")), policy) == NOT_LISTED


@pytest.mark.parametrize(
    ("door", "user", "place", "expected"),
    [
        (GROUP, "U1", "C1", Role.MEMBER),
        (GROUP, "U0", "C1", Role.OWNER),
        (GROUP, "U9", "C1", NOT_LISTED),
        (GROUP, "U1", "C9", Refused(reason="place_not_listed")),
        (GROUP, "U0", "C9", Refused(reason="place_not_listed")),
        (replace(GROUP, authors=frozenset()), "U1", "C1", NOT_LISTED),
        (replace(GROUP, groups=frozenset()), "U1", "C1", Refused(reason="place_not_listed")),
        (replace(GROUP, groups=frozenset({"*"})), "U1", "C1", Refused(reason="place_not_listed")),
        (replace(GROUP, authors=frozenset({"*"})), "U9", "C1", Role.GUEST),
        (replace(GROUP, group=GroupPolicy.OPEN), "U1", "C9", Role.MEMBER),
        (replace(GROUP, group=GroupPolicy.OPEN), "U9", "C9", NOT_LISTED),
        (replace(GROUP, group=GroupPolicy.DISABLED), "U1", "C1", Refused(reason="group_disabled")),
    ],
)
def test_a_group_message_counts_where_place_and_author_are_listed(
    door: Door, user: str, place: str, expected: Role | Refused
) -> None:
    assert authorize(said(who(user), place), guarded(door)) == expected


def test_a_listed_role_lets_its_people_in() -> None:
    moderator = replace(who("U9"), roles=("R1", "R7"))
    assert authorize(said(moderator, "C1"), guarded(GROUP)) is Role.MEMBER
    assert authorize(said(moderator), guarded(GROUP)) == NOT_LISTED


def test_leave_to_write_alone_is_none_in_a_group() -> None:
    door = replace(GROUP, dm=DmPolicy.PAIRING)
    assert authorize(said(who("U9"), "C1"), guarded(door), Known(paired=Role.MEMBER)) == NOT_LISTED
    listed = {SLACK: frozenset({"U9"})}
    assert authorize(said(who("U9"), "C1"), guarded(door, listed)) == NOT_LISTED


@pytest.mark.parametrize(
    ("bots", "addressed", "known", "expected"),
    [
        (AllowBots.OFF, True, Known(), Refused(reason="bot")),
        (AllowBots.MENTIONS, True, Known(), Role.MEMBER),
        (AllowBots.MENTIONS, False, Known(), Refused(reason="bot_not_mentioning")),
        (AllowBots.MENTIONS, None, Known(), Refused(reason="bot_not_mentioning")),
        (AllowBots.LISTED, False, Known(), Role.MEMBER),
        (AllowBots.LISTED, True, Known(bot_turns=2), Role.MEMBER),
        (AllowBots.LISTED, True, Known(bot_turns=3), Refused(reason="bot_limit")),
    ],
)
def test_another_program_is_heard_as_far_as_the_operator_wants(
    bots: AllowBots, addressed: bool | None, known: Known, expected: Role | Refused
) -> None:
    program = replace(who("U1"), kind=SenderKind.BOT)
    event = said(program, "C1", addressed=addressed)
    assert authorize(event, guarded(replace(GROUP, bots=bots)), known) == expected


def test_a_program_is_never_the_owner_and_the_platform_itself_is_nobody() -> None:
    door = replace(GROUP, bots=AllowBots.LISTED)
    assert authorize(said(replace(who("U0"), kind=SenderKind.BOT), "C1"), guarded(door)) is Role.MEMBER
    assert authorize(said(replace(who("U0"), kind=SenderKind.SYSTEM), "C1"), guarded(door)) == Refused(reason="bot")


def test_owners_approve_where_nobody_is_named_and_the_named_alone_where_somebody_is() -> None:
    named = replace(POLICY, approvers={SLACK: frozenset({"U1"})})
    assert [may_approve(said(who(user)), POLICY) for user in ("U0", "U1", "U9")] == [True, False, False]
    assert [may_approve(said(who(user)), named) for user in ("U0", "U1", "U9")] == [False, True, False]


def test_the_lowest_role_counts_and_a_stranger_has_a_guests() -> None:
    assert lowest([Role.OWNER, Role.MEMBER]) is Role.MEMBER
    assert lowest([Role.OWNER, None]) is Role.GUEST
    assert lowest([]) is Role.GUEST
