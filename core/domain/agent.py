"""An agent as the engine needs it: words for the prompt and the names of its tools."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentDefinition:
    """Read anew for each turn, so that an edited folder counts from the next message on.

    `model` pins one; else `scope` and `strength` say what is needed. `memory` are files of the workspace that stand in
    the prompt, `skills` says whether those do.
    """

    id: str
    name: str
    instructions: str
    tools: tuple[str, ...]
    model: str | None = None
    scope: str | None = None
    strength: str | None = None
    memory: tuple[str, ...] = ()
    skills: bool = True
