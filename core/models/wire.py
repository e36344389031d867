"""A prompt in the OpenAI wire form, which the model library translates for every other provider."""

import re

from core.domain.prompt import Prompt, PromptMessage

NAME_LENGTH = 64
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_-]")
GONE = "This tool is not available any more."


def wire_messages(prompt: Prompt) -> list[dict[str, object]]:
    """The messages, in their order."""
    return [_message(message) for message in prompt.messages]


def wire_tools(prompt: Prompt) -> list[dict[str, object]]:
    """The tools as functions.

    Some providers refuse a history with calls when no tool is offered; then the tools of that history are named.
    """
    if prompt.tools:
        return [_function(tool.name, tool.description, dict(tool.schema)) for tool in prompt.tools]
    called = dict.fromkeys(call.name for message in prompt.messages for call in message.calls)
    return [_function(name, GONE, {"type": "object", "properties": {}}) for name in called]


def _message(message: PromptMessage) -> dict[str, object]:
    wire: dict[str, object] = {"role": message.role, "content": message.content}
    if message.calls:
        wire["content"] = message.content or None
        wire["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": _name(call.name), "arguments": call.arguments}}
            for call in message.calls
        ]
    if message.call_id is not None:
        wire["tool_call_id"] = message.call_id
    if message.name:
        wire["name"] = _name(message.name)
    return wire


def _function(name: str, description: str, schema: dict[str, object]) -> dict[str, object]:
    function = {"name": _name(name), "description": description, "parameters": schema}
    return {"type": "function", "function": function}


def _name(name: str) -> str:
    """Providers refuse a whole conversation for one odd name in it, and a model may call a tool by any name."""
    return _NOT_IN_NAMES.sub("_", name)[:NAME_LENGTH] or "unnamed"
