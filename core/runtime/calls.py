"""Running the open calls of a round, side by side, each result in the log the moment it exists."""

import asyncio
from collections.abc import Sequence

from core.decide.next_step import Close, Run
from core.domain.errors import ToolError
from core.domain.step import ToolFinished, ToolStarted
from core.domain.tool import ToolResult
from core.domain.wait import Ask
from core.runtime.bench import Bench
from core.runtime.closing import Closing
from core.runtime.frame import Frame
from core.runtime.supervised import BROKEN, supervised

SIDE_BY_SIDE = 4


async def perform(frame: Frame, actions: Sequence[Run | Close], bench: Bench, closing: Closing) -> None:
    """Give every open call its result. Starts of calls that cannot be repeated are committed first, all at once."""
    for action in actions:
        if isinstance(action, Run) and action.record:
            frame.log.add(ToolStarted(call=action.id))
    await closing.save(frame)
    slots = asyncio.Semaphore(SIDE_BY_SIDE)
    try:
        async with asyncio.TaskGroup() as group:
            for action in actions:
                group.create_task(_give_result(frame, action, bench, closing, slots), name=f"call {action.id.index}")
    except ExceptionGroup as failed:
        # A lost lease or a store that refuses: the first one tells the caller what to do.
        raise failed.exceptions[0] from failed


async def _give_result(
    frame: Frame, action: Run | Close, bench: Bench, closing: Closing, slots: asyncio.Semaphore
) -> None:
    if isinstance(action, Close):
        frame.log.add(ToolFinished(call=action.id, result=action.result, failed=action.failed))
        await closing.save(frame)
        return
    async with slots:
        result = await _run(frame, action, bench)
        if isinstance(result, Ask):
            await closing.ask(frame, action.id, result)
            return
        frame.log.add(ToolFinished(call=action.id, result=result.text, failed=result.failed, files=result.files))
        await closing.save(frame)


async def _run(frame: Frame, action: Run, bench: Bench) -> ToolResult | Ask:
    name = action.call.name
    bench.tell(frame, "ToolCallStarted", tool=name)
    bench.show(frame, name)
    result = await supervised(_told(frame, action, bench), "tool.broke")
    if result is BROKEN:
        result = ToolResult(text=f"{name} failed with an internal error. Try another way.", failed=True)
    bench.tell(frame, "ToolCallFinished", tool=name, is_error=isinstance(result, ToolResult) and result.failed)
    return result


async def _told(frame: Frame, action: Run, bench: Bench) -> ToolResult | Ask:
    """What the tool gives, or what it tells the model instead."""
    name = action.call.name
    try:
        async with asyncio.timeout(bench.tool_s):
            return await frame.tools[name].run(action.call.arguments, bench.context(frame, action.id, name))
    except ToolError as exc:
        return ToolResult(text=str(exc), failed=True)
    except TimeoutError:
        return ToolResult(text=f"{name} took longer than {bench.tool_s:g} seconds and was stopped.", failed=True)
