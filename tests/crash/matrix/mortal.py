"""The real store, in whose operations a process can die."""

from collections.abc import Callable
from typing import Concatenate, ParamSpec, TypeVar

from sqlalchemy import Connection

from core.domain.message import Inbound, InboundKind
from core.domain.step import Stamped, Steered, ToolFinished, ToolStarted
from core.store.sqlite import SqliteStore
from core.store.store import Store
from tests.crash.matrix.fate import Fate
from tests.crash.matrix.points import Moment

P = ParamSpec("P")
T = TypeVar("T")


class MortalStore(Store):
    """Tells of every operation that came to its end."""

    def __init__(self, engine: SqliteStore, fate: Fate, did: Callable[[str], None]) -> None:
        super().__init__(engine)
        self._fate = fate
        self._did = did

    async def run(self, fn: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Inside is after the statements and before the commit."""
        name = named(fn, args)

        def inside(conn: Connection) -> T:
            result = fn(conn, *args, **kwargs)
            self._fate.passes(name, Moment.INSIDE)
            return result

        self._fate.passes(name, Moment.BEFORE)
        with self._fate.storing():
            result = await super().run(inside)
        self._fate.passes(name, Moment.AFTER)
        self._did(name)
        return result

    async def read(self, fn: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Nothing can be half read."""
        name = named(fn, args)
        self._fate.passes(name, Moment.BEFORE)
        with self._fate.storing():
            result = await super().read(fn, *args, **kwargs)
        self._fate.passes(name, Moment.AFTER)
        self._did(name)
        return result


def named(fn: Callable[..., object], args: tuple[object, ...]) -> str:
    """The operation, and what it is about where that makes a difference."""
    name = f"{fn.__module__.removeprefix('core.store.')}.{fn.__name__}"
    match name, args:
        case "inbox.accept", (Inbound() as event, *_):
            return f"{name} of {_said(event)}"
        case "turns.append", (_, [*stamped], *_):
            return f"{name} of {_logged(stamped)}"
        case "outbox.sent", (_, _, True, *_):
            return f"{name} of a part"
    return name


def _said(event: Inbound) -> str:
    if event.kind is InboundKind.BUTTON:
        return "a button"
    if event.content.startswith(("/stop", "/new")):
        return "a stop"
    if event.content.startswith("/"):
        return "a command"
    return "a message" if event.content.startswith("e") and event.content[1:2].isdigit() else "an answer"


def _logged(stamped: list[object]) -> str:
    steps = [one.step for one in stamped if isinstance(one, Stamped)]
    if any(isinstance(step, ToolStarted) for step in steps):
        return "a start"
    if any(isinstance(step, Steered) for step in steps):
        return "a steering word"
    return "a result" if any(isinstance(step, ToolFinished) for step in steps) else "an answer"
