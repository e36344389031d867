"""What a gateway is built on, all of it made by whoever builds it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from channels.contract import AnyChannel
from core.decide.gate import Policy
from core.decide.next_step import Budget
from core.decide.view import Answerers, Queueing
from core.domain.chat import ChatKey
from core.domain.command import CommandSpec
from core.domain.presence import Etiquette
from core.domain.texts import Texts
from core.ports import NO_SKILLS, Agents, Chance, Clock, Models, Skills, Tool
from core.store.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """What the operator decided, as the core needs it."""

    workspace: Path
    policy: Policy
    commands: Sequence[CommandSpec]
    texts: Texts
    budget: Budget
    agent: Callable[[ChatKey], str]
    turns: int
    tool_s: float
    queueing: Queueing = field(default_factory=Queueing)
    answerers: Callable[[ChatKey], Answerers] = lambda chat: Answerers.ASKER
    refuses: Callable[[ChatKey], bool] = lambda chat: True
    max_age: Callable[[ChatKey], int] | None = None
    turn_hours: float = 2.0
    approvals: Mapping[str, str] = field(default_factory=dict)
    reply_parts: int = 8


Mask = Callable[[str], str]


def unmasked(text: str) -> str:
    """Nothing is secret."""
    return text


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """What a gateway is built on; tests bring their own clock, chance, channels and models.

    `etiquette` is what the operator wants to be seen in a chat while its messages are worked on. `mask` takes out of a
    text whatever must not leave.
    """

    store: Store
    clock: Clock
    chance: Chance
    channels: Sequence[AnyChannel]
    models: Models
    agents: Agents
    tools: Mapping[str, Tool]
    choices: Choices
    skills: Skills = NO_SKILLS
    etiquette: Callable[[ChatKey], Etiquette] = lambda chat: Etiquette()
    mask: Mask = unmasked
