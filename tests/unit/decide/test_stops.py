"""Who may stop what runs, and what is looked up to know it."""

from dataclasses import replace

import pytest

from core.decide.decisions import Cancel, Drop, Rewind
from core.decide.facts import Fact, facts
from core.decide.intake import decide
from core.decide.view import Backlog, Burst, ChatView
from core.domain.chat import Principal, QueueMode
from core.domain.message import Inbound, InboundKind
from tests.unit.decide.situations import ANNA, BEN, CARL, MALLORY, OLGA, RULES, SAID, asked

RUNS = ChatView(live=1, running=True, at_work=1, starter=ANNA)
ASKS = ChatView(live=2, running=False, waits=[asked(BEN)], starter=ANNA)
NOT_YOURS = Drop(reason="stop_not_yours", notice="Only Anna or an owner can do that.")
IDLE = ChatView(live=0, running=False)


@pytest.mark.parametrize("command", ["/stop", "/new", "!stop", "/retry", "/undo", "/resume 1"])
@pytest.mark.parametrize(
    ("sender", "chat", "allowed"),
    [
        (ANNA, RUNS, True),
        (OLGA, RUNS, True),
        (BEN, RUNS, False),
        (CARL, RUNS, False),
        (ANNA, ASKS, True),
        (BEN, ASKS, True),
        (CARL, ASKS, False),
        (OLGA, ASKS, True),
        (CARL, IDLE, True),
    ],
)
def test_in_a_shared_chat_the_starter_the_person_asked_and_owners_stop(
    command: str, sender: Principal, chat: ChatView, allowed: bool
) -> None:
    decision = decide(replace(SAID, sender=sender, content=command, shared=True), chat, RULES)
    assert isinstance(decision, Cancel | Rewind) if allowed else decision == NOT_YOURS


def test_alone_with_somebody_nobody_else_is_asked_for_leave() -> None:
    assert isinstance(decide(replace(SAID, sender=BEN, content="/stop"), replace(RUNS, starter=None), RULES), Cancel)


def test_a_starter_without_a_name_is_called_by_his_id() -> None:
    decision = decide(replace(SAID, sender=BEN, content="/stop", shared=True), replace(RUNS, starter=CARL), RULES)
    assert decision == replace(NOT_YOURS, notice="Only carl or an owner can do that.")


def test_a_name_gives_no_right() -> None:
    stranger = replace(SAID, sender=MALLORY, content="/stop", shared=True)
    assert decide(stranger, RUNS, RULES) == Drop(reason="not_listed")


def test_messages_that_wait_together_are_counted_one_by_one() -> None:
    decision = decide(replace(SAID, content="/stop"), replace(RUNS, live=2, backlog=Backlog(messages=4)), RULES)
    assert isinstance(decision, Cancel)
    assert decision.notice == "Stopped. 4 waiting messages dropped."


@pytest.mark.parametrize(
    ("sender", "command", "allowed"),
    [
        (BEN, "/undo", True),
        (CARL, "/undo", False),
        (ANNA, "/undo", True),
        (BEN, "/retry", False),
        (BEN, "/stop", False),
    ],
)
def test_what_nobody_has_read_yet_is_taken_back_by_whoever_said_it(
    sender: Principal, command: str, allowed: bool
) -> None:
    chat = replace(RUNS, live=2, burst=Burst(turn=2, sender="ben", messages=1))
    decision = decide(replace(SAID, sender=sender, content=command, shared=True), chat, RULES)
    assert isinstance(decision, Rewind) if allowed else decision == NOT_YOURS


def test_the_turn_that_comes_first_is_not_taken_back_as_one_that_waits() -> None:
    chat = replace(RUNS, burst=Burst(turn=1, sender="ben", messages=1))
    assert decide(replace(SAID, sender=BEN, content="/undo", shared=True), chat, RULES) == NOT_YOURS


def test_trying_again_counts_what_waits_as_stop_does() -> None:
    decision = decide(replace(SAID, content="/retry"), replace(RUNS, live=2, backlog=Backlog(messages=4)), RULES)
    assert isinstance(decision, Rewind)
    assert decision.waiting == 4


EDIT = replace(SAID, kind=InboundKind.EDIT)
STOP = replace(SAID, content="/stop", shared=True)
STRANGE = replace(STOP, sender=MALLORY)
WAITING = replace(RUNS, live=4)


@pytest.mark.parametrize(
    ("said", "chat", "needed"),
    [
        (SAID, IDLE, Fact.NONE),
        (SAID, RUNS, Fact.NONE),
        (SAID, replace(RUNS, live=3), Fact.NONE),
        (SAID, WAITING, Fact.BACKLOG),
        (EDIT, IDLE, Fact.NONE),
        (EDIT, RUNS, Fact.TARGET),
        (replace(EDIT, kind=InboundKind.DELETE, content="/stop"), WAITING, Fact.TARGET),
        (replace(SAID, kind=InboundKind.BUTTON), WAITING, Fact.NONE),
        (STOP, IDLE, Fact.NONE),
        (STOP, RUNS, Fact.STARTER),
        (replace(STOP, content="/retry"), RUNS, Fact.STARTER),
        (replace(STOP, content="/undo"), RUNS, Fact.STARTER | Fact.BURST),
        (replace(STOP, content="/undo", shared=False), RUNS, Fact.NONE),
        (replace(STOP, shared=False), RUNS, Fact.NONE),
        (replace(STOP, content="/help"), RUNS, Fact.NONE),
        (STRANGE, WAITING, Fact.NONE),
        (replace(EDIT, sender=MALLORY), WAITING, Fact.NONE),
        (SAID, replace(RUNS, mode=QueueMode.INTERRUPT), Fact.NONE),
        (replace(SAID, shared=True), replace(RUNS, mode=QueueMode.INTERRUPT), Fact.STARTER),
        (SAID, replace(RUNS, mode=QueueMode.COLLECT), Fact.BURST | Fact.BACKLOG),
        (SAID, replace(RUNS, mode=QueueMode.STEER), Fact.NONE),
    ],
)
def test_only_what_decides_is_looked_up(said: Inbound, chat: ChatView, needed: Fact) -> None:
    assert facts(said, chat, RULES) == needed
