"""Stops 5 to 7: the right to work on a turn, its log and its end."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from core.domain.chat import ChatKey
from core.domain.delivery import Delivery
from core.domain.history import Exchange, SubFrame
from core.domain.message import Reply
from core.domain.step import Stamped
from core.domain.turn import ModelChoice
from core.domain.wait import Answered, Question


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """The right to work on one turn of one chat. Every commit of the holder is checked against `fence`."""

    chat_row: int
    chat: ChatKey
    turn: int
    fence: int
    signals: int
    epoch: int
    agent: str
    choice: ModelChoice
    attempt: int
    shared: bool = False
    session: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """What a renewal found: a fence other than the claim's means that the chat is not ours any more."""

    fence: int
    signals: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Signal:
    """Something was said to a turn that may be running: its chat has `count` signals now."""

    turn: int
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """How a turn's last commit ended.

    `lost`: the lease is not ours any more, nothing was written. `changed`: a signal came in, reload and go on.
    """

    lost: bool = False
    changed: bool = False
    delivery: Delivery | None = None
    waiting: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How a turn ends: with its last answer, or broken with a cause. The reply goes out either way.

    Without a reply there is nothing to say that was not said before.
    """

    reply: Reply | None
    step: Stamped | None = None
    cause: str | None = None


class Turns(Protocol):
    """Stops 5 to 7: claim, log, finish. Every call is one commit and checked against the fence."""

    async def claim(self, most: int) -> Sequence[Claim]:
        """Up to `most` turns, those that wait longest, of chats whose lease is free."""

    async def history(self, claim: Claim, since: int) -> Sequence[Exchange]:
        """The chat's exchanges after turn `since` (0 for all that may matter), the claimed turn's own last."""

    async def append(self, claim: Claim, steps: Sequence[Stamped], *, frame: int = 0) -> bool:
        """Add to the log of a frame; False when the lease is lost."""

    async def finish(self, claim: Claim, ending: Ending, *, key: str, send_now: bool) -> Finished:
        """Close the turn, write its reply, free the chat for its next turn: one commit."""

    async def park(self, claim: Claim) -> Finished:
        """Give the chat up until an answer comes; `changed` when one came in already."""

    async def signals(self, claim: Claim) -> int | None:
        """The chat's signals now; None when the lease is lost."""

    async def release(self, claim: Claim) -> None:
        """Give an unfinished turn back, for any worker to go on with it; not counted as an attempt."""

    async def renew(self, chat_rows: Sequence[int]) -> Mapping[int, Lease]:
        """Prolong the leases on these chats in one statement; gives chat row -> lease for those still ours."""

    async def void_leases(self) -> int:
        """At the start of the one worker process of a file: whatever ran before runs no more. Gives how many."""


class Children(Protocol):
    """Frames below the root of a turn."""

    async def begin(self, claim: Claim, seq: int, sub: SubFrame) -> int | None:
        """Make a frame and log, in the frame of its call, that it works on that; its id, None when the lease is lost.

        One commit.
        """

    async def of_turn(self, claim: Claim) -> Sequence[SubFrame]:
        """All of them with their logs, parents first."""


class Asks(Protocol):
    """Calls that wait for people."""

    async def ask(self, claim: Claim, frame: int, asked: Stamped, question: Question, *, key: str) -> bool:
        """Log in a frame that a call waits and put the question, in one commit; False when the lease is lost."""

    async def answers(self, claim: Claim) -> Mapping[int, Answered]:
        """How the waits of the turn ended so far, by the place of their Asked step."""

    async def granted(self, claim: Claim, tool: str, digest: str) -> bool:
        """Whether an approver allowed exactly this for good in this chat."""


class Sayings(Protocol):
    """What a turn says before its end."""

    async def say(self, claim: Claim, reply: Reply, *, key: str, to: ChatKey | None) -> int | None:
        """Write a reply of this turn for its own chat or for another one, which is made when it is new: one commit.

        A key that was used before changes nothing. Gives the chat's row; None when the lease is lost.
        """


class Waits(Protocol):
    """What time brings about: questions that nobody answers, and what came too late and is to be announced."""

    async def tick(self) -> Sequence[tuple[int, ChatKey]]:
        """Expire, remind and announce what is due; gives the chats (row and key) that have something to say."""
