"""The operations of the store in any order, as several processes, people and a clock would call them."""

import shutil
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import strategies as st

from core.domain.chat import QueueMode
from core.domain.message import Inbound, InboundKind, says
from core.domain.step import ModelAnswered, Stamped
from core.domain.wait import WaitKind
from core.ports import Ending, Retry
from core.store import chats, claims, commands, dying, endings, expiry, outbox, sessions
from tests.properties.clerk import TEXTS, WORKERS, Clerk, Held, next_place, opened, who
from tests.properties.conftest import Tries, scripts
from tests.store.desk import LANE, LEASE_MS, message, new_key, place, receipt

# What is done, and two numbers that choose with whom and with what.
Act = tuple[str, int, int]

ROOMS = (("team", True), ("den", False))
ORDERS = ("/stop", "/new", "/undo", "/retry", "/status", "/steer more", "/approve {}", "/deny {}", "/resume 1")
MODES = tuple(QueueMode)


def _inbound(n: int, words: str, kind: InboundKind = InboundKind.MESSAGE) -> Inbound:
    room, shared = ROOMS[n % 2]
    said = message(words, chat=place(room), sender=who(n // 2), message_id=new_key())
    return replace(said, shared=shared, kind=kind, at=0)


def say(clerk: Clerk, n: int, m: int) -> None:
    """Somebody says something, in a process that has a slot or in one that has none."""
    event = _inbound(n, f"words {m}")
    clerk.said.append(event)
    clerk.takes(event, (*WORKERS, None)[m % 3])


def order(clerk: Clerk, n: int, m: int) -> None:
    """Somebody gives a command."""
    clerk.takes(_inbound(n, ORDERS[m % len(ORDERS)].format(1 + m % 3)), WORKERS[0])


def again(clerk: Clerk, n: int, m: int) -> None:
    """An event is handed out once more."""
    if clerk.said:
        assert clerk.takes(clerk.said[m % len(clerk.said)], WORKERS[0]).duplicate


def change(clerk: Clerk, n: int, m: int) -> None:
    """A message is written anew or taken back, by whoever said it or by somebody else."""
    if clerk.said:
        old = clerk.said[m % len(clerk.said)]
        kind, words = ((InboundKind.EDIT, f"edited {n}"), (InboundKind.DELETE, ""))[n % 2]
        by = who(n) if n % 5 == 0 else old.sender
        accepted = clerk.takes(replace(old, event_key=new_key(), kind=kind, content=words, sender=by), None)
        clerk.recounts(accepted.chat_row)


def mode(clerk: Clerk, n: int, m: int) -> None:
    """A chat gets another queue mode."""
    if clerk.live:
        clerk.does(chats.set_queue_mode, sorted(clerk.live)[n % len(clerk.live)], MODES[m % len(MODES)])


def claim(clerk: Clerk, n: int, m: int) -> None:
    """A worker takes what is ready; nobody is ever given a turn that is not the oldest."""
    owner = WORKERS[n % 2]
    for one in clerk.does(claims.claim, owner, LEASE_MS, 1 + m % 2):
        clerk.held.append(Held(claim=one, owner=owner))


def log(clerk: Clerk, n: int, m: int) -> None:
    """A worker notes a step."""
    if held := _held(clerk, n):
        clerk.logs(held, ModelAnswered(text=f"step {m}"))


def ask(clerk: Clerk, n: int, m: int) -> None:
    """A worker's turn asks somebody."""
    if held := _held(clerk, n):
        clerk.asks(held, who(m), WaitKind.APPROVAL if m % 3 == 0 else WaitKind.QUESTION)


def end(clerk: Clerk, n: int, m: int) -> None:
    """A worker ends its turn, well or not; one that broke may still have questions open."""
    held = _held(clerk, n)
    if held is None or (held.asks and m % 4):
        return
    seq = clerk.does(next_place, held.claim.turn)
    broke = m % 4 == 0
    last = None if broke else Stamped(seq=seq, step=ModelAnswered(text="done"))
    ending = Ending(reply=says("done"), step=last, cause="broke" if broke else None)
    finished = clerk.does(endings.finish, held.claim, ending, new_key(), m % 2 == 0, TEXTS)
    if finished.changed:
        clerk.looks(held)
        return
    _over(clerk, held, m)
    if not finished.lost:
        _ended_in_order(clerk, held)
    if finished.delivery is not None:
        clerk.sending.append(finished.delivery)


def _ended_in_order(clerk: Clerk, held: Held) -> None:
    queue = clerk.live[held.claim.chat_row]
    assert queue[:1] == [held.claim.turn]
    del queue[0]


def park(clerk: Clerk, n: int, m: int) -> None:
    """A worker whose turn waits for people gives it up, or looks again because somebody spoke."""
    held = _held(clerk, n)
    if held is None or not held.asks:
        return
    finished = clerk.does(endings.park, held.claim)
    if finished.changed:
        clerk.looks(held)
    else:
        _over(clerk, held, m)


def look(clerk: Clerk, n: int, m: int) -> None:
    """A worker reads its turn anew."""
    if held := _held(clerk, n):
        clerk.looks(held)


def release(clerk: Clerk, n: int, m: int) -> None:
    """A worker gives its turn back, or one that it does not know to be over."""
    if clerk.over and m % 2:
        clerk.does(claims.release, clerk.over.pop())
    elif held := _held(clerk, n):
        clerk.does(claims.release, held.claim)
        clerk.held.remove(held)


def renew(clerk: Clerk, n: int, m: int) -> None:
    """A worker prolongs what it believes to hold."""
    owner = WORKERS[n % 2]
    clerk.does(claims.renew, owner, LEASE_MS, [held.claim.chat_row for held in clerk.held if held.owner == owner])


def crash(clerk: Clerk, n: int, m: int) -> None:
    """All processes end at once; the next one cleans up."""
    clerk.held.clear()
    clerk.over.clear()
    clerk.sending.clear()
    clerk.does(claims.void_leases)
    clerk.does(outbox.unsettle, LANE)


def time(clerk: Clerk, n: int, m: int) -> None:
    """Time passes, a moment or enough to end every lease or question; then the clock is looked at."""
    clerk.clock.advance_now((1_000, 5_000, 20_000, 40_000)[m % 4])
    clerk.does(expiry.tick, TEXTS)


def send(clerk: Clerk, n: int, m: int) -> None:
    """A chat's next delivery goes out."""
    if clerk.live:
        chat = sorted(clerk.live)[n % len(clerk.live)]
        delivery = clerk.does(outbox.next_delivery, chat)
        if delivery is not None:
            clerk.sending.append(delivery)


def sent(clerk: Clerk, n: int, m: int) -> None:
    """What was going out arrived, has to wait, may have arrived, or never will."""
    if not clerk.sending:
        return
    delivery = clerk.sending.pop(n % len(clerk.sending))
    match m % 5:
        case 0:
            later = Retry(not_before=clerk.clock.now() + 3_000, error="later")
            clerk.does(outbox.retry, delivery, later)
        case 1:
            clerk.does(outbox.retry, delivery, Retry(not_before=0, error="unsure", unsure=True, repeat=1))
        case 2:
            clerk.does(dying.dead, delivery.id, delivery.chat_row, "gone", n % 2 == 0)
        case _:
            clerk.does(outbox.sent, delivery, receipt(), False, False)


def perform(clerk: Clerk, n: int, m: int) -> None:
    """The oldest command that waits is performed, perhaps for the second time."""
    for one in clerk.does(commands.pending)[:1]:
        clerk.does(commands.answer, one, says("done"), new_key())
        if m % 3 == 0:
            clerk.does(commands.answer, one, says("done"), new_key())


def listed(clerk: Clerk, n: int, m: int) -> None:
    """Somebody looks at the sessions of a chat: one of them is current."""
    if clerk.live:
        chat = sorted(clerk.live)[n % len(clerk.live)]
        found = clerk.does(sessions.sessions, chat)
        assert sum(one.current for one in found) == 1


def _over(clerk: Clerk, held: Held, m: int) -> None:
    """The worker has nothing more to do with it; sometimes it is cut off before it hears so, and gives it back."""
    clerk.held.remove(held)
    if m % 3 == 0:
        clerk.over.append(held.claim)


def _held(clerk: Clerk, n: int) -> Held | None:
    return clerk.held[n % len(clerk.held)] if clerk.held else None


ACTS: Mapping[str, Callable[[Clerk, int, int], None]] = {
    one.__name__: one
    for one in (
        *(say, order, again, change, mode, claim, log, ask, end, park, look, release, renew, crash, time),
        *(send, sent, perform, listed),
    )
}
# What people and workers do most of the time stands there several times.
USUAL = (*ACTS, "say", "say", "say", "say", "claim", "claim", "ask", "park", "end", "end", "order", "change")

SCRIPTS = scripts(st.tuples(st.sampled_from(USUAL), st.integers(0, 39), st.integers(0, 39)), 120)


def test_the_rows_agree_after_every_operation(tries: Tries, empty_store: Path) -> None:
    @tries(60)
    @given(script=SCRIPTS)
    def play(script: list[Act]) -> None:
        with TemporaryDirectory() as folder:
            clerk = opened(Path(shutil.copy(empty_store, folder)))
            try:
                for name, n, m in script:
                    ACTS[name](clerk, n, m)
            finally:
                clerk.engine.dispose()

    play()
