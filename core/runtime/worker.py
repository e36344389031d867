"""Stop 5: claims turns and runs them side by side, at most so many at once, each in a task of one group."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass

import structlog

from core.domain.errors import StoreError
from core.ports import Accepted, Claim, Clock, Turns, Wakeup
from core.runtime.patience import persist
from core.runtime.slots import Slots
from core.runtime.supervised import BROKEN, supervised
from core.runtime.turn import TurnRunner

log = structlog.get_logger(__name__)

POLL_S = 1.0
RENEW_S = 1.0
# Leases that were not prolonged for so long are prolonged before anything is claimed: the machine slept, or its clock
# was set, and what runs here would look like what another worker left behind.
OVERDUE_MS = 5_000


@dataclass(frozen=True, slots=True, kw_only=True)
class _Work:
    """A turn at work. `before` are tasks of the same chat that were cut off and may still let go of their tools."""

    claim: Claim
    task: asyncio.Task[None]
    before: tuple[asyncio.Task[None], ...]


class Worker:
    """Works on the turns of this process. Nothing is claimed unless `run` runs."""

    def __init__(self, turns: Turns, runner: TurnRunner, wakeup: Wakeup, clock: Clock, slots: Slots) -> None:
        self._turns = turns
        self._runner = runner
        self._wakeup = wakeup
        self._clock = clock
        self._slots = slots
        self._works: dict[int, _Work] = {}
        self._group: asyncio.TaskGroup | None = None
        self._renewed = clock.now()

    def reserve(self) -> bool:
        """Take a slot for a turn that intake may claim; `start` or `give_back` must follow."""
        return self._group is not None and self._slots.take()

    def give_back(self) -> None:
        """A slot is free again: nothing was claimed for it, or its turn has ended."""
        if self._slots.give_back():
            self._wakeup.set()

    def start(self, claim: Claim) -> None:
        """Run a claimed turn in the reserved slot. At the very end of the process its lease is left to run out."""
        if self._group is None:
            self.give_back()
            return
        earlier = self._works.get(claim.chat_row)
        before = tuple(task for task in (*earlier.before, earlier.task) if not task.done()) if earlier else ()
        for lost in before:
            # Another process ended it: a turn that ends by itself is done before its chat can be claimed again.
            if not lost.cancelling():
                lost.cancel()
        task = self._group.create_task(self._work(claim, before), name=f"turn {claim.turn}")
        self._works[claim.chat_row] = _Work(claim=claim, task=task, before=before)
        # A task that is cut off before its first step runs nothing of itself, not even a `finally`.
        task.add_done_callback(lambda _: self._ended(claim.chat_row))

    def follow(self, accepted: Accepted) -> None:
        """Cut off what was ended in the store, let turns that run here look again, and start what was claimed.

        In this order: what begins in the chat waits until the tools of what ended there have let go.
        """
        for work in self._works.values():
            if work.claim.turn in accepted.stopped:
                work.task.cancel()
            elif accepted.signal is not None and work.claim.turn == accepted.signal.turn:
                self._runner.hear(work.claim.turn, accepted.signal.count)
        if accepted.claim is not None:
            self.start(accepted.claim)

    async def run(self, grace_s: float) -> None:
        """Until cancelled. Then model calls are cut, running tools get `grace_s` seconds to come to their result, and
        unfinished turns are given back, for the next worker to go on with them.
        """
        self._runner.drain(on=False)
        try:
            async with asyncio.TaskGroup() as group:
                self._group = group
                group.create_task(_keep(self._renew, self._clock), name="renew leases")
                try:
                    await self._claim()
                finally:
                    self._group = None
                    await self._drain(grace_s)
        finally:
            self._group = None

    async def _drain(self, grace_s: float) -> None:
        self._runner.drain(on=True)
        works = list(self._works.values())
        for work in works:
            if self._runner.asks(work.claim.turn):
                work.task.cancel()
        if works:
            log.info("worker.drains", turns=len(works))
            await asyncio.wait([work.task for work in works], timeout=grace_s)

    async def _claim(self) -> None:
        while True:
            reserved = self._slots.take_all()
            claims: Sequence[Claim] = ()
            try:
                if reserved:
                    with suppress(StoreError):
                        await self._renew(overdue_ms=OVERDUE_MS)
                        claims = await self._turns.claim(reserved)
            finally:
                unused = reserved - len(claims)
                if not unused:
                    # Where all slots were filled there may be more to do than there are slots.
                    self._slots.want()
                again = self._slots.give_back(unused)
            for claim in claims:
                self.start(claim)
            if not again:
                await self._wakeup.wait(POLL_S)

    async def _work(self, claim: Claim, before: Sequence[asyncio.Task[None]]) -> None:
        done = False
        try:
            with structlog.contextvars.bound_contextvars(chat=claim.chat_row, turn=claim.turn):
                if before:
                    await asyncio.wait(before)
                done = await self._run(claim)
        finally:
            if not done:
                # Where even this fails, the lease runs out by itself.
                with suppress(StoreError):
                    await self._turns.release(claim)

    def _ended(self, chat_row: int) -> None:
        """The slot is free. A chat's newest turn stays known until it and all that were cut off before it are done."""
        self.give_back()
        work = self._works.get(chat_row)
        if work and all(task.done() for task in (*work.before, work.task)):
            del self._works[chat_row]

    async def _run(self, claim: Claim) -> bool:
        """False when the turn is not ended and not anybody else's: it is to be given back."""
        # A run that the store cut off goes on from the log.
        done = await supervised(persist(lambda: self._runner.run(claim), self._clock), "turn.broke")
        if done is BROKEN:
            await persist(lambda: self._runner.fail(claim, "cause_internal"), self._clock)
        return bool(done)

    async def _renew(self, overdue_ms: int | None = None) -> None:
        """Only what is really worked on is prolonged: a claim that nobody started is taken by others in time."""
        began = self._clock.now()
        if overdue_ms is not None and began - self._renewed <= overdue_ms:
            return
        works = _at_work(self._works.values())
        if works:
            leases = await self._turns.renew([work.claim.chat_row for work in works])
            for work in works:
                lease = leases.get(work.claim.chat_row)
                if lease is not None and lease.fence == work.claim.fence:
                    self._runner.hear(work.claim.turn, lease.signals)
                elif not work.task.cancelling():
                    # Once: a second time would cut off what lets go of its tools.
                    work.task.cancel()
        self._renewed = began


def _at_work(works: Iterable[_Work]) -> Sequence[_Work]:
    return tuple(work for work in works if not work.task.done())


async def _keep(renew: Callable[[], Awaitable[None]], clock: Clock) -> None:
    while True:
        await clock.sleep(RENEW_S)
        with suppress(StoreError):
            await renew()
