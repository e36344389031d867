"""Tools and agents as the engine uses them."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

from core.domain.agent import AgentDefinition
from core.domain.chat import ChatKey, Principal
from core.domain.errors import SettingsError, ToolError
from core.domain.message import Reply
from core.domain.skill import Skill
from core.domain.tool import Proposal, ToolOutcome, ToolSpec
from core.ports.ambient import Clock


class Say(Protocol):
    """Sends a reply while a call runs."""

    def __call__(self, reply: Reply, to: ChatKey | None = None) -> Awaitable[None]:
        """To this chat, or to another one. Raises ToolError when the turn was stopped: then nothing went out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolContext:
    """What a call may know and use. It never sees the store.

    `progress` is cosmetic and may be lost. `replay_key` names the call: the same after a crash. `say` sends a reply to
    this chat or, with a second argument, to another one, in the order of the calls; it returns once the reply is
    certain to go out. A call that is run again after a crash and says the same in the same order repeats nothing.
    """

    chat: ChatKey
    principal: Principal
    workspace: Path
    clock: Clock
    replay_key: str
    progress: Callable[[str], None]
    uploads: Path
    say: Say


class Tool(Protocol):
    """One tool. It validates its own arguments: whatever text a model wrote goes in."""

    @property
    def spec(self) -> ToolSpec:
        """Name, schema, effect."""

    async def run(self, arguments: str, context: ToolContext) -> ToolOutcome:
        """An Ask parks the call until the person has answered; a Delegate lets another agent work on it.

        Raises ToolError with a text for the model; anything else is a bug and is reported as one.
        """


@runtime_checkable
class Proposes(Protocol):
    """A tool that can say exactly what a call would do, before it is run and without doing any of it."""

    async def propose(self, arguments: str, context: ToolContext) -> Proposal:
        """Reads what the digest covers. Raises ToolError for arguments that would not run even with a yes."""


class Skills(Protocol):
    """The skills that there are."""

    def all(self) -> Sequence[Skill]:
        """Read anew, by name; the broken ones are passed over."""

    def load(self, name: str) -> Skill:
        """Raises ToolError for one that there is not, that cannot be read, or that misses something."""


class NoSkills:
    """Where there are none."""

    def all(self) -> Sequence[Skill]:
        """None."""
        return ()

    def load(self, name: str) -> Skill:
        """Raises ToolError."""
        raise ToolError("there are no skills here")


NO_SKILLS: Skills = NoSkills()


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskAgent:
    """An agent that works for others, as they choose it."""

    id: str
    description: str
    instructions: str = ""


class Agents(Protocol):
    """The agents that can answer people, and those that work for other agents."""

    def get(self, agent_id: str) -> AgentDefinition:
        """Read anew; raises SettingsError that names the folder and what is wrong in it."""

    def task(self, agent_id: str) -> AgentDefinition:
        """One that works for others, read anew. Raises ToolError for one that there is not, that does not, or that is
        broken, with a text for whoever wanted it.
        """

    def tasks(self) -> Sequence[TaskAgent]:
        """Those that work for others, by id."""


class NoAgents:
    """Where there are none."""

    def get(self, agent_id: str) -> AgentDefinition:
        """Raises SettingsError."""
        raise SettingsError(f"there is no agent {agent_id} here")

    def task(self, agent_id: str) -> AgentDefinition:
        """Raises ToolError."""
        raise ToolError(f"agent `{agent_id}` not found")

    def tasks(self) -> Sequence[TaskAgent]:
        """None."""
        return ()


NO_AGENTS: Agents = NoAgents()
