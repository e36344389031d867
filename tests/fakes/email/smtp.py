"""SMTP submission (RFC 5321, RFC 4954), for one connection."""

import asyncio

from tests.fakes.email.provider import Provider


class SmtpSession:
    """One client."""

    def __init__(self, provider: Provider, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._provider = provider
        self._reader = reader
        self._writer = writer
        self._sender = ""
        self._recipients: list[str] = []

    async def run(self) -> None:
        """Until one side goes."""
        self._say("220 mx.example.com ESMTP")
        while line := await self._reader.readline():
            command = line.decode().rstrip("\r\n")
            name = command.split(" ", 1)[0].upper()
            self._provider.commands.append(name)
            refusal = self._provider.plan.refusal(name)
            if refusal == "close":
                return
            if refusal is not None:
                self._say(refusal)
            elif name == "DATA":
                if not await self._data():
                    return
            else:
                self._answer(name, command)
            await self._writer.drain()
            if name == "QUIT":
                return

    def _say(self, line: str) -> None:
        self._writer.write(f"{line}\r\n".encode())

    def _answer(self, name: str, command: str) -> None:
        match name:
            case "EHLO":
                self._say("250-mx.example.com")
                self._say("250-8BITMIME")
                self._say("250-AUTH PLAIN XOAUTH2")
                self._say("250 SIZE 30000000")
            case "AUTH":
                self._say("235 2.7.0 welcome")
            case "MAIL":
                self._sender, self._recipients = _address(command), []
                self._say("250 2.1.0 ok")
            case "RCPT":
                self._recipients.append(_address(command))
                self._say("250 2.1.5 ok")
            case "QUIT":
                self._say("221 bye")
            case _:
                self._say("250 ok")

    async def _data(self) -> bool:
        """Whether the connection is still there."""
        self._say("354 go ahead")
        await self._writer.drain()
        lines = []
        while (line := await self._reader.readline()) not in (b".\r\n", b""):
            lines.append(line.removeprefix(b".") if line.startswith(b"..") else line)
        if not line:
            return False
        refusal, cut = self._provider.plan.refusal("."), self._provider.plan.cut()
        if refusal is not None:
            self._say(refusal)
            return True
        if cut != "before":
            self._provider.accepts(self._sender, tuple(self._recipients), b"".join(lines))
        if cut is not None:
            self._writer.transport.abort()
            return False
        self._say("250 2.0.0 queued")
        return True


def _address(command: str) -> str:
    return command.partition("<")[2].partition(">")[0]
