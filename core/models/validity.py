"""What every provider demands of a conversation, as one pure rule."""

import json
from collections import Counter
from collections.abc import Iterator

from core.domain.prompt import Prompt, PromptMessage

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
        if message.role not in ROLES:
            yield f"message {place} has the unknown role {message.role}"
        if message.role in {"user", "system"} and not message.content.strip():
            yield f"message {place}, the {message.role}'s, is empty"
        if message.role == "assistant" and not message.calls and not message.content.strip():
            yield f"message {place}, the assistant's, has neither text nor calls"
        if message.role != "assistant" and message.calls:
            yield f"message {place} of role {message.role} has calls"
        yield from (
            f"the arguments of call {call.id} are no JSON object"
            for call in message.calls
            if not _object(call.arguments)
        )
        if (message.role == "tool") != (message.call_id is not None):
            yield f"message {place} of role {message.role} has call id {message.call_id}"


def _object(arguments: str) -> bool:
    try:
        return isinstance(json.loads(arguments), dict)
    except (ValueError, RecursionError):
        return False


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
