"""What to do with something that came in."""

from dataclasses import replace

import pytest

from core.decide.decisions import Answer, Cancel, Command, Decision, Drop, Enqueue, Rewind
from core.decide.gate import Policy
from core.decide.intake import decide
from core.decide.sessions import Rewinding, number
from core.decide.view import Answerers, ChatView, Queueing, Rules
from core.domain.chat import ChatKey, Principal
from core.domain.command import COMMANDS, CommandCall
from core.domain.message import Attachment, Choice, Inbound, InboundKind
from core.domain.step import CallId
from core.domain.texts import Texts
from core.domain.wait import Given, Question, Wait

ANNA = Principal(channel="fake", account="acme", user_id="anna", name="Anna")
BEN = Principal(channel="fake", account="acme", user_id="ben")
MALLORY = Principal(channel="fake", account="acme", user_id="mallory", name="Anna")
RULES = Rules(
    policy=Policy(listed={("fake", "acme"): frozenset({"anna", "ben"})}),
    commands=COMMANDS,
    texts=Texts({}),
    queueing=Queueing(chat=2),
)
SAID = Inbound(
    event_key="e1",
    chat=ChatKey(channel="fake", account="acme", chat_id="room"),
    sender=ANNA,
    content="hello",
    at=0,
)
IDLE = ChatView(live=0, running=False)
BUSY = ChatView(live=1, running=True)
FULL = ChatView(live=3, running=True)
FILE = Attachment(name="a", media_type="b", size=1)

TOO_MANY = Drop(
    reason="queue_full",
    notice="2 messages already wait here. I did not take this one; please send it again later.",
    kept=True,
)
UNKNOWN = Drop(
    reason="unknown_command", notice="I do not know /stpo. Did you mean /stop? /help lists what I understand."
)


CLOSED = Drop(reason="question_closed", notice="This question is closed.")
WAIT = Wait(
    id=1,
    turn=1,
    question=Question(
        call=CallId(step=1, index=0),
        asked=ANNA,
        text="How many?",
        choices=(Choice(label="Two", token="t2"), Choice(label="Four", token="t4")),
        lasts=1,
        default=None,
        allow_empty=False,
    ),
    deadline=5,
)


def answer(text: str, *, shown: str | None = None) -> Answer:
    labels = [choice.label for choice in WAIT.question.choices]
    given = Given(text=text, shown=shown or text, choice=labels.index(text) if text in labels else None)
    return Answer(wait=WAIT, given=given, card=f"How many?: {given.shown} (Anna)")


def stop(notice: str) -> Cancel:
    return Cancel(call=CommandCall(name="stop"), cut=False, notice=notice)


@pytest.mark.parametrize(
    ("content", "chat", "expected"),
    [
        ("hello", IDLE, Enqueue()),
        ("hello", BUSY, Enqueue()),
        ("hello", ChatView(live=2, running=True), Enqueue()),
        ("hello", FULL, TOO_MANY),
        ("hello", ChatView(live=1, running=False), Enqueue()),
        ("hello", ChatView(live=2, running=False), TOO_MANY),
        ("", IDLE, Drop(reason="empty")),
        (" \n ", FULL, Drop(reason="empty")),
        ("//stop", IDLE, Enqueue()),
        ("/stpo", IDLE, UNKNOWN),
        ("/stpo", FULL, UNKNOWN),
        ("/help", FULL, Command(call=CommandCall(name="help"))),
        ("/model second", IDLE, Command(call=CommandCall(name="model", arguments="second"))),
        ("/stop", IDLE, stop("Nothing is running here.")),
        ("/stop", BUSY, stop("Stopped.")),
        ("/stop", FULL, stop("Stopped. 2 waiting messages dropped.")),
        ("/stop", ChatView(live=1, running=False), stop("Stopped.")),
        ("/resume 2", BUSY, Rewind(call=CommandCall(name="resume", arguments="2"), to=Rewinding.RESUME)),
        ("/retry", FULL, Rewind(call=CommandCall(name="retry"), to=Rewinding.RETRY, waiting=2)),
        ("/undo", IDLE, Rewind(call=CommandCall(name="undo"), to=Rewinding.UNDO)),
        ("/new", IDLE, Cancel(call=CommandCall(name="new"), cut=True, notice="New conversation.")),
        ("/new", FULL, Cancel(call=CommandCall(name="new"), cut=True, notice="New conversation.")),
    ],
)
def test_a_listed_persons_words_are_taken_by_what_they_say(content: str, chat: ChatView, expected: Decision) -> None:
    assert decide(replace(SAID, content=content), chat, RULES) == expected


@pytest.mark.parametrize("content", ["hello", "", "/stop", "/new", "/help", "/stpo"])
@pytest.mark.parametrize("chat", [IDLE, BUSY, FULL])
def test_a_stranger_is_dropped_without_a_word_whatever_he_says(content: str, chat: ChatView) -> None:
    stranger = replace(SAID, sender=replace(ANNA, user_id="mallory", name="anna"), content=content)
    assert decide(stranger, chat, RULES) == Drop(reason="not_listed")
    unverified = replace(SAID, sender=replace(ANNA, verified=False), content=content)
    assert decide(unverified, chat, RULES) == Drop(reason="unverified")


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        (InboundKind.EDIT, "edit_of_nothing_open"),
        (InboundKind.DELETE, "delete_of_nothing_open"),
    ],
)
def test_changes_start_nothing_even_when_they_look_like_commands(kind: InboundKind, reason: str) -> None:
    for content in ("hello", "/stop", ""):
        assert decide(replace(SAID, kind=kind, content=content), BUSY, RULES) == Drop(reason=reason)


