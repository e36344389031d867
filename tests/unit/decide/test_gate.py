"""Who may speak."""

import pytest

from core.decide.gate import Policy, Refused, Role, authorize
from core.domain.chat import Principal

SLACK = ("slack", "T1")
TERMINAL = ("terminal", "anna")
POLICY = Policy(
    trusted=frozenset({TERMINAL}),
    listed={SLACK: frozenset({"U1", "*"}), ("slack", "T2"): frozenset(), ("discord", "D1"): frozenset({"U2"})},
)


def who(user: str, place: tuple[str, str] = SLACK, *, name: str = "", verified: bool = True) -> Principal:
    return Principal(channel=place[0], account=place[1], user_id=user, name=name, verified=verified)


@pytest.mark.parametrize(
    ("sender", "expected"),
    [
        (who("U1"), Role.MEMBER),
        (who("U2"), Refused(reason="not_listed")),
        (who("U1", ("slack", "T2")), Refused(reason="not_listed")),
        (who("U1", ("slack", "T3")), Refused(reason="not_listed")),
        (who("U1", ("discord", "D1")), Refused(reason="not_listed")),
        (who("U2", ("discord", "D1")), Role.MEMBER),
        (who("u1"), Refused(reason="not_listed")),
        (who("U1 "), Refused(reason="not_listed")),
        (who(""), Refused(reason="not_listed")),
        (who("U1", verified=False), Refused(reason="unverified")),
        (who("anyone", TERMINAL), Role.OWNER),
        (who("", TERMINAL, verified=False), Role.OWNER),
        (who("anyone", ("terminal", "ben")), Refused(reason="not_listed")),
    ],
)
def test_platform_ids_decide_and_nothing_else(sender: Principal, expected: Role | Refused) -> None:
    assert authorize(sender, POLICY) == expected


def test_a_name_is_never_a_right() -> None:
    assert authorize(who("U9", name="U1"), POLICY) == Refused(reason="not_listed")


def test_without_a_policy_nobody_is_let_in() -> None:
    assert authorize(who("U1"), Policy()) == Refused(reason="not_listed")
