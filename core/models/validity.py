"""What every provider demands of a conversation, as one pure rule."""

import json
from collections import Counter
from collections.abc import Iterator

from core.domain.prompt import Prompt, PromptCall, PromptMessage

ROLES = frozenset({"system", "user", "assistant", "tool"})


def faults(prompt: Prompt) -> tuple[str, ...]:
    """Why some provider would refuse this prompt, one line each; empty when none would."""
    return (*_shape(prompt.messages), *_contents(prompt.messages), *_pairs(prompt.messages))


def _shape(messages: tuple[PromptMessage, ...]) -> Iterator[str]:
    spoken = [message for message in messages if message.role != "system"]
    if not spoken:
        yield "nobody says anything: there must be a user message"
        return
    if spoken[0].role != "user":
        yield f"the first message after the system's is of role {spoken[0].role}, not user"
    if spoken[-1].role == "assistant":
        yield "the last message is the assistant's own: there is nothing to answer"
    leading = len(messages) - len(spoken)
    if any(message.role == "system" for message in messages[leading:]):
        yield "a system message stands between others: all of them belong to the front"


def _contents(messages: tuple[PromptMessage, ...]) -> Iterator[str]:
    for place, message in enumerate(messages):
        yield from (f"message {place} of role {message.role} {fault}" for fault in _own_faults(message))


def _own_faults(message: PromptMessage) -> Iterator[str]:
    if message.role not in ROLES:
        yield "has a role that no provider knows"
    if message.role != "tool" and not message.content.strip() and not message.calls:
        yield "is empty"
    if message.role != "assistant" and message.calls:
        yield "has calls"
    if (message.role == "tool") != (message.call_id is not None):
        yield f"has the call id {message.call_id}"
    yield from (f"has arguments that are no JSON object in {call.id}" for call in message.calls if not _fits(call))


def _fits(call: PromptCall) -> bool:
    try:
        return isinstance(json.loads(call.arguments, parse_constant=_refuse), dict)
    except (ValueError, RecursionError):
        return False


def _refuse(constant: str) -> object:
    """NaN and Infinity are Python's, not JSON's."""
    raise ValueError(constant)


def _pairs(messages: tuple[PromptMessage, ...]) -> Iterator[str]:
    """Results stand right behind the message that has their calls, each call has exactly one."""
    ids = Counter(call.id for message in messages for call in message.calls)
    yield from (f"call id {call_id} is used {times} times" for call_id, times in ids.items() if times > 1)
    open_ids: list[str] = []
    for place, message in enumerate(messages):
        if message.role == "tool":
            if message.call_id in open_ids:
                open_ids.remove(message.call_id)
            else:
                yield f"message {place} is a result for {message.call_id}, which no call in front of it waits for"
            continue
        yield from _unanswered(open_ids, place)
        open_ids = [call.id for call in message.calls]
    yield from _unanswered(open_ids, len(messages))


def _unanswered(open_ids: list[str], place: int) -> Iterator[str]:
    for call_id in open_ids:
        yield f"call {call_id} has no result before message {place}"
