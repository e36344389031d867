"""Tools and agents as the engine uses them."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from core.domain.agent import AgentDefinition
from core.domain.chat import ChatKey, Principal
from core.domain.tool import ToolOutcome, ToolSpec
from core.ports.ambient import Clock


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolContext:
    """What a call may know and use. It never sees the store.

    `progress` is cosmetic and may be lost. `replay_key` names the call: the same after a crash.
    """

    chat: ChatKey
    principal: Principal
    workspace: Path
    clock: Clock
    replay_key: str
    progress: Callable[[str], None]
    uploads: Path


class Tool(Protocol):
    """One tool. It validates its own arguments: whatever text a model wrote goes in."""

    @property
    def spec(self) -> ToolSpec:
        """Name, schema, effect."""

    async def run(self, arguments: str, context: ToolContext) -> ToolOutcome:
        """An Ask parks the call until the person has answered; a Delegate lets another agent work on it.

        Raises ToolError with a text for the model; anything else is a bug and is reported as one.
        """


class Agents(Protocol):
    """The agents that can answer."""

    def get(self, agent_id: str) -> AgentDefinition:
        """Read anew; raises SettingsError that names the folder and what is wrong in it."""
