"""One hand on a store's operations, without a runtime: whatever is asked for is done at once, in a commit of its own.

It works like several processes: it keeps what each was given, and goes on with it whatever has become of it meanwhile.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

from sqlalchemy import Connection, Engine, text

from core.decide.gate import Policy
from core.decide.view import Rules
from core.domain.chat import Principal
from core.domain.command import COMMANDS
from core.domain.delivery import Delivery
from core.domain.message import Choice, Inbound
from core.domain.step import Asked, AskedAbout, Call, CallId, ModelAnswered, Stamped, Step, ToolFinished
from core.domain.texts import Texts
from core.domain.wait import Question, WaitKind
from core.ports import Accepted, Claim
from core.store import asking, inbox, turns
from core.store.sqlite import connect
from tests.fakes.clock import FakeClock
from tests.properties.rows import ALWAYS, wrong
from tests.store.desk import ACCOUNT, CHANNEL, admission, new_key, person

P = ParamSpec("P")
T = TypeVar("T")

PLACE = (CHANNEL, ACCOUNT)
TEXTS = Texts({})
RULES = Rules(
    policy=Policy(
        listed={PLACE: frozenset({"anna", "ben", "carl"})},
        owners={PLACE: frozenset({"olga"})},
    ),
    commands=COMMANDS,
    texts=TEXTS,
)
WORKERS = ("worker-a", "worker-b")


@dataclass(eq=False, slots=True)
class Held:
    """A claim, and what its worker knows of its turn: the open call, if any, and how many questions are open."""

    claim: Claim
    owner: str
    call: CallId | None = None
    asks: int = 0


@dataclass(eq=False, slots=True)
class Clerk:
    """The store, and all that somebody was given and may still use. `live` is the order in which turns have to end."""

    engine: Engine
    clock: FakeClock
    held: list[Held] = field(default_factory=list)
    over: list[Claim] = field(default_factory=list)
    said: list[Inbound] = field(default_factory=list)
    sending: list[Delivery] = field(default_factory=list)
    live: dict[int, list[int]] = field(default_factory=dict)

    def does(self, operation: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """One operation, one commit; then everything has to agree."""
        with self.engine.begin() as conn:
            given = operation(conn, *args, **kwargs)
            broken = wrong(conn, ALWAYS)
        assert not broken, "\n".join(broken)
        return given

    def takes(self, event: Inbound, owner: str | None) -> Accepted:
        """Intake; what it started is kept, what it stopped is forgotten by nobody who works on it."""
        accepted = self.does(inbox.accept, event, replace(admission(rules=RULES), owner=owner, key=new_key()))
        queue = self.live.setdefault(accepted.chat_row, [])
        self.live[accepted.chat_row] = queue = [turn for turn in queue if turn not in accepted.stopped]
        if self._is_turn(accepted.inbound):
            assert accepted.queued_before == len(queue) or accepted.burst_ms
            queue.append(accepted.inbound)
        if accepted.claim is not None:
            self.held.append(Held(claim=accepted.claim, owner=owner or ""))
        return accepted

    def recounts(self, chat_row: int) -> None:
        """A message was taken back: its turn may be gone, or have become that of another message."""
        sql = "SELECT id FROM turns WHERE chat = ? AND finished_at IS NULL ORDER BY id"
        with self.engine.begin() as conn:
            self.live[chat_row] = list(conn.exec_driver_sql(sql, (chat_row,)).scalars())

    def looks(self, held: Held) -> bool:
        """The worker reads its turn anew; False when it is not its own any more."""
        found = self.does(turns_signals, held.claim)
        if found is None:
            self.held.remove(held)
            return False
        signals, held.asks, answered = found
        held.claim = replace(held.claim, signals=signals)
        if held.call is not None and answered:
            self.logs(held, ToolFinished(call=held.call, result="answered"))
            held.call = None
        return True

    def logs(self, held: Held, step: Step) -> int | None:
        """One more step; its place, or None when the lease is lost."""
        seq = self.does(next_place, held.claim.turn)
        return seq if self.does(turns.append, held.claim, [Stamped(seq=seq, step=step)]) else None

    def asks(self, held: Held, who: Principal, kind: WaitKind) -> None:
        """A call of the turn waits for somebody, unless one does already."""
        if held.call is None:
            call = Call(name="ask_user", arguments="{}")
            seq = self.logs(held, ModelAnswered(text="", calls=(call,)))
            if seq is None:
                return
            held.call = CallId(step=seq, index=0)
        asked = Stamped(seq=self.does(next_place, held.claim.turn), step=Asked(call=held.call, about=about(kind)))
        question = question_to(who, held.call, kind)
        if self.does(asking.ask, held.claim, 0, asked, question, new_key(), TEXTS):
            held.asks += 1

    def _is_turn(self, inbound: int) -> bool:
        with self.engine.begin() as conn:
            return conn.execute(text("SELECT 1 FROM turns WHERE id = :id"), {"id": inbound}).first() is not None


def opened(path: Path) -> Clerk:
    """A clerk at this file."""
    clock = FakeClock()
    return Clerk(engine=connect(path, clock.now, writes=True, synchronous="OFF"), clock=clock)


def about(kind: WaitKind) -> AskedAbout:
    """Why a call waits that asks like this."""
    return AskedAbout.APPROVAL if kind is WaitKind.APPROVAL else AskedAbout.QUESTION


def question_to(who: Principal, call: CallId, kind: WaitKind) -> Question:
    """Something to ask."""
    labels = ("Once", "Always", "Deny") if kind is WaitKind.APPROVAL else ("red", "blue")
    return Question(
        call=call,
        asked=who,
        text="Which one?",
        choices=tuple(Choice(label=label, token=new_key()) for label in labels),
        lasts=60_000,
        default=None,
        allow_empty=False,
        kind=kind,
        tool="pay",
        digest="d",
        shown="pay",
    )


def next_place(conn: Connection, turn: int) -> int:
    """Behind the last step of a turn."""
    found: int = conn.execute(
        text("SELECT coalesce(max(seq), 0) + 1 FROM steps WHERE turn = :turn"), {"turn": turn}
    ).scalar_one()
    return found


def turns_signals(conn: Connection, held: Claim) -> tuple[int, int, bool] | None:
    """The chat's signals, the open questions of the turn, and whether any of them was answered; None when lost."""
    row = conn.execute(
        text("SELECT signals FROM chats WHERE id = :chat AND fence = :fence"),
        {"chat": held.chat_row, "fence": held.fence},
    ).one_or_none()
    if row is None:
        return None
    waits = conn.execute(text("SELECT state FROM waits WHERE turn = :turn"), {"turn": held.turn}).scalars().all()
    still_open = sum(state == "open" for state in waits)
    finished = conn.execute(
        text("SELECT count(*) FROM steps WHERE turn = :turn AND kind = 'tool_finished'"), {"turn": held.turn}
    ).scalar_one()
    return row[0], still_open, not still_open and bool(waits) and not finished


def who(place: int) -> Principal:
    """One of four people."""
    return person(("anna", "ben", "carl", "olga")[place % 4])
