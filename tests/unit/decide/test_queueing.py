"""What becomes of a message while a turn runs, by queue mode and by what waits already."""

from dataclasses import replace

import pytest

from core.decide.decisions import Collect, Command, Decision, Drop, Enqueue, Interrupt, Steer
from core.decide.intake import decide
from core.decide.view import Backlog, Burst, ChatView
from core.domain.chat import Principal, QueueMode
from core.domain.command import CommandCall
from core.domain.message import Attachment
from tests.unit.decide.situations import ANNA, BEN, CARL, OLGA, RULES, SAID, asked

IDLE = ChatView(live=0, running=False)
READY = ChatView(live=1, running=True)
AT_WORK = ChatView(live=1, running=True, at_work=1)
PARKED = ChatView(live=1, running=False, waits=[asked(ANNA)])
SHARED = replace(AT_WORK, starter=ANNA)
FILE = Attachment(name="a", media_type="b", size=1)


def full(waiting: int, *, told: bool = False) -> Drop:
    text = f"{waiting} messages already wait here. I did not take this one; please send it again later."
    return Drop(reason="queue_full", notice=None if told else text, kept=True)


def of_anna(messages: int) -> Burst:
    return Burst(turn=7, sender="anna", messages=messages)


@pytest.mark.parametrize(
    ("chat", "mode", "expected"),
    [
        (IDLE, QueueMode.QUEUE, Enqueue()),
        (AT_WORK, QueueMode.QUEUE, Enqueue()),
        (IDLE, QueueMode.STEER, Enqueue()),
        (READY, QueueMode.STEER, Enqueue()),
        (AT_WORK, QueueMode.STEER, Steer(turn=1, said="hello")),
        (IDLE, QueueMode.INTERRUPT, Enqueue()),
        (READY, QueueMode.INTERRUPT, Enqueue()),
        (AT_WORK, QueueMode.INTERRUPT, Interrupt(turn=1, then=Enqueue())),
        (IDLE, QueueMode.COLLECT, Enqueue(burst_ms=2_000)),
        (AT_WORK, QueueMode.COLLECT, Enqueue()),
        (replace(READY, burst=of_anna(1)), QueueMode.COLLECT, Collect(turn=7, burst_ms=2_000)),
        (replace(AT_WORK, burst=of_anna(1)), QueueMode.COLLECT, Collect(turn=7, burst_ms=2_000)),
        (replace(READY, burst=of_anna(2)), QueueMode.COLLECT, Collect(turn=7, burst_ms=0)),
        (replace(READY, burst=of_anna(3)), QueueMode.COLLECT, Enqueue()),
        (replace(READY, burst=Burst(turn=7, sender="ben", messages=1)), QueueMode.COLLECT, Enqueue()),
    ],
)
def test_the_mode_decides_what_becomes_of_a_message(chat: ChatView, mode: QueueMode, expected: Decision) -> None:
    assert decide(SAID, replace(chat, mode=mode), RULES) == expected


def test_a_burst_of_one_is_not_waited_for() -> None:
    rules = replace(RULES, queueing=replace(RULES.queueing, burst=1))
    assert decide(SAID, replace(IDLE, mode=QueueMode.COLLECT), rules) == Enqueue()


@pytest.mark.parametrize("mode", list(QueueMode))
def test_behind_somebody_elses_question_every_mode_waits(mode: QueueMode) -> None:
    decision = decide(replace(SAID, sender=BEN), replace(PARKED, mode=mode), RULES)
    assert decision == Enqueue(waits_for="Anna")


@pytest.mark.parametrize(
    ("chat", "expected"),
    [
        (replace(IDLE, live=5, running=True), Enqueue()),
        (replace(IDLE, live=6, running=True), full(5)),
        (replace(IDLE, live=4, running=False), Enqueue()),
        (replace(IDLE, live=5, running=False), full(5)),
        (replace(AT_WORK, live=3, backlog=Backlog(messages=2, senders=2)), Enqueue()),
        (replace(AT_WORK, live=4, backlog=Backlog(messages=3, senders=3)), full(3)),
        (replace(AT_WORK, live=4, backlog=Backlog(messages=4, senders=2)), Enqueue()),
        (replace(AT_WORK, live=2, backlog=Backlog(messages=5, senders=1)), full(5)),
        (replace(AT_WORK, live=6, backlog=Backlog(messages=5, refused=True)), full(5, told=True)),
    ],
)
@pytest.mark.parametrize("mode", [QueueMode.QUEUE, QueueMode.INTERRUPT])
def test_a_chat_and_a_person_can_have_so_much_waiting_and_no_more(
    chat: ChatView, expected: Decision, mode: QueueMode
) -> None:
    decision = decide(SAID, replace(chat, mode=mode), RULES)
    interrupts = mode is QueueMode.INTERRUPT and chat.at_work and isinstance(expected, Enqueue)
    assert decision == (Interrupt(turn=1, then=Enqueue()) if interrupts else expected)


def test_a_full_queue_takes_what_steers() -> None:
    chat = replace(AT_WORK, live=9, mode=QueueMode.STEER)
    assert decide(SAID, chat, RULES) == Steer(turn=1, said="hello")


@pytest.mark.parametrize(
    ("sender", "interrupts"),
    [(ANNA, True), (OLGA, True), (BEN, False)],
)
def test_in_a_shared_chat_only_who_may_stop_interrupts(sender: Principal, interrupts: bool) -> None:
    said = replace(SAID, sender=sender, shared=True)
    decision = decide(said, replace(SHARED, mode=QueueMode.INTERRUPT), RULES)
    assert decision == (Interrupt(turn=1, then=Enqueue()) if interrupts else Enqueue())


@pytest.mark.parametrize("mode", list(QueueMode))
def test_the_answer_to_a_question_is_an_answer_in_every_mode(mode: QueueMode) -> None:
    chat = replace(AT_WORK, mode=mode, waits=[asked(CARL)])
    decision = decide(replace(SAID, sender=CARL, content="four"), chat, RULES)
    assert type(decision).__name__ == "Answer"


@pytest.mark.parametrize(
    ("content", "chat", "expected"),
    [
        ("/steer shorter, please", AT_WORK, Steer(turn=1, said="shorter, please")),
        ("/steer /stop", AT_WORK, Steer(turn=1, said="/stop")),
        ("/steer shorter", IDLE, Enqueue(said="shorter")),
        ("/steer shorter", READY, Enqueue(said="shorter")),
        ("/steer", AT_WORK, Command(call=CommandCall(name="steer"))),
        ("/steer", IDLE, Command(call=CommandCall(name="steer"))),
        ("/queue collect", AT_WORK, Command(call=CommandCall(name="queue", arguments="collect"))),
    ],
)
@pytest.mark.parametrize("mode", [QueueMode.QUEUE, QueueMode.STEER])
def test_steering_is_possible_once_whatever_the_mode(
    content: str, chat: ChatView, expected: Decision, mode: QueueMode
) -> None:
    assert decide(replace(SAID, content=content), replace(chat, mode=mode), RULES) == expected


def test_steering_with_nothing_to_steer_answers_the_question_of_the_person_asked() -> None:
    decision = decide(replace(SAID, content="/steer four"), PARKED, RULES)
    assert type(decision).__name__ == "Answer"


def test_a_file_alone_steers_and_nothing_at_all_does_not() -> None:
    chat = replace(AT_WORK, mode=QueueMode.STEER)
    assert decide(replace(SAID, content="", attachments=(FILE,)), chat, RULES) == Steer(turn=1, said="")
    assert decide(replace(SAID, content=" "), chat, RULES) == Drop(reason="empty")
