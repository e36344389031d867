"""Edits and deletes: of what waits, of what runs, of what is over."""

from dataclasses import replace

import pytest

from core.decide.decisions import Decision, Drop, Halt, Replace, Steer, Withdraw
from core.decide.intake import decide
from core.decide.view import ChatView, Target
from core.domain.message import InboundKind
from tests.unit.decide.situations import ANNA, BEN, MALLORY, RULES, SAID, asked

EDIT = replace(SAID, kind=InboundKind.EDIT, content="other words", message_id="m1")
DELETE = replace(SAID, kind=InboundKind.DELETE, content="", message_id="m1")
QUEUED = Target(inbound=7, turn=7, sender="anna", content="hello", live=True, begun=False, said=True, opens=True)
JOINED = replace(QUEUED, inbound=8)
BEGUN = replace(QUEUED, begun=True)
OVER = replace(BEGUN, live=False)
ANSWER = replace(BEGUN, said=False, opens=False)
STEERED = replace(BEGUN, inbound=9, opens=False)
BUSY = ChatView(live=1, running=True, at_work=7)

EDIT_NOTED = Drop(reason="edit_of_nothing_open")
DELETE_NOTED = Drop(reason="delete_of_nothing_open")


@pytest.mark.parametrize(
    ("target", "edited", "deleted"),
    [
        (QUEUED, Replace(inbound=7, turn=7), Withdraw(inbound=7, turn=7)),
        (JOINED, Replace(inbound=8, turn=7), Withdraw(inbound=8, turn=7)),
        (BEGUN, Steer(turn=7, said="(edited) other words"), Halt(turn=7)),
        (STEERED, Steer(turn=7, said="(edited) other words"), DELETE_NOTED),
        (OVER, EDIT_NOTED, DELETE_NOTED),
        (ANSWER, EDIT_NOTED, DELETE_NOTED),
        (None, EDIT_NOTED, DELETE_NOTED),
    ],
)
def test_what_a_change_does_depends_on_how_far_its_message_came(
    target: Target | None, edited: Decision, deleted: Decision
) -> None:
    assert decide(EDIT, replace(BUSY, target=target), RULES) == edited
    assert decide(DELETE, replace(BUSY, target=target), RULES) == deleted


@pytest.mark.parametrize("target", [QUEUED, BEGUN, STEERED])
def test_only_the_author_changes_a_message(target: Target) -> None:
    chat = replace(BUSY, target=target)
    assert decide(replace(EDIT, sender=BEN), chat, RULES) == Drop(reason="edit_of_another")
    assert decide(replace(DELETE, sender=BEN), chat, RULES) == Drop(reason="delete_of_another")
    assert decide(replace(EDIT, sender=MALLORY), chat, RULES) == Drop(reason="not_listed")
    assert decide(replace(DELETE, sender=MALLORY), chat, RULES) == Drop(reason="not_listed")


@pytest.mark.parametrize("content", ["hello", "", " \n"])
def test_an_edit_that_says_the_same_or_nothing_changes_nothing(content: str) -> None:
    for target in (QUEUED, BEGUN):
        decision = decide(replace(EDIT, content=content), replace(BUSY, target=target), RULES)
        assert decision == Drop(reason="edit_changes_nothing")


@pytest.mark.parametrize("content", ["/stop", "/new", "!stop", "/help", "/steer faster", "/stpo"])
def test_an_edit_never_becomes_a_command(content: str) -> None:
    edit = replace(EDIT, content=content)
    assert decide(edit, replace(BUSY, target=QUEUED), RULES) == Replace(inbound=7, turn=7)
    assert decide(edit, replace(BUSY, target=BEGUN), RULES) == Steer(turn=7, said=f"(edited) {content}")
    assert decide(edit, replace(BUSY, target=OVER), RULES) == EDIT_NOTED


def test_an_edit_never_becomes_an_answer() -> None:
    parked = ChatView(live=1, running=False, waits=[asked(ANNA)], target=replace(OVER, content="five"))
    assert decide(replace(EDIT, content="four"), parked, RULES) == EDIT_NOTED
    waiting = replace(parked, target=BEGUN)
    assert decide(replace(EDIT, content="four"), waiting, RULES) == Steer(turn=7, said="(edited) four")
