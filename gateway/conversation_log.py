"""Telemetry as a file: logs/conversation.jsonl, one JSON line for each thing that happened in a conversation."""

import json
from contextlib import suppress
from datetime import UTC, datetime
from typing import Final

from core.bus import Bus, Subscription, Telemetry, Volatile
from core.ports import Clock
from gateway.home import Home
from gateway.log_file import LogFile
from gateway.logs import MEGABYTE
from gateway.redaction import Redactor
from gateway.sections import LogSettings

NAME: Final = "conversation.jsonl"


class ConversationLog:
    """Reads the bus and writes what it reads. Cosmetic like all telemetry: a line that the disk refuses is counted."""

    def __init__(self, bus: Bus, file: LogFile, clock: Clock, redactor: Redactor) -> None:
        self._bus = bus
        self._file = file
        self._clock = clock
        self._redactor = redactor
        self._reader: Subscription | None = None
        self._lost = 0

    async def run(self) -> None:
        """Write until cancelled; what was emitted before the cancellation is still written."""
        with self._bus.subscribe(Telemetry) as reader:
            self._reader = reader
            try:
                async for message in reader:
                    self._write(message)
            finally:
                self.flush()
                self._reader = None
                self._file.close()

    def flush(self) -> None:
        """Write what waits, and return when the disk has it: the last act of a drain."""
        for message in self._reader.take() if self._reader else ():
            self._write(message)
        with suppress(OSError):
            self._file.sync()

    def _write(self, message: Volatile) -> None:
        if not isinstance(message, Telemetry):
            return
        record = {
            "at": datetime.fromtimestamp(self._clock.now() / 1000, UTC).isoformat(timespec="milliseconds"),
            "kind": message.kind,
            "chat": message.chat,
            "turn": message.turn,
            "data": message.data,
            "lost_before": self._lost or None,
        }
        line = json.dumps(self._redactor.fields({key: value for key, value in record.items() if value is not None}))
        try:
            self._file.write(line + "\n")
        except OSError:
            self._lost += 1
        else:
            self._lost = 0


def conversation_file(home: Home, settings: LogSettings) -> LogFile:
    """The file of this home; it is made when the first line is written."""
    return LogFile(home.logs / NAME, max_bytes=int(settings.max_mb * MEGABYTE), rotations=settings.rotations)
