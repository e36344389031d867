"""What is shown of a turn while it runs: when a message says so, what it says, and what becomes of it."""

from dataclasses import dataclass
from enum import Enum, auto

from core.domain.message import Markdown, Reply, says
from core.domain.presence import Abilities, Ack, Outcome, Reaction, Streaming
from core.domain.texts import Texts

# A reply takes the place of its progress message while that is younger; later it is a new message, so that it notifies.
FRESH_MS = 60_000
LONGEST_STEP = 200


class Phase(Enum):
    """RUNNING: shown as it goes. HELD: the reply is about to be committed, nothing may be sent any more. OVER: nothing
    more is shown, what stands there stays. GONE: what stands there is to be taken away.
    """

    RUNNING = auto()
    HELD = auto()
    OVER = auto()
    GONE = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A step and a draft in their own place, beside the conversation; empty where there is none."""

    step: str = ""
    draft: str = ""


NOTHING = Line()


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """A turn as it is to be seen, and as it was shown so far. Times in milliseconds, None for what was not done.

    `drafting`: the draft is newer than the step. `searched`: it is known whether an earlier process left a message.
    `until`: nothing is sent before this, since the platform asked for it. `failed`: nothing is tried any more.
    """

    began: int
    step: str = ""
    draft: str = ""
    drafting: bool = False
    phase: Phase = Phase.RUNNING
    posted: int | None = None
    changed: int | None = None
    shown: Reply | None = None
    line: Line = NOTHING
    searched: bool = False
    until: int = 0
    failed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """Look whether an earlier process left a message of this turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    """Send the one message of the turn."""

    reply: Reply


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """Let the message say something else."""

    reply: Reply


@dataclass(frozen=True, slots=True, kw_only=True)
class Remove:
    """Take the message away."""


Move = Search | Post | Change | Remove


def line_of(look: Look, able: Abilities) -> Line:
    """What is to stand in the place of its own; while the reply is on its way, whatever stands there."""
    if look.phase is Phase.HELD:
        return look.line
    return Line(step=look.step, draft=look.draft if able.drafts else "")


def next_move(look: Look, able: Abilities, now: int, texts: Texts) -> Move | None:
    """What is to be done now with the message of a turn; None when nothing is."""
    if able.line or look.failed or now < look.until:
        return None
    match look.phase:
        case Phase.RUNNING:
            return _progress(look, able, now, texts) if able.changes else _notice(look, able, now, texts)
        case Phase.GONE if able.removes:
            return _clearing(look)
    return None


def types(look: Look, able: Abilities, typed: int | None, now: int) -> bool | None:
    """Whether the sign of typing is to be shown now, or taken away; None for neither. `typed`: when it last was."""
    if not able.types:
        return None
    if look.phase in (Phase.OVER, Phase.GONE):
        return None if typed is None else False
    again = typed is not None and able.rhythm.typing_s > 0 and now - typed >= able.rhythm.typing_s * 1000
    return True if typed is None or again else None


def acks(ack: Ack, *, shared: bool) -> bool:
    """Whether messages of a chat get reactions."""
    return ack is Ack.ALL or (ack is Ack.SHARED and shared)


def streams(streaming: Streaming, *, shared: bool) -> bool:
    """Whether answers are shown in a chat while they are written."""
    return streaming is Streaming.ALL or (streaming is Streaming.DM and not shared)


def last_reaction(outcome: Outcome) -> Reaction | None:
    """What stands on the messages of a turn from its end on; None when it has not ended."""
    match outcome:
        case Outcome.ANSWERED:
            return Reaction.DONE
        case Outcome.FAILED | Outcome.STOPPED:
            return Reaction.FAILED
        case Outcome.PARKED:
            return None


def fits_a_draft(reply: Reply) -> bool:
    """Whether the reply may be edited into a message of text: files come as a message of their own."""
    return not reply.files


def _progress(look: Look, able: Abilities, now: int, texts: Texts) -> Move | None:
    reply = _words(look, texts)
    if look.posted is None:
        due = able.rhythm.progress_s > 0 and now - look.began >= able.rhythm.progress_s * 1000
        return _post(look, reply) if due else None
    if reply == look.shown or now - (look.changed or 0) < able.rhythm.change_s * 1000:
        return None
    return Change(reply=reply)


def _notice(look: Look, able: Abilities, now: int, texts: Texts) -> Move | None:
    seconds = able.rhythm.notice_s
    if look.posted is not None or not seconds or now - look.began < seconds * 1000:
        return None
    return _post(look, says(texts.say("still_working")))


def _clearing(look: Look) -> Move | None:
    if look.posted is not None:
        return Remove()
    return None if look.searched else Search()


def _post(look: Look, reply: Reply) -> Move:
    return Post(reply=reply) if look.searched else Search()


def _words(look: Look, texts: Texts) -> Reply:
    if look.drafting and look.draft.strip():
        return Reply(fragments=(Markdown(source=look.draft),))
    return says(texts.say("working", step=" ".join(look.step.split())[:LONGEST_STEP]))
