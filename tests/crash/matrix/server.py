"""The platform's side of the line to one gateway, and the deaths that it chooses."""

import asyncio
import json
import os
import signal
from collections import Counter
from contextlib import suppress
from dataclasses import asdict

from tests.crash.matrix.answers import answer
from tests.crash.matrix.platform import SO_FAR, WORKING, Event, Platform, bare
from tests.crash.matrix.points import Moment, Point
from tests.crash.matrix.rows import own_points
from tests.crash.matrix.wire import Death, Line, Part, read, write
from tests.fakes.platform import Profile

# What somebody wants -> what befalls the reply; an answer -> what befalls the end of its question.
FAULTS = {"dead": "unacceptable", "gone": "unreachable", "flaky": "not_sent", "cut": "unsure", "green (Anna)": "unsure"}
NOT_TAKEN = ("unacceptable", "not_sent", "unreachable")


class Serving:
    """One gateway, from its first line to its last."""

    def __init__(self, platform: Platform, death: Death | None) -> None:
        self.pid = 0
        self.ahead = 0
        self.reached: Counter[Point] = Counter()
        self.ready = asyncio.Event()
        self._platform = platform
        self._death = death
        self._writer: asyncio.StreamWriter | None = None

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Until the gateway is gone. Whatever it wrote before it died still counts."""
        self._writer = writer
        async with asyncio.TaskGroup() as group:
            calls = []
            while (line := await read(reader)) is not None:
                if line["do"] in _CALLS:
                    calls.append(group.create_task(self._call(line)))
                    # Started at once, so that calls are met in the order in which they were written.
                    await asyncio.sleep(0)
                else:
                    self._hear(line)
            self._platform.leaves(self._hand_out)
            for call in calls:
                call.cancel()
        writer.close()

    def sends_to_sleep(self) -> None:
        """As soon as it does not use its store; SIGCONT wakes it."""
        self._tell({"sleep": True})

    def _hear(self, line: Line) -> None:
        match line:
            case {"do": "hello", "pid": int(pid)}:
                self.pid = pid
                self._platform.connects(self._hand_out)
            case {"do": "did", "names": list(names)}:
                for name in names:
                    self.reached.update(own_points(name))
                    self._platform.happened[name] += 1
                self._platform.changes.happened()
            case {"do": "ready"}:
                self.ready.set()
            case {"do": "ahead", "ms": int(ahead)}:
                self.ahead = ahead
            case {"do": "ack", "event": str(event)}:
                self._platform.acknowledges(event)
            case _:
                raise AssertionError(f"the gateway said {line}")

    def _hand_out(self, event: Event) -> None:
        self._tell(event.line())

    def _tell(self, line: Line) -> None:
        if self._writer is not None and not self._writer.is_closing():
            write(self._writer, line)

    async def _call(self, line: Line) -> None:
        """Three moments: it arrived, it was taken, it was answered."""
        name = str(line["name"])
        self._passes(name, Moment.ARRIVED)
        told = await _CALLS[str(line["do"])](self, line)
        self._passes(name, Moment.TAKEN)
        self._tell({"n": line["n"], **told})
        self._passes(name, Moment.ANSWERED)

    def _passes(self, name: str, moment: Moment) -> None:
        """Here it may end. What it asked for is then not done any more: the task that serves the call ends too."""
        point = Point(name=name, moment=moment)
        self.reached[point] += 1
        death = self._death
        if death is not None and death.point == point and self.reached[point] == death.nth:
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)
            raise asyncio.CancelledError

    async def _send(self, line: Line) -> Line:
        part, key = _part(line["part"]), str(line["key"])
        fault = self._fault(part["text"])
        if fault in NOT_TAKEN:
            return {"error": fault}
        message_id = self._platform.ledger.take(str(line["chat"]), str(line["thread"]), part, key)
        return {"error": fault} if fault else {"message": message_id}

    def _fault(self, text: str) -> str:
        """What befalls a message that asks for it: for ever, or the first time only."""
        text = bare(text)
        _, _, wish = text.partition(": ")
        fault = FAULTS.get(wish, "")
        if fault != "unacceptable" and self._platform.happened[f"fault {text}"]:
            return ""
        self._platform.happened[f"fault {text}"] += 1
        return fault

    async def _edit(self, line: Line) -> Line:
        part, message_id = _part(line["part"]), str(line["message"])
        if not self._platform.ledger.has(message_id):
            return {"error": "unreachable"}
        fault = self._fault(part["text"])
        if fault in NOT_TAKEN:
            return {"error": fault}
        self._platform.ledger.edit(message_id, part, str(line["key"]))
        return {"error": fault} if fault else {"message": line["message"]}

    async def _delete(self, line: Line) -> Line:
        self._platform.ledger.delete(str(line["message"]))
        return {}

    async def _settle(self, line: Line) -> Line:
        assert self._platform.profile is Profile.READBACK
        return {"settled": self._platform.ledger.of(str(line["key"])) is not None}

    async def _model(self, line: Line) -> Line:
        said, results = str(line["said"]), line["results"]
        assert isinstance(results, list)
        platform = self._platform
        platform.notes(f"asked {said}")
        given = answer(said, results)
        await self._half(line)
        if given.after == "progress":
            await platform.shown(WORKING, chat=platform.event_of(said).chat)
        elif given.after == "go":
            await platform.until(lambda: bool(platform.happened[f"go {said}"]), f"go {said}")
        elif given.after:
            before = platform.happened[given.after]
            await platform.changes.until(lambda: platform.happened[given.after] > before, within=None, otherwise=str)
        return asdict(given)

    async def _half(self, line: Line) -> None:
        """The first words go out when the gateway is to die with a draft on show, and are waited for there."""
        name, platform = str(line["name"]), self._platform
        if self._death is None or self._death.point != Point(name=name, moment=Moment.HALF):
            self.reached[Point(name=name, moment=Moment.HALF)] += 1
            return
        if line["streams"]:
            self._tell({"n": line["n"], "so_far": SO_FAR})
            await platform.shown(SO_FAR, chat=platform.event_of(str(line["said"])).chat, exactly=True)
            self._passes(name, Moment.HALF)

    async def _tool(self, line: Line) -> Line:
        match line:
            case {"tool": "count" | "pay", "key": str(key)}:
                self._platform.counted[key] += 1
            case {"tool": "press", "key": str(key)}:
                platform = self._platform
                platform.counted[key] += 1
                platform.notes("presses")
                await platform.until(lambda: bool(platform.happened["enough"]), "enough")
            case {"tool": "wait", "arguments": str(arguments)}:
                await self._until_answered(json.loads(arguments)["what"])
        return {"text": f"{line['tool']} done"}

    async def _until_answered(self, event: str) -> None:
        """Only before the first death: a question that was lost with it may need time that passes in quiet only."""
        platform = self._platform
        await platform.until(
            lambda: bool(platform.happened[f"answered {event}"] or platform.happened["death"]), f"an answer to {event}"
        )


def _part(given: object) -> Part:
    match given:
        case {"text": str(text), "choices": list(choices)}:
            return Part(text=text, choices=choices)
    raise AssertionError(f"no part: {given}")


_CALLS = {
    "send": Serving._send,
    "edit": Serving._edit,
    "delete": Serving._delete,
    "settle": Serving._settle,
    "model": Serving._model,
    "tool": Serving._tool,
}
