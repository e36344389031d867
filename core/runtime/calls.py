"""Running the open calls of a round, side by side, each result in the log the moment it exists."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import assert_never

from core.decide.actions import (
    Blocked,
    CallAction,
    Close,
    Confirm,
    Enter,
    Fail,
    Finish,
    Propose,
    Run,
)
from core.domain.step import AskedAbout, CallId, ToolFinished, ToolStarted
from core.domain.tool import Delegate, ToolOutcome, ToolResult
from core.runtime.bench import Bench
from core.runtime.closing import Closing
from core.runtime.frame import Frame
from core.runtime.handing import Handing
from core.runtime.loading import Loading
from core.runtime.permission import Permission
from core.runtime.proposals import Proposals

SIDE_BY_SIDE = 4

Advance = Callable[[Frame], Awaitable[object]]


class Calls:
    """Gives open calls their results."""

    def __init__(
        self,
        bench: Bench,
        permission: Permission,
        closing: Closing,
        handing: Handing,
        proposals: Proposals,
        loading: Loading,
    ) -> None:
        self._bench = bench
        self._permission = permission
        self._handing = handing
        self._proposals = proposals
        self._closing = closing
        self._loading = loading
        self._running: Counter[int] = Counter()

    def busy(self, turn: int) -> bool:
        """Whether a tool runs for this turn."""
        return self._running[turn] > 0

    async def perform(self, frame: Frame, actions: Sequence[CallAction], advance: Advance) -> bool:
        """Do what can be done about the open calls; False when all that is left waits for people.

        Starts of calls that cannot be repeated are committed first, all at once. `advance` goes on with a child frame.
        """
        cleared = [await self._permission.clear(frame, action) for action in actions]
        for action in cleared:
            if isinstance(action, Run) and action.record:
                frame.log.add(ToolStarted(call=action.id))
        await self._closing.save(frame)
        slots = asyncio.Semaphore(SIDE_BY_SIDE)
        tasks: list[asyncio.Task[bool]] = []
        try:
            async with asyncio.TaskGroup() as group:
                for action in cleared:
                    work = self._act(frame, action, advance, slots)
                    tasks.append(group.create_task(work, name=f"call {action.id.index}"))
        except ExceptionGroup as failed:
            # A lost lease or a store that refuses: the first one tells the caller what to do.
            raise failed.exceptions[0] from failed
        return any(task.result() for task in tasks)

    async def _act(self, frame: Frame, action: CallAction, advance: Advance, slots: asyncio.Semaphore) -> bool:
        """Whether the call came any further."""
        match action:
            case Close(id=call, result=result, failed=failed):
                await self._close(frame, call, ToolResult(text=result, failed=failed))
            case Enter(id=call, frame=child):
                return await self._enter(frame, call, frame.tree.frames[child], advance)
            case Confirm(id=call, call=interrupted):
                await self._handing.confirm(frame, call, interrupted.name)
            case Propose(id=call, tool=tool, proposal=proposal):
                await self._proposals.put(frame, call, tool, proposal)
            case Run():
                async with slots:
                    with self._at_work(frame.claim.turn):
                        given = await self._bench.run(frame, action)
                await self._took(frame, action.id, given, advance)
            case Blocked():
                return False
            case _ as never:
                assert_never(never)
        return True

    async def _took(self, frame: Frame, call: CallId, result: ToolOutcome, advance: Advance) -> None:
        match result:
            case ToolResult():
                await self._close(frame, call, result)
            case Delegate():
                await self._delegate(frame, call, result, advance)
            case ask:
                await self._handing.ask(frame, call, ask, AskedAbout.QUESTION)

    async def _delegate(self, frame: Frame, call: CallId, wish: Delegate, advance: Advance) -> None:
        refusal = self._loading.refuses(frame, wish)
        if refusal is not None:
            await self._close(frame, call, ToolResult(text=refusal, failed=True))
            return
        self._bench.tell(frame, "Delegated", agent=wish.agent)
        child = await self._loading.delegate(frame, call, wish)
        if isinstance(child, Frame):
            await self._enter(frame, call, child, advance)
        else:
            await self._close(frame, call, ToolResult(text=child, failed=True))

    async def _enter(self, frame: Frame, call: CallId, child: Frame, advance: Advance) -> bool:
        """Whether the child came to its end, which is the result of the call."""
        match await advance(child):
            case Finish(text=text, files=files):
                await self._closing.save(child)
                await self._close(frame, call, ToolResult(text=text, files=files))
            case Fail(cause=cause, what=what):
                await self._closing.save(child)
                await self._close(frame, call, self._no_answer(child.agent.id, cause, what))
            case _:
                return False
        return True

    def _no_answer(self, agent: str, cause: str, what: str) -> ToolResult:
        """That an agent went round and round is something to work with; any other end is an error."""
        if cause == "cause_no_progress":
            text = f"Sub-agent `{agent}` exceeded {what} tool-call rounds without producing a final answer."
            return ToolResult(text=text)
        return ToolResult(text=f"{agent} has no answer: {self._closing.cause(cause, what)}", failed=True)

    async def _close(self, frame: Frame, call: CallId, result: ToolResult) -> None:
        step = ToolFinished(call=call, result=result.text, failed=result.failed, files=result.files, said=result.said)
        frame.log.add(step)
        await self._closing.save(frame)

    @contextmanager
    def _at_work(self, turn: int) -> Iterator[None]:
        self._running[turn] += 1
        try:
            yield
        finally:
            self._running[turn] -= 1
            if not self._running[turn]:
                del self._running[turn]
