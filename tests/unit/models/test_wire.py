"""Prompts in the provider's form, where a provider would refuse a plain copy."""

from core.domain.prompt import Prompt, PromptCall, PromptMessage
from core.models.wire import wire_messages, wire_tools

CALL = PromptCall(id="call_1", name="read file!", arguments="{}")
USED = Prompt(
    messages=(
        PromptMessage(role="user", content="go", name="Ada Lovelace (ada@example.org)"),
        PromptMessage(role="assistant", content="", calls=(CALL,)),
        PromptMessage(role="tool", content="", call_id="call_1", name="read file!"),
    )
)


def test_names_that_no_provider_takes_are_made_to_fit() -> None:
    user, assistant, tool = wire_messages(USED)
    assert user["name"] == "Ada_Lovelace__ada_example_org_"
    assert assistant["tool_calls"] == [
        {"id": "call_1", "type": "function", "function": {"name": "read_file_", "arguments": "{}"}}
    ]
    assert tool["name"] == "read_file_"


def test_a_name_is_never_empty_or_longer_than_providers_take() -> None:
    calls = (PromptCall(id="a", name="", arguments="{}"), PromptCall(id="b", name="x" * 99, arguments="{}"))
    (message,) = wire_messages(Prompt(messages=(PromptMessage(role="assistant", content="", calls=calls),)))
    assert isinstance(message["tool_calls"], list)
    assert [call["function"]["name"] for call in message["tool_calls"]] == ["unnamed", "x" * 64]


def test_a_history_with_calls_and_no_tools_names_the_tools_it_used() -> None:
    (tool,) = wire_tools(USED)
    assert tool == {
        "type": "function",
        "function": {
            "name": "read_file_",
            "description": "This tool is not available any more.",
            "parameters": {"type": "object", "properties": {}},
        },
    }


def test_a_conversation_without_calls_offers_no_tools() -> None:
    assert wire_tools(Prompt(messages=(PromptMessage(role="user", content="hi"),))) == []
