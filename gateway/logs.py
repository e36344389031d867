"""Logging: one JSON line an event in logs/parley.log, warnings also on the terminal, no secret in either.

Our own loggers (structlog's and the standard library's) and those of the platforms' SDKs go through the same pipe. What
the lines of one piece of work share (chat, turn, delivery) is bound once with `structlog.contextvars`.
"""

import json
import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, TextIO

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

from core.validation import printable
from gateway.home import Home
from gateway.log_file import LogFile
from gateway.redaction import Redactor
from gateway.sections import LogSettings

NAME: Final = "parley.log"
MEGABYTE: Final = 1_000_000
LONGEST_LINE: Final = 32_000
LONGEST_SHORT_LINE: Final = 300
LONGEST_EXCEPTION: Final = 12_000
OURS: Final = frozenset({"gateway", "channels", "core", "parley"})
FIRST: Final = ("at", "level", "event", "logger", "chat", "turn", "delivery")


class FromOthers(logging.Filter):
    """Lets libraries speak only from a level on: below it, SDKs and the model library log whole messages."""

    def __init__(self, least: int) -> None:
        super().__init__()
        self._least = least

    def filter(self, record: logging.LogRecord) -> bool:
        """Ours always; others' from the level on."""
        return record.levelno >= self._least or record.name.split(".")[0] in OURS


@contextmanager
def logging_to(home: Home, settings: LogSettings, redactor: Redactor, terminal: TextIO | None = None) -> Iterator[None]:
    """Everything that is logged while the block lasts goes to this home's log file.

    With `terminal`, warnings and errors also go there, one short line each. A line that cannot be written is lost and
    stops nothing.
    """
    size = int(settings.max_mb * MEGABYTE)
    file = LogFile(home.logs / NAME, max_bytes=size, rotations=settings.rotations)
    level = logging.getLevelNamesMapping()[settings.level.upper()]
    handlers = [_handler(file, level, _Json(redactor))]
    if terminal is not None:
        handlers.append(_handler(terminal, logging.WARNING, _Short(redactor)))
    # Debugging our own code never means seeing what SDKs log at their debug level.
    others = FromOthers(logging.INFO if level == logging.DEBUG else logging.WARNING)
    for handler in handlers:
        handler.addFilter(others)
    try:
        with _installed(handlers, level):
            yield
    finally:
        file.close()


def console() -> TextIO | None:
    """Standard error, if a person reads it."""
    return sys.stderr if sys.stderr.isatty() else None


def _handler(stream: LogFile | TextIO, level: int, render: Callable[[EventDict], str]) -> logging.Handler:
    def rendered(_logger: WrappedLogger, _method: str, event: EventDict) -> str:
        return render(event)

    handler = logging.StreamHandler(stream)
    handler.setLevel(level)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[*_shared(), structlog.stdlib.ExtraAdder()],
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, rendered],
        )
    )
    return handler


def _shared() -> list[Processor]:
    return [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True, key="at"),
    ]


@contextmanager
def _installed(handlers: list[logging.Handler], level: int) -> Iterator[None]:
    """The one place that touches the standard library's and structlog's own settings; it puts all of them back."""
    root = logging.getLogger()
    before = (root.handlers[:], root.level, logging.raiseExceptions)
    root.handlers[:] = handlers
    root.setLevel(level)
    # Otherwise a full disk prints each lost record, its arguments included, to standard error.
    logging.raiseExceptions = False
    logging.captureWarnings(True)
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *_shared(),
            structlog.stdlib.PositionalArgumentsFormatter(),
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        wrapper_class=structlog.stdlib.BoundLogger,
        logger_factory=structlog.stdlib.LoggerFactory(),
    )
    try:
        yield
    finally:
        structlog.reset_defaults()
        logging.captureWarnings(False)
        root.handlers[:], level_before, logging.raiseExceptions = before
        root.setLevel(level_before)


class _Json:
    """One event as one line of JSON: control characters escaped, its length bounded."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor

    def __call__(self, event: EventDict) -> str:
        fields = _fields(event, self._redactor)
        line = json.dumps(fields)
        if len(line) > LONGEST_LINE:
            line = json.dumps({key: fields[key] for key in FIRST if key in fields} | {"cut": len(line)})
        return line


class _Short:
    """One event as a person at the terminal reads it."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor

    def __call__(self, event: EventDict) -> str:
        fields = _fields(event, self._redactor)
        fields.pop("at", None)
        fields.pop("exception", None)
        level, words = fields.pop("level", ""), fields.pop("event", "")
        rest = " ".join(f"{key}={value}" for key, value in fields.items())
        return printable(f"{level}: {words} {rest}".rstrip(), LONGEST_SHORT_LINE)


def _fields(event: EventDict, redactor: Redactor) -> dict[str, object]:
    raised = event.pop("exc_info", None)
    words = redactor.text(str(event.get("event", "")))
    fields = redactor.fields(event) | {"event": words}
    if raised:
        fields["exception"] = redactor.text(_traceback(raised), LONGEST_EXCEPTION)
    return {key: fields[key] for key in FIRST if key in fields} | fields


def _traceback(raised: object) -> str:
    formatted = structlog.processors.format_exc_info(None, "", {"exc_info": raised})
    return str(formatted.get("exception", ""))