@pytest.mark.parametrize(
    ("sender", "kind", "content", "expected"),
    [
        (ANNA, InboundKind.MESSAGE, "four", answer("Four")),
        (ANNA, InboundKind.MESSAGE, "2", answer("Four")),
        (ANNA, InboundKind.MESSAGE, "five", answer("(not among the choices) five", shown="five")),
        (ANNA, InboundKind.MESSAGE, "//stop", answer("(not among the choices) //stop", shown="//stop")),
        (ANNA, InboundKind.BUTTON, "t4", answer("Four")),
        (ANNA, InboundKind.BUTTON, "t9", CLOSED),
        (ANNA, InboundKind.MESSAGE, "t4", answer("(not among the choices) t4", shown="t4")),
        (ANNA, InboundKind.MESSAGE, "/help", Command(call=CommandCall(name="help"))),
        (ANNA, InboundKind.MESSAGE, "/stop", stop("Stopped.")),
        (ANNA, InboundKind.MESSAGE, " ", Drop(reason="empty")),
        (BEN, InboundKind.MESSAGE, "four", Enqueue(waits_for="Anna")),
        (BEN, InboundKind.BUTTON, "t4", Drop(reason="wrong_person", notice="This question is for Anna.")),
        (MALLORY, InboundKind.MESSAGE, "four", Drop(reason="not_listed")),
        (MALLORY, InboundKind.BUTTON, "t4", Drop(reason="not_listed")),
    ],
)
def test_an_open_question_is_answered_by_the_person_asked_and_nobody_else(
    sender: Principal, kind: InboundKind, content: str, expected: Decision
) -> None:
    said = replace(SAID, sender=sender, kind=kind, content=content)
    assert decide(said, ChatView(live=1, running=False, waits=[WAIT]), RULES) == expected


def test_a_question_that_is_not_shown_yet_is_answered_by_nothing() -> None:
    hidden = ChatView(live=1, running=False, waits=[replace(WAIT, deadline=None)])
    assert decide(replace(SAID, content="four"), hidden, RULES) == Enqueue(waits_for="Anna")


def test_a_button_of_no_question_is_told_that_it_is_closed() -> None:
    for content in ("t4", "/stop", ""):
        assert decide(replace(SAID, kind=InboundKind.BUTTON, content=content), BUSY, RULES) == CLOSED


def test_a_native_command_is_read_like_a_written_one() -> None:
    native = replace(SAID, kind=InboundKind.COMMAND, content="/help")
    assert decide(native, IDLE, RULES) == Command(call=CommandCall(name="help"))


def test_a_file_alone_is_a_message() -> None:
    assert decide(replace(SAID, content="", attachments=(FILE,)), IDLE, RULES) == Enqueue()


def test_the_operators_own_words_are_used() -> None:
    rules = replace(RULES, texts=Texts({"stopped": "Halt."}))
    assert decide(replace(SAID, content="/stop"), BUSY, rules) == stop("Halt.")


def test_what_a_person_wrote_is_not_taken_for_a_place_in_a_text() -> None:
    rules = replace(RULES, texts=Texts({"unknown_command": "{command} {nearest}"}))
    decision = decide(replace(SAID, content="/stpo {nearest}"), IDLE, rules)
    assert decision == Drop(reason="unknown_command", notice="/stpo /stop")


@pytest.mark.parametrize(
    ("words", "expected"),
    [("1", 1), ("12", 12), ("0", 0), ("", None), ("-1", None), ("1 2", None), ("²", None), ("1234567", None)],
)
def test_a_session_is_named_by_a_short_number_and_nothing_else(words: str, expected: int | None) -> None:
    assert number(words) == expected


def asks(number: int, user: str, card: str) -> Wait:
    asked = replace(WAIT.question.asked, user_id=user)
    return replace(WAIT, id=number, question=replace(WAIT.question, asked=asked), card=card)


TWO_OPEN = ChatView(live=1, running=False, waits=[asks(1, "anna", "m1"), asks(2, "ben", "m2")])


@pytest.mark.parametrize(
    ("who", "answerers", "reply_to", "answered"),
    [
        ("anna", Answerers.ASKER, None, 1),
        ("ben", Answerers.ASKER, None, 2),
        ("ben", Answerers.ASKER, "m1", 2),
        ("carl", Answerers.ASKER, "m1", None),
        ("ben", Answerers.MEMBERS, None, 2),
        ("ben", Answerers.MEMBERS, "m1", 1),
        ("carl", Answerers.MEMBERS, "m2", 2),
        ("carl", Answerers.MEMBERS, "m9", 0),
        ("carl", Answerers.MEMBERS, None, 0),
    ],
)
def test_with_several_questions_open_a_reply_to_the_card_or_the_sender_decides(
    who: str, answerers: Answerers, reply_to: str | None, answered: int | None
) -> None:
    policy = Policy(listed={("fake", "acme"): frozenset({"anna", "ben", "carl"})})
    rules = replace(RULES, policy=policy, answerers=lambda chat: answerers)
    said = replace(SAID, sender=replace(ANNA, user_id=who), content="four", reply_to=reply_to)
    decision = decide(said, TWO_OPEN, rules)
    match answered:
        case None:
            assert isinstance(decision, Enqueue)
        case 0:
            assert isinstance(decision, Drop)
            assert decision.reason == "which_question"
        case number:
            assert isinstance(decision, Answer)
            assert decision.wait.id == number
