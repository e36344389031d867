"""What every provider demands of a conversation."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.domain.prompt import Prompt, PromptCall, PromptMessage
from core.models.validity import faults


def system(text: str = "Be short.") -> PromptMessage:
    return PromptMessage(role="system", content=text)


def user(text: str = "go") -> PromptMessage:
    return PromptMessage(role="user", content=text)


def assistant(text: str = "", *ids: str, arguments: str = "{}") -> PromptMessage:
    calls = tuple(PromptCall(id=call_id, name="calc", arguments=arguments) for call_id in ids)
    return PromptMessage(role="assistant", content=text, calls=calls)


def result(call_id: str | None) -> PromptMessage:
    return PromptMessage(role="tool", content="42", call_id=call_id, name="calc")


def found(*messages: PromptMessage) -> tuple[str, ...]:
    return faults(Prompt(messages=messages))


@pytest.mark.parametrize(
    "messages",
    [
        [user()],
        [system(), system("More."), user()],
        [user(), user(), assistant("Yes."), user()],
        [user(), assistant("", "a", "b"), result("b"), result("a")],
        [user(), assistant("Wait.", "a"), result("a"), user("and?")],
        [user(), assistant("", "a"), result("a"), assistant("", "b"), result("b")],
    ],
)
def test_a_conversation_that_every_provider_takes_has_no_faults(messages: list[PromptMessage]) -> None:
    assert found(*messages) == ()


@pytest.mark.parametrize(
    ("messages", "fault"),
    [
        ([], "nobody says anything"),
        ([system()], "nobody says anything"),
        ([assistant("Hi."), user()], "the first message after the system's is of role assistant"),
        ([result("gone"), user()], "message 0 is a result for gone, which no call in front of it waits for"),
        ([user(), assistant("Hi.")], "the last message is the assistant's own"),
        ([user(), system(), user()], "a system message stands between others"),
        ([user(" \n")], "message 0 of role user is empty"),
        ([system(""), user()], "message 0 of role system is empty"),
        ([user(), assistant(" "), user()], "message 1 of role assistant is empty"),
        ([user(), PromptMessage(role="function", content="x"), user()], "has a role that no provider knows"),
        ([PromptMessage(role="user", content="x", call_id="a")], "has the call id a"),
        ([user(), assistant("", "a"), result(None), result("a")], "has the call id None"),
        ([user(), assistant("", "a", arguments='{"a": '), result("a")], "arguments that are no JSON object in a"),
        ([user(), assistant("", "a", arguments=""), result("a")], "arguments that are no JSON object in a"),
        ([user(), assistant("", "a", arguments="[1]"), result("a")], "arguments that are no JSON object in a"),
        ([user(), assistant("", "a"), user("and?"), result("a")], "call a has no result before message 2"),
        ([user(), assistant("", "a"), user("and?"), result("a")], "message 3 is a result for a"),
        ([user(), assistant("", "a")], "call a has no result before message 2"),
        ([user(), assistant("", "a", "b"), result("a")], "call b has no result before message 3"),
        ([user(), assistant("", "a"), result("a"), result("a")], "message 3 is a result for a"),
        ([user(), assistant("", "a", "a"), result("a"), result("a")], "call id a is used 2 times"),
        (
            [user(), assistant("", "a"), result("a"), user(), assistant("", "a"), result("a")],
            "call id a is used 2 times",
        ),
        ([PromptMessage(role="user", content="x", calls=assistant("", "a").calls), result("a")], "has calls"),
    ],
)
def test_each_fault_is_named(messages: list[PromptMessage], fault: str) -> None:
    assert any(fault in line for line in found(*messages)), found(*messages)


@given(st.lists(st.sampled_from([user(), assistant("Yes."), assistant("", "a"), result("a"), system()]), max_size=6))
def test_a_conversation_without_faults_pairs_each_call_with_one_result(messages: list[PromptMessage]) -> None:
    if found(*messages):
        return
    calls = [call.id for message in messages for call in message.calls]
    assert calls == [message.call_id for message in messages if message.role == "tool"]
