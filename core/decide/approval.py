"""Which calls wait for a person's yes, and how they are put to whoever may say it."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum

from core.domain.chat import Principal, Role
from core.domain.message import Choice, OutgoingFile
from core.domain.step import CallId
from core.domain.texts import Texts
from core.domain.tool import Approval, Proposal
from core.domain.wait import Question, WaitKind

# The names of an approval's choices, in their order; the words of `/approve` and `/deny` name them too.
VERDICTS = ("once", "always", "deny")
LASTS_MS = 24 * 3600 * 1000
GRANT_LASTS_MS = 30 * 24 * 3600 * 1000
# A longer proposal goes out as a file, with its hash: a message could not hold all of it.
LONGEST_SHOWN = 3_000


class Leave(StrEnum):
    """What a call needs before it runs: nothing, somebody's yes, or what nobody can give."""

    FREE = "free"
    ASK = "ask"
    DENIED = "denied"


_SET = {"never": Leave.FREE, "ask": Leave.ASK, "deny": Leave.DENIED}


def leave_for(usual: Approval, setting: str | None, role: Role) -> Leave:
    """A setting decides for everybody; without one the tool's own rule does, which may spare owners."""
    if setting is not None:
        return _SET[setting]
    match usual:
        case Approval.NEVER:
            return Leave.FREE
        case Approval.MEMBERS:
            return Leave.FREE if role is Role.OWNER else Leave.ASK
        case Approval.ASK:
            return Leave.ASK


def usual_proposal(name: str, arguments: str) -> Proposal:
    """For a tool that has nothing better to say: its name and its arguments, one spelling for the same values."""
    try:
        text = json.dumps(json.loads(arguments or "{}"), sort_keys=True, indent=1)
    except (ValueError, RecursionError):
        text = json.dumps(arguments)
    shown = f"{name} {text}"
    return Proposal(shown=shown, digest=hashlib.sha256(shown.encode()).hexdigest())


def approval_question(
    proposal: Proposal,
    *,
    call: CallId,
    tool: str,
    asker: Principal,
    tokens: Sequence[str],
    texts: Texts,
) -> Question:
    """The question whether a call may run; nobody answering in time is a no."""
    labels = [texts.say(f"approve_{verdict}") for verdict in VERDICTS]
    return Question(
        call=call,
        asked=asker,
        text=texts.say("approval", tool=tool, name=asker.name or asker.user_id),
        choices=tuple(Choice(label=label, token=token) for label, token in zip(labels, tokens, strict=True)),
        lasts=LASTS_MS,
        default=None,
        allow_empty=False,
        kind=WaitKind.APPROVAL,
        tool=tool,
        digest=proposal.digest,
        shown=proposal.shown,
    )


def as_file(question: Question, file: OutgoingFile) -> Question:
    """The same question with what it shows in a file, named with its hash."""
    sha256 = hashlib.sha256(question.shown.encode()).hexdigest()
    return replace(question, shown=f"{file.name}\nSHA-256 {sha256}", file=file)
