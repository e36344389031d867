"""A request to a model, as the engine makes it."""

from dataclasses import dataclass

from core.domain.tool import ToolSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptCall:
    """A call in a prompt, under an id that is unique in that prompt."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptMessage:
    """One message of a prompt. `role` is system, user, assistant or tool; `call_id` is set on tool results only."""

    role: str
    content: str
    calls: tuple[PromptCall, ...] = ()
    call_id: str | None = None
    name: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """A whole request to a model: valid for every provider, each call followed by exactly one result."""

    messages: tuple[PromptMessage, ...]
    tools: tuple[ToolSpec, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSize:
    """What fits: the window and the part of it kept for the answer, in tokens."""

    window: int
    output: int
