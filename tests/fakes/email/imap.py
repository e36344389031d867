"""IMAP as a client of a mailbox speaks it (RFC 3501, 2177, 4315), for one connection."""

import asyncio
import re
from datetime import UTC, datetime

from tests.fakes.email.postbox import Folder, Kept
from tests.fakes.email.provider import Provider

CAPABILITIES = "IMAP4rev1 IDLE UIDPLUS AUTH=XOAUTH2"
_WORD = re.compile(r'"((?:[^"\\]|\\.)*)"|(\([^)]*\))|(\S+)')


def words(line: str) -> list[str]:
    """The arguments of a command, quotes taken off."""
    return [
        re.sub(r"\\(.)", r"\1", quoted) if quoted or not (group or bare) else group or bare
        for quoted, group, bare in _WORD.findall(line)
    ]


class ImapSession:
    """One client."""

    def __init__(self, provider: Provider, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._provider = provider
        self._reader = reader
        self._writer = writer
        self._folder: Folder | None = None
        # How many mails the client knows of: what came since is told as soon as it listens.
        self._told = 0

    async def run(self) -> None:
        """Until one side goes."""
        self._say("* OK ready")
        while line := await self._reader.readline():
            tag, _, rest = line.decode().rstrip("\r\n").partition(" ")
            name, _, arguments = rest.partition(" ")
            if name.upper() == "UID":
                sub, _, arguments = arguments.partition(" ")
                name = f"UID {sub}"
            self._provider.commands.append(name.upper())
            if not await self._performs(tag, name.upper(), arguments):
                return
            await self._writer.drain()

    async def _performs(self, tag: str, name: str, arguments: str) -> bool:
        refusal = self._provider.plan.refusal(name)
        if refusal == "close":
            return False
        if refusal is not None and refusal.startswith("* BYE"):
            self._say(refusal)
            await self._writer.drain()
            return False
        if refusal is not None:
            self._say(f"{tag} {refusal}")
            return True
        perform = getattr(self, "_" + name.lower().replace(" ", "_"), None)
        if perform is None:
            self._say(f"{tag} BAD unknown command")
            return True
        result = perform(tag, arguments)
        said = await result if asyncio.iscoroutine(result) else result
        self._say(f"{tag} {said or 'OK done'}")
        return name != "LOGOUT"

    def _say(self, line: str) -> None:
        self._writer.write(f"{line}\r\n".encode())

    def _capability(self, tag: str, arguments: str) -> None:
        self._say(f"* CAPABILITY {CAPABILITIES}")

    def _login(self, tag: str, arguments: str) -> str | None:
        return None if words(arguments)[1] == "not-a-real-password" else "NO [AUTHENTICATIONFAILED] no"

    def _authenticate(self, tag: str, arguments: str) -> None:
        """Any token will do."""

    def _noop(self, tag: str, arguments: str) -> None:
        """Nothing."""

    def _logout(self, tag: str, arguments: str) -> None:
        self._say("* BYE see you")

    def _list(self, tag: str, arguments: str) -> None:
        for folder in self._provider.box.folders.values():
            self._say(f'* LIST ({folder.attributes}) "/" "{folder.name}"')

    def _select(self, tag: str, arguments: str) -> str:
        folder = self._provider.box.folders.get(words(arguments)[0])
        if folder is None:
            return "NO [NONEXISTENT] no such folder"
        self._folder, self._told = folder, len(folder.mails)
        self._say(f"* {len(folder.mails)} EXISTS")
        self._say(f"* OK [UIDVALIDITY {folder.validity}] valid")
        self._say(f"* OK [UIDNEXT {folder.next}] next")
        return "OK [READ-WRITE] selected"

    def _uid_search(self, tag: str, arguments: str) -> None:
        assert self._folder is not None
        found = [str(one.uid) for one in searched(self._folder, words(arguments))]
        self._say(" ".join(["* SEARCH", *found]))

    def _uid_fetch(self, tag: str, arguments: str) -> None:
        assert self._folder is not None
        told, what = words(arguments)[:2]
        wanted = {kept.uid for kept in self._folder.within(told)}
        for number, kept in enumerate(self._folder.mails, 1):
            if kept.uid in wanted:
                self._tell(number, kept, what)

    def _tell(self, number: int, kept: Kept, what: str) -> None:
        if "BODY" not in what:
            moment = datetime.fromtimestamp(kept.at / 1000, UTC).strftime("%d-%b-%Y %H:%M:%S +0000")
            said = f'UID {kept.uid} INTERNALDATE "{moment}" RFC822.SIZE {len(kept.raw)}'
            self._say(f"* {number} FETCH ({said})")
            return
        if "PEEK" not in what:
            kept.flags.add("\\Seen")
        part = re.search(r"<0\.(\d+)>", what)
        raw = kept.raw[: int(part[1])] if part else kept.raw
        label = "BODY[]<0>" if part else "BODY[]"
        self._writer.write(f"* {number} FETCH (UID {kept.uid} {label} {{{len(raw)}}}\r\n".encode() + raw + b")\r\n")

    def _uid_store(self, tag: str, arguments: str) -> None:
        assert self._folder is not None
        told, _, flags = words(arguments)[:3]
        for kept in self._folder.within(told):
            kept.flags |= set(flags.strip("()").split())

    def _uid_expunge(self, tag: str, arguments: str) -> None:
        assert self._folder is not None
        gone = [kept for kept in self._folder.within(words(arguments)[0]) if "\\Deleted" in kept.flags]
        self._folder.mails = [kept for kept in self._folder.mails if kept not in gone]

    async def _append(self, tag: str, arguments: str) -> str:
        folder = self._provider.box.folders.get(words(arguments)[0])
        size = re.search(r"\{(\d+)\}$", arguments)
        assert size is not None
        self._say("+ go ahead")
        await self._writer.drain()
        raw = await self._reader.readexactly(int(size[1]))
        await self._reader.readline()
        if folder is None:
            return "NO [TRYCREATE] no such folder"
        folder.add(raw, self._provider.clock(), "\\Seen")
        self._provider.tell()
        return "OK appended"

    async def _idle(self, tag: str, arguments: str) -> None:
        assert self._folder is not None
        self._say("+ idling")
        await self._writer.drain()
        async with asyncio.TaskGroup() as group:
            telling = group.create_task(self._tells(self._folder))
            await self._reader.readline()
            telling.cancel()

    async def _tells(self, folder: Folder) -> None:
        while True:
            if len(folder.mails) != self._told:
                self._told = len(folder.mails)
                self._say(f"* {self._told} EXISTS")
                await self._writer.drain()
            await self._provider.change()


def searched(folder: Folder, criteria: list[str]) -> list[Kept]:
    """What all criteria agree on."""
    found, rest = list(folder.mails), list(criteria)
    while rest:
        name = rest.pop(0).upper()
        told = [rest.pop(0) for _ in range({"UID": 1, "SINCE": 1, "HEADER": 2}.get(name, 0))]
        within = {kept.uid for kept in folder.within(told[0])} if name == "UID" else set()
        found = [one for one in found if (one.uid in within if name == "UID" else _fits(one, name, told))]
    return found


def _fits(kept: Kept, name: str, told: list[str]) -> bool:
    match name:
        case "UNSEEN":
            return "\\Seen" not in kept.flags
        case "SINCE":
            day = datetime.strptime(told[0], "%d-%b-%Y").replace(tzinfo=UTC)
            return datetime.fromtimestamp(kept.at / 1000, UTC) >= day
        case "HEADER":
            return told[1] in kept.message_id
        case _:
            return True
