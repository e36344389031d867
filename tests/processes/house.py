"""One home folder, the processes on it, and what its store holds."""

import asyncio
import fcntl
import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from core.domain.message import plain
from core.store import codec
from tests.fakes.openai_server import OpenAIServer
from tests.processes.nursery import Order
from tests.processes.piped import Pipe, Piped
from tests.processes.started import PATIENCE_S, Done, Nursery, Process, Streams, environment_in, start_anew
from tests.processes.window import READY, Screen, Window

LOOK_AGAIN_S = 0.01
LIVE = ("queued", "running", "waiting")

Seen = TypeVar("Seen")

CONVERSATION = """
SELECT inbound.id, inbound.content, turns.state FROM inbound
JOIN chats ON chats.id = inbound.chat JOIN turns ON turns.id = inbound.id
WHERE chats.chat_id = ? ORDER BY inbound.id
"""
REPLIES = """
SELECT outbox.turn, outbox.state, outbox.reply FROM outbox
JOIN chats ON chats.id = outbox.chat WHERE chats.chat_id = ? AND outbox.turn IS NOT NULL ORDER BY outbox.id
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """One message in the store: the state of its turn, and its replies, each with the state of its delivery."""

    said: str
    state: str
    replies: tuple[tuple[str, str], ...]

    @property
    def closed(self) -> bool:
        """Whether nothing of it is under way any more."""
        return self.state not in LIVE and all(state in ("sent", "dead") for _, state in self.replies)


def answered(said: str, *replies: str) -> Told:
    """A message whose replies were all shown."""
    return Told(said=said, state="done", replies=tuple((reply, "sent") for reply in replies))


class House:
    """A home folder. Whatever is started here ends with the test."""

    def __init__(self, folder: Path, nursery: Nursery) -> None:
        self.folder = folder
        self.home = folder / "parley"
        self.home.mkdir(mode=0o700, parents=True)
        self._nursery = nursery
        self._processes: list[Process] = []
        self._ends: list[Screen | Piped] = []

    @property
    def database(self) -> Path:
        """The store's file."""
        return self.home / "parley.db"

    @property
    def workspace(self) -> Path:
        """Where agents work."""
        return self.home / "workspace"

    @property
    def log(self) -> str:
        """What was logged."""
        return (self.home / "logs" / "parley.log").read_text(encoding="utf-8")

    def settings(self, text: str) -> None:
        """Write parley.toml."""
        path = self.home / "parley.toml"
        path.write_text(text, encoding="utf-8")
        path.chmod(0o600)

    def uses(self, server: OpenAIServer, more: str = "") -> None:
        """Write a parley.toml with this server as its model, `more` being further keys of the model."""
        self.settings(model_table(server.url) + more)

    async def window(self, *arguments: str) -> Window:
        """`parley chat` on a terminal, ready for the first key."""
        return await self.terminal("chat", *arguments)

    async def terminal(self, *arguments: str, anew: bool = False) -> Window:
        """Any verb on a terminal, ready for the first key."""
        screen = Screen()
        self._ends.append(screen)
        process = await self._start(self.order(arguments), (screen.slave,) * 3, anew=anew)
        screen.given()
        await screen.until(lambda text: f"\n{text}".endswith(READY), "was ready")
        return Window(screen, process)

    async def piped(self, *arguments: str, anew: bool = False, source: Path | None = None) -> Piped:
        """Any verb between pipes, or with a file as its input."""
        return await self.ordered(self.order(arguments), anew=anew, source=source)

    async def ordered(self, order: Order, *, anew: bool = False, source: Path | None = None) -> Piped:
        """The same with an order of one's own."""
        theirs, ours = os.pipe() if source is None else (os.open(source, os.O_RDONLY), -1)
        output, errors = Pipe(), Pipe()
        process = await self._start(order, (theirs, output.theirs, errors.theirs), anew=anew)
        for fd in (theirs, output.theirs, errors.theirs):
            os.close(fd)
        piped = Piped(process, ours, output, errors)
        self._ends.append(piped)
        return piped

    async def does(self, *arguments: str, said: str | bytes = "", anew: bool = False) -> Done:
        """Run a verb to its end."""
        piped = await self.piped(*arguments, anew=anew)
        await piped.says(said)
        return await piped.done()

    def order(
        self,
        arguments: Sequence[str],
        *,
        environment: Mapping[str, str] | None = None,
        closed: Sequence[int] = (),
        file_bytes: int | None = None,
    ) -> Order:
        """What a process of this house is started with."""
        return Order(
            arguments=arguments,
            environment={**environment_in(self.folder), **(environment or {})},
            folder=str(self.folder),
            closed=closed,
            file_bytes=file_bytes,
        )

    async def close(self) -> None:
        """End whatever still runs."""
        for process in self._processes:
            await process.is_killed()
        for end in self._ends:
            end.close()

    def conversation(self, session: str = "default") -> list[Told]:
        """What was said in a session and what became of it, in the order of the store."""
        said = self._rows(CONVERSATION, session)
        replies: dict[object, list[tuple[str, str]]] = {}
        for turn, state, reply in self._rows(REPLIES, session):
            replies.setdefault(turn, []).append((plain(codec.reply_value(str(reply))), str(state)))
        return [
            Told(said=str(content), state=str(state), replies=tuple(replies.get(turn, ())))
            for turn, content, state in said
        ]

    def steps(self) -> list[str]:
        """The kinds of all steps, in order."""
        return [str(kind) for (kind,) in self._rows("SELECT kind FROM steps ORDER BY turn, seq")]

    def pending_commands(self) -> list[str]:
        """The commands that are stored and not performed."""
        return [str(name) for (name,) in self._rows("SELECT command FROM inbound WHERE pending = 1 ORDER BY id")]

    async def until(self, true: Callable[[list[Told]], bool], session: str = "default") -> list[Told]:
        """Wait until this is true of a session; gives it."""
        return await until(lambda: self.conversation(session), true)

    async def settled(self, count: int = 1, session: str = "default") -> list[Told]:
        """Wait until so many messages were said and nothing of any is under way; gives the session."""
        return await self.until(lambda told: len(told) >= count and all(one.closed for one in told), session)

    @contextmanager
    def store_held(self) -> Iterator[None]:
        """While the block lasts nobody else commits: whoever wants to waits."""
        with closing(sqlite3.connect(self.database, isolation_level=None, timeout=PATIENCE_S)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            yield
            connection.execute("ROLLBACK")

    @contextmanager
    def workspace_held(self) -> Iterator[None]:
        """While the block lasts no tool changes a file of the workspace's top folder: whichever wants to waits."""
        folder = os.open(self.workspace, os.O_RDONLY)
        try:
            fcntl.flock(folder, fcntl.LOCK_EX)
            yield
        finally:
            os.close(folder)

    def _rows(self, query: str, *values: str) -> list[tuple[object, ...]]:
        """None as long as there is no store."""
        with (
            suppress(sqlite3.OperationalError),
            closing(sqlite3.connect(f"file:{self.database}?mode=ro", uri=True)) as connection,
        ):
            return connection.execute(query, values).fetchall()
        return []

    async def _start(self, order: Order, streams: Streams, *, anew: bool) -> Process:
        process = await (start_anew(order, streams) if anew else self._nursery.start(order, streams))
        self._processes.append(process)
        return process


def model_table(url: str) -> str:
    """The model of all these tests."""
    return f'[models.test]\nmodel = "openai/test"\napi_base = "{url}"\napi_key = "sk-test-NOTREAL"\n'


async def until(look: Callable[[], Seen], true: Callable[[Seen], bool]) -> Seen:
    """Look until what is seen is right; gives it."""
    seen = look()
    end = asyncio.get_running_loop().time() + PATIENCE_S
    while not true(seen):
        assert asyncio.get_running_loop().time() < end, f"never came to be; now it is {seen}"
        await asyncio.sleep(LOOK_AGAIN_S)
        seen = look()
    return seen
