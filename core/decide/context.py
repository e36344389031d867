"""Making a prompt that fits: what is kept, what is shortened, what goes first.

Old tool results become one line first, then the oldest whole exchanges go, calls together with their results. A
person's newest message never goes. The log itself keeps everything.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from core.domain.agent import AgentDefinition
from core.domain.chat import ChatKey
from core.domain.prompt import PromptMessage

# Workspace files that stand in every prompt, in this order, each cut at the bytes below.
WORKSPACE_FILES = ("AGENTS.md", "SOUL.md", "USER.md", "MEMORY.md")
WORKSPACE_FILE_BYTES = 20_000

_BYTES_PER_TOKEN = 3  # on the safe side: English has about 4, other languages fewer
_MESSAGE_TOKENS = 8
_KEPT_LINE = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """Messages that stay or go together, with their estimated size in tokens."""

    messages: tuple[PromptMessage, ...]
    tokens: int


def block(messages: Sequence[PromptMessage]) -> Block:
    """Measure messages once."""
    return Block(messages=tuple(messages), tokens=sum(tokens_of(message) for message in messages))


def tokens_of(message: PromptMessage) -> int:
    """An estimate that errs upwards."""
    size = _bytes(message.content) + sum(_bytes(call.arguments) + len(call.name) for call in message.calls)
    return size // _BYTES_PER_TOKEN + _MESSAGE_TOKENS


def fit(system: Block, past: Sequence[Block], current: Block, *, room: int) -> tuple[PromptMessage, ...]:
    """The prompt's messages within `room` tokens, as far as the rules above allow."""
    left = room - system.tokens - current.tokens
    if sum(piece.tokens for piece in past) > left:
        past = _shorten(past, left)
    if left < 0:
        current = _shorten_results(current, excess=-left)
    return (*system.messages, *(message for piece in past for message in piece.messages), *current.messages)


def system_text(
    agent: AgentDefinition, files: Mapping[str, str], *, chat: ChatKey, speakers: Sequence[str], today: str
) -> str:
    """The first message of every prompt. It changes only when its sources do, which keeps providers' caches warm."""
    sections = [agent.instructions.strip()]
    for name in WORKSPACE_FILES:
        text = files.get(name, "").strip()
        if text:
            sections.append(f"# {name}\n\n{text}")
    place = f"{chat.channel} chat {chat.chat_id}" + (f", thread {chat.thread_id}" if chat.thread_id else "")
    sections.append(
        f"# Now\n\nDate: {today}\nConversation: {place}\nSpeaking with: {', '.join(speakers) or 'nobody yet'}"
    )
    return "\n\n".join(section for section in sections if section)


def values_of(chat: ChatKey, *, speakers: Sequence[str], today: str) -> dict[str, str]:
    """What a line such as `<!-- CHANNEL -->` of an agent stands for."""
    return {
        "CHANNEL": chat.channel,
        "CHAT": chat.chat_id + (f", thread {chat.thread_id}" if chat.thread_id else ""),
        "PERSON": ", ".join(speakers) or "nobody yet",
        "DATE": today,
    }


def with_values(text: str, values: Mapping[str, str]) -> str:
    """The text with each known `__KEY__` that stands alone on its line filled in; others stay. Values are not looked
    at again, so nothing that a person is called can stand for something else.
    """
    return "\n".join(
        values[line[2:-2]] if line.startswith("__") and line.endswith("__") and line[2:-2] in values else line
        for line in text.split("\n")
    )


def _shorten(past: Sequence[Block], room: int) -> Sequence[Block]:
    total = sum(piece.tokens for piece in past)
    shortened = list(past)
    for index, piece in enumerate(past):
        if total <= room:
            break
        shortened[index] = _shorten_results(piece, excess=total - room)
        total -= piece.tokens - shortened[index].tokens
    first = 0
    while first < len(shortened) and total > room:
        total -= shortened[first].tokens
        first += 1
    return shortened[first:]


def _shorten_results(piece: Block, *, excess: int) -> Block:
    """Tool results become one line each, the oldest first, until `excess` tokens are saved."""
    messages = list(piece.messages)
    saved = 0
    for index, message in enumerate(messages):
        if saved >= excess:
            break
        if message.role == "tool" and len(message.content) > _KEPT_LINE:
            line = " ".join(message.content[:_KEPT_LINE].split())
            content = f"[shortened, {len(message.content)} characters] {line}"
            if len(content) >= len(message.content):
                continue
            short = replace(message, content=content)
            saved += tokens_of(message) - tokens_of(short)
            messages[index] = short
    return Block(messages=tuple(messages), tokens=piece.tokens - saved)


def _bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
