"""Stop 5: claims turns and runs them side by side, at most so many at once, each in a task of one group."""

import asyncio
from collections.abc import Iterable, Sequence
from contextlib import suppress

import structlog

from core.domain.errors import ParleyError, StoreError
from core.ports import Claim, Clock, Turns, Wakeup
from core.runtime.patience import persist
from core.runtime.turn import Drained, TurnRunner

log = structlog.get_logger(__name__)

POLL_S = 1.0
RENEW_S = 1.0


class Worker:
    """Works on the turns of this process. Nothing is claimed unless `run` runs."""

    def __init__(self, turns: Turns, runner: TurnRunner, wakeup: Wakeup, clock: Clock, slots: int) -> None:
        self._turns = turns
        self._runner = runner
        self._wakeup = wakeup
        self._clock = clock
        self._free = slots
        self._starved = False
        self._draining = False
        self._tasks: dict[int, tuple[Claim, asyncio.Task[None]]] = {}
        self._group: asyncio.TaskGroup | None = None

    def reserve(self) -> bool:
        """Take a slot for a turn that intake may claim; `start` or `give_back` must follow."""
        if self._group is None or self._draining:
            return False
        if self._free <= 0:
            self._starved = True
            return False
        self._free -= 1
        return True

    def give_back(self) -> None:
        """Nothing was claimed for the reserved slot."""
        self._free += 1
        if self._starved:
            self._starved = False
            self._wakeup.set()

    def start(self, claim: Claim) -> None:
        """Run a claimed turn in the reserved slot."""
        if self._group is None:
            raise RuntimeError("a turn was claimed by a worker that does not run")
        before = self._tasks.get(claim.chat_row)
        task = self._group.create_task(self._work(claim, before[1] if before else None), name=f"turn {claim.turn}")
        self._tasks[claim.chat_row] = (claim, task)

    def stop(self, turns: Iterable[int]) -> None:
        """These turns were ended in the store; whatever they do now is cut off."""
        ended = set(turns)
        for claim, task in self._tasks.values():
            if claim.turn in ended:
                task.cancel()

    async def run(self, grace_s: float) -> None:
        """Until cancelled. Then model calls are cut, running tools get `grace_s` seconds to come to their result, and
        unfinished turns are given back, for the next worker to go on with them.
        """
        self._draining = False
        self._runner.drain(on=False)
        try:
            async with asyncio.TaskGroup() as group:
                self._group = group
                group.create_task(self._renew(), name="renew leases")
                try:
                    await self._claim()
                finally:
                    await self._drain(grace_s)
        finally:
            self._group = None

    async def _drain(self, grace_s: float) -> None:
        self._draining = True
        self._runner.drain(on=True)
        tasks = [task for _, task in self._tasks.values()]
        for claim, task in self._tasks.values():
            if self._runner.asks(claim.turn):
                task.cancel()
        if tasks:
            log.info("worker.drains", turns=len(tasks))
            await asyncio.wait(tasks, timeout=grace_s)

    def wake(self) -> None:
        """A turn became ready."""
        self._wakeup.set()

    async def _claim(self) -> None:
        while True:
            self._starved = False
            await self._claim_all()
            # Whoever found no slot while all were held for claiming is claimed in the next round.
            if not (self._starved and self._free):
                await self._wakeup.wait(POLL_S)

    async def _claim_all(self) -> None:
        reserved, self._free = self._free, 0
        claims: Sequence[Claim] = ()
        try:
            if reserved:
                with suppress(StoreError):
                    claims = await self._turns.claim(reserved)
        finally:
            self._free += reserved - len(claims)
        for claim in claims:
            self.start(claim)

    async def _work(self, claim: Claim, before: asyncio.Task[None] | None) -> None:
        done = False
        try:
            with structlog.contextvars.bound_contextvars(chat=claim.chat_row, turn=claim.turn):
                if before is not None:
                    # The chat's last turn was stopped and is still letting go of its tools.
                    await asyncio.wait([before])
                await self._run(claim)
                done = True
        except Drained:
            log.info("turn.given_back", turn=claim.turn)
        finally:
            if self._tasks.get(claim.chat_row, (None,))[0] is claim:
                del self._tasks[claim.chat_row]
            self.give_back()
            if not done:
                # Where even this fails, the lease runs out by itself.
                with suppress(StoreError):
                    await self._turns.release(claim)

    async def _run(self, claim: Claim) -> None:
        try:
            # A run that the store cut off goes on from the log.
            await persist(lambda: self._runner.run(claim), self._clock)
        except Drained:
            raise
        except Exception as exc:  # supervisor: a bug in one turn is answered as an error and never ends the gateway
            if isinstance(exc, ParleyError):
                log.error("turn.broke", error=str(exc))
            else:
                log.exception("turn.broke")
            await persist(lambda: self._runner.fail(claim, "cause_internal"), self._clock)

    async def _renew(self) -> None:
        while True:
            await self._clock.sleep(RENEW_S)
            if not self._tasks:
                continue
            with suppress(StoreError):
                leases = await self._turns.renew()
                for claim, task in tuple(self._tasks.values()):
                    lease = leases.get(claim.chat_row)
                    if lease is None or lease.fence != claim.fence:
                        task.cancel()
