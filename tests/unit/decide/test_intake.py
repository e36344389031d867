"""What to do with something that came in."""

from dataclasses import replace

import pytest

from core.decide.gate import Policy
from core.decide.intake import Cancel, ChatView, Command, Decision, Drop, Enqueue, Rules, decide
from core.decide.texts import Texts
from core.domain.chat import ChatKey, Principal
from core.domain.command import COMMANDS, CommandCall
from core.domain.message import Attachment, Inbound, InboundKind

ANNA = Principal(channel="fake", account="acme", user_id="anna")
RULES = Rules(
    policy=Policy(listed={("fake", "acme"): frozenset({"anna"})}), commands=COMMANDS, texts=Texts({}), queued_chat=2
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
)
UNKNOWN = Drop(
    reason="unknown_command", notice="I do not know /stpo. Did you mean /stop? /help lists what I understand."
)


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
        (InboundKind.BUTTON, "button_of_nothing_open"),
    ],
)
def test_changes_and_buttons_start_nothing_even_when_they_look_like_commands(kind: InboundKind, reason: str) -> None:
    for content in ("hello", "/stop", ""):
        assert decide(replace(SAID, kind=kind, content=content), BUSY, RULES) == Drop(reason=reason)


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
