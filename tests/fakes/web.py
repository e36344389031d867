"""A small web: raw HTTP/1.1 servers on loopback that answer literally, and a name service that a test scripts.

`async with Site({"/": answer("hello")}) as site:` serves until the block is left; `site.seen` is what was asked.
"""

import asyncio
import ssl
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

Act = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One request as it arrived; header names in lower case."""

    method: str
    target: str
    headers: Mapping[str, str] = field(hash=False)


def answer(body: str | bytes = b"", *, status: int = 200, **headers: str) -> Act:
    """A whole answer with its length. Header names are given with underscores: content_type="text/html"."""
    content = body.encode() if isinstance(body, str) else body
    lines = [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    head = "\r\n".join([f"HTTP/1.1 {status} Said", f"content-length: {len(content)}", *lines, "", ""])

    async def act(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(head.encode() + content)

    return act


def moved(location: str, status: int = 302) -> Act:
    """A redirect."""
    return answer(status=status, location=location)


def literal(data: bytes) -> Act:
    """These bytes and nothing else."""

    async def act(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(data)

    return act


def endless(chunks: Iterable[bytes], **headers: str) -> Act:
    """A body without a length that goes on until `chunks` end or the client leaves."""
    lines = [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    head = "\r\n".join(["HTTP/1.1 200 Said", "connection: close", *lines, "", ""])

    async def act(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(head.encode())
        for chunk in chunks:
            writer.write(chunk)
            await writer.drain()

    return act


async def silence(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """No answer until the client leaves."""
    await reader.read()


class Site:
    """One server. Paths that it does not know get a 404; `greeting` is said before anything was asked."""

    def __init__(
        self, pages: Mapping[str, Act] | None = None, *, tls: ssl.SSLContext | None = None, greeting: bytes = b""
    ) -> None:
        self.port = 0
        self.pages = dict(pages or {})
        self.seen: list[Asked] = []
        self.connections = 0
        self._tls = tls
        self._greeting = greeting
        self._server: asyncio.Server | None = None

    @property
    def place(self) -> tuple[str, int]:
        """Address and port, which the system chose."""
        return ("127.0.0.1", self.port)

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=self._tls)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._server is not None
        self._server.close()
        await self._server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            writer.write(self._greeting)
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            method, target, _ = head[0].split(" ")
            pairs = (line.partition(":") for line in head[1:] if line)
            headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
            self.seen.append(Asked(method=method, target=target, headers=headers))
            await self.pages.get(target.partition("?")[0], answer(status=404))(reader, writer)
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # the client left: that is its right
        finally:
            writer.close()


class Names:
    """A name service: each lookup of a name takes the next of its answers, and the last one stays."""

    def __init__(self, answers: Mapping[str, Sequence[Sequence[str]]]) -> None:
        self._answers = {name: list(each) for name, each in answers.items()}
        self.asked: list[str] = []

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        """Raises OSError for a name without answers."""
        self.asked.append(host)
        answers = self._answers.get(host)
        if not answers:
            raise OSError(f"{host} is not known")
        return answers.pop(0) if len(answers) > 1 else answers[0]
