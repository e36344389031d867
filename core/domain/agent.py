"""An agent as the engine needs it: words for the prompt and the names of its tools."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentDefinition:
    """Read anew for each turn, so that an edited folder counts from the next message on."""

    id: str
    name: str
    instructions: str
    tools: tuple[str, ...]
    model: str | None = None
