"""What comes too late to be answered."""

from dataclasses import replace

import pytest

from core.decide.decisions import Answer, Command, Decision, Drop, Enqueue
from core.decide.intake import decide
from core.decide.view import ChatView
from core.domain.chat import ChatKey
from core.domain.command import CommandCall
from core.domain.message import Attachment, InboundKind
from tests.unit.decide.situations import ANNA, MALLORY, RULES, SAID, asked

NOW = 1_000_000
AGE = 1_000


def max_age(chat: ChatKey) -> int:
    return AGE if chat.channel == "fake" else 7 * AGE


LIMITED = replace(RULES, max_age=max_age)
IDLE = ChatView(live=0, running=False, now=NOW)
OLD = replace(SAID, at=NOW - AGE - 1)
TOO_OLD = Drop(reason="too_old", kept=True)
FILE = Attachment(name="a", media_type="b", size=1)


@pytest.mark.parametrize(
    ("at", "expected"),
    [
        (NOW, Enqueue()),
        (NOW + 5, Enqueue()),
        (NOW - AGE, Enqueue()),
        (NOW - AGE - 1, TOO_OLD),
        (1, TOO_OLD),
        (0, Enqueue()),
    ],
)
def test_a_message_is_answered_up_to_an_age_and_not_beyond(at: int, expected: Decision) -> None:
    assert decide(replace(SAID, at=at), IDLE, LIMITED) == expected


def test_the_age_is_the_channels_own() -> None:
    slow = replace(OLD, chat=ChatKey(channel="pigeon", account="acme", chat_id="room"))
    sender = replace(ANNA, channel="pigeon")
    rules = replace(LIMITED, policy=replace(RULES.policy, listed={("pigeon", "acme"): frozenset({"anna"})}))
    assert decide(replace(slow, sender=sender), IDLE, rules) == Enqueue()
    assert decide(replace(slow, sender=sender, at=NOW - 7 * AGE - 1), IDLE, rules) == TOO_OLD


def test_without_an_age_nothing_is_too_old() -> None:
    assert decide(OLD, IDLE, RULES) == Enqueue()


@pytest.mark.parametrize(
    ("kind", "content", "reason"),
    [
        (InboundKind.MESSAGE, "/stop", "command_too_old"),
        (InboundKind.MESSAGE, "/new", "command_too_old"),
        (InboundKind.MESSAGE, "/stpo", "command_too_old"),
        (InboundKind.COMMAND, "/help", "command_too_old"),
        (InboundKind.EDIT, "hello", "edit_too_old"),
        (InboundKind.DELETE, "", "delete_too_old"),
        (InboundKind.BUTTON, "t4", "button_too_old"),
        (InboundKind.MESSAGE, " ", "empty"),
    ],
)
def test_an_order_of_long_ago_is_none_any_more(kind: InboundKind, content: str, reason: str) -> None:
    assert decide(replace(OLD, kind=kind, content=content), IDLE, LIMITED) == Drop(reason=reason)


def test_a_file_of_long_ago_is_kept() -> None:
    assert decide(replace(OLD, content="", attachments=(FILE,)), IDLE, LIMITED) == TOO_OLD


def test_a_stranger_is_dropped_for_being_one() -> None:
    assert decide(replace(OLD, sender=MALLORY), IDLE, LIMITED) == Drop(reason="not_listed")


@pytest.mark.parametrize("kind", [InboundKind.MESSAGE, InboundKind.BUTTON])
def test_an_answer_counts_however_late_it_comes(kind: InboundKind) -> None:
    shown = OLD.at - 5
    chat = replace(IDLE, live=1, waits=[asked(ANNA, deadline=shown + 60_000, lasts=60_000)])
    content = "t4" if kind is InboundKind.BUTTON else "four"
    decision = decide(replace(OLD, kind=kind, content=content), chat, LIMITED)
    assert isinstance(decision, Answer)
    assert decision.given.text == "Four"


def test_what_was_said_before_the_question_is_no_answer_to_it() -> None:
    chat = replace(IDLE, live=1, waits=[asked(ANNA, deadline=OLD.at + 1 + 60_000, lasts=60_000)])
    assert decide(replace(OLD, content="four"), chat, LIMITED) == TOO_OLD


def test_a_command_in_time_is_performed() -> None:
    assert decide(replace(SAID, at=NOW, content="/help"), IDLE, LIMITED) == Command(call=CommandCall(name="help"))
