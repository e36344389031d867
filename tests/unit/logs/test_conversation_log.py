"""logs/conversation.jsonl: every thing that happened, in order, until the very end."""

import asyncio
import json
import shutil

from core.bus import Bus, Progress, Telemetry
from core.domain.chat import ChatKey
from core.domain.secret import Secret
from gateway.conversation_log import ConversationLog, conversation_file
from gateway.home import Home
from gateway.redaction import Redactor
from gateway.sections import LogSettings

CHAT = ChatKey(channel="fake", account="a", chat_id="c")


class StillClock:
    """A clock that stands."""

    def now(self) -> int:
        """Always the same."""
        return 1_700_000_000_123

    async def sleep(self, seconds: float) -> None:
        """Not at all."""


def log_of(home: Home, bus: Bus) -> ConversationLog:
    """The log of a bus."""
    file = conversation_file(home, LogSettings())
    return ConversationLog(bus, file, StillClock(), Redactor([Secret("canary-1")]))


def records(home: Home) -> list[dict[str, object]]:
    """What was written."""
    return [json.loads(line) for line in (home.logs / "conversation.jsonl").read_text().splitlines()]


async def until_watched(bus: Bus) -> None:
    """Let the log begin."""
    while not bus.watched(Telemetry):
        await asyncio.sleep(0)


async def test_what_happened_is_written_with_its_chat_and_turn(home: Home) -> None:
    bus = Bus()
    log = log_of(home, bus)
    async with asyncio.TaskGroup() as group:
        task = group.create_task(log.run())
        await until_watched(bus)
        bus.emit(Telemetry(kind="ToolCallStarted", chat=CHAT, turn=4, data={"tool": "read_file", "arguments": "dear"}))
        bus.emit(Progress(chat=CHAT, turn=4, text="dear diary"))
        bus.emit(Telemetry(kind="CronTrigger"))
        log.flush()
        first, second = records(home)
        task.cancel()
    assert first == {
        "at": "2023-11-14T22:13:20.123+00:00",
        "kind": "ToolCallStarted",
        "chat": {"channel": "fake", "account": "a", "chat_id": "c", "thread_id": None},
        "turn": 4,
        "data": {"tool": "read_file", "arguments": "(4 characters)"},
    }
    assert second == {"at": "2023-11-14T22:13:20.123+00:00", "kind": "CronTrigger", "data": {}}


async def test_what_was_emitted_before_the_end_is_still_written(home: Home) -> None:
    bus = Bus()
    async with asyncio.TaskGroup() as group:
        task = group.create_task(log_of(home, bus).run())
        await until_watched(bus)
        for number in range(300):
            bus.emit(Telemetry(kind="ToolCall", turn=number))
        task.cancel()
    assert [record["turn"] for record in records(home)] == list(range(300))
    assert not bus.watched(Telemetry)


async def test_secrets_are_masked_here_too(home: Home) -> None:
    bus = Bus()
    async with asyncio.TaskGroup() as group:
        task = group.create_task(log_of(home, bus).run())
        await until_watched(bus)
        bus.emit(
            Telemetry(kind="ShellPolicyDecision", data={"command": ["curl", "-H", "token: canary-1"], "canary-1": 1})
        )
        task.cancel()
    assert "canary" not in (home.logs / "conversation.jsonl").read_text()


async def test_lines_that_the_disk_refused_are_counted_on_the_next_one(home: Home) -> None:
    bus = Bus()
    async with asyncio.TaskGroup() as group:
        log = log_of(home, bus)
        task = group.create_task(log.run())
        await until_watched(bus)
        shutil.rmtree(home.logs)
        bus.emit(Telemetry(kind="ToolCall", turn=1))
        bus.emit(Telemetry(kind="ToolCall", turn=2))
        log.flush()
        home.logs.mkdir()
        bus.emit(Telemetry(kind="ToolCall", turn=3))
        bus.emit(Telemetry(kind="ToolCall", turn=4))
        task.cancel()
    assert [(record["turn"], record.get("lost_before")) for record in records(home)] == [(3, 2), (4, None)]
