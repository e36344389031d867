"""A tool as the engine sees it: its name, what it may do to the world, and what it returned."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from core.domain.message import OutgoingFile
from core.domain.wait import Ask


class Effect(StrEnum):
    """What a call may change: nothing, the workspace, or the world outside."""

    READS = "reads"
    WRITES = "writes"
    EXTERNAL = "external"


class Reach(StrEnum):
    """Which agents of a turn have a tool: all, only the one that talks with people, or all but those at the bottom."""

    EVERYWHERE = "everywhere"
    ROOT = "root"
    ABOVE_THE_LAST = "above_the_last"


class Approval(StrEnum):
    """Whose calls of a tool wait for a person's yes: nobody's, those of members who are no owners, or everybody's."""

    NEVER = "never"
    MEMBERS = "members"
    ASK = "ask"


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """What exactly a call would do, for a person to approve.

    `shown` is the whole of it, never cut, and no character in it can hide another. `digest` is a SHA-256 over
    everything that decides what will run: whatever was changed after the yes, another digest tells.
    """

    shown: str
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSpec:
    """What the model is told and what recovery needs.

    `schema` is the JSON schema of the arguments. A `replayable` call gives the same effect when it is run again, so
    after a crash it simply is; any other call that was started and has no result is never re-run unasked. `approval`
    holds unless a setting says otherwise. A tool that `limits_itself` ends a call in time and says what it has so far.
    """

    name: str
    description: str
    schema: Mapping[str, object] = field(hash=False)
    effect: Effect
    replayable: bool
    approval: Approval = Approval.NEVER
    limits_itself: bool = False
    reach: Reach = Reach.EVERYWHERE


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """What a call gave: text for the model, and files for the reply that is being written.

    `said` is the text that the call has sent to this chat already: as the answer it is not sent a second time.
    """

    text: str
    failed: bool = False
    files: tuple[OutgoingFile, ...] = ()
    said: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Delegate:
    """What a tool returns that hands its call to another agent, whose answer becomes the call's result."""

    agent: str
    task: str


ToolOutcome = ToolResult | Ask | Delegate
