"""Reads the mailbox for as long as it is wanted: the position in the store decides, IDLE is only a hint."""

from dataclasses import dataclass

import structlog

from channels.contract import Accept
from channels.email import positions
from channels.email.connection import Lost, Refused
from channels.email.desk import Desk
from channels.email.imap import Imap, Selected
from channels.email.looking import LARGEST
from channels.email.positions import Position
from channels.email.taking import Taker
from channels.email.where import Spot
from core.domain.errors import SendError, StoreError
from core.domain.message import CursorMove

log = structlog.get_logger(__name__)

FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 120.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Folder:
    """One folder that is open."""

    name: str
    selected: Selected

    @property
    def scope(self) -> str:
        """Where its position is kept."""
        return f"folder.{self.name}"


class Listener:
    """One mailbox."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk

    async def listen(self, accept: Accept) -> None:
        """Until cancelled; connects again, after longer and longer pauses, whatever happens to the connection."""
        taker, pause = Taker(self.desk, accept), FIRST_PAUSE_S
        while True:
            try:
                imap = await self.desk.connect()
                try:
                    await self._read(imap, taker)
                    pause = FIRST_PAUSE_S
                    await self._go_on(imap, taker)
                finally:
                    await imap.close()
            except (Lost, Refused, SendError) as error:
                log.warning("mailbox.lost", error=str(error), again_in_s=pause)
            except StoreError as error:
                log.warning("mail.not_stored", error=str(error), again_in_s=pause)
            await self.desk.context.clock.sleep(pause)
            pause = min(LONGEST_PAUSE_S, pause * 2)

    async def _go_on(self, imap: Imap, taker: Taker) -> None:
        while True:
            await self._wait(imap)
            await self._read(imap, taker)

    async def _wait(self, imap: Imap) -> None:
        """For a word of the server about the first folder, but never longer than until the next look."""
        folders = self.desk.settings.folders
        if len(folders) > 1:
            await imap.select(folders[0])
        if imap.has("IDLE"):
            await imap.idle(self.desk.settings.poll_s)
        else:
            await self.desk.context.clock.sleep(self.desk.settings.poll_s)

    async def _read(self, imap: Imap, taker: Taker) -> None:
        for name in self.desk.settings.folders:
            folder = Folder(name=name, selected=await imap.select(name))
            await self._read_folder(imap, taker, folder)

    async def _read_folder(self, imap: Imap, taker: Taker, folder: Folder) -> None:
        kept = positions.loaded(await self.desk.kept(folder.scope))
        position = kept or await self._begin(imap, taker, folder)
        criteria = position.criteria()
        if positions.is_void(position, folder.selected.validity, folder.selected.next):
            log.warning("mailbox.made_anew", folder=folder.name)
            position = positions.anew(position, folder.selected.validity)
            criteria = positions.since(position)
        for uid in await self._new(imap, position, criteria):
            position = await self._take(imap, taker, folder, position.at(uid))

    async def _new(self, imap: Imap, position: Position, criteria: str) -> list[int]:
        found = [uid for uid in await imap.uids(criteria) if uid > position.uid]
        if position.unread:
            unseen = set(await imap.uids(f"UID 1:{position.unread} UNSEEN"))
            found = [uid for uid in found if uid > position.unread or uid in unseen]
        return found

    async def _begin(self, imap: Imap, taker: Taker, folder: Folder) -> Position:
        """The very first look: what lies there already is not answered, unless the settings want what is unread."""
        selected = folder.selected
        newest = selected.next - 1 if selected.next else max(await imap.uids("ALL"), default=0)
        position = Position(validity=selected.validity, uid=newest, began=self.desk.context.clock.now())
        if self.desk.context.start == "unread":
            position = Position(validity=selected.validity, uid=0, began=0, unread=newest)
        move = CursorMove(scope=folder.scope, value=positions.dumped(position))
        key = f"began.{folder.name}.{selected.validity}"
        await taker.offer(taker.dropped("began", key, position.began, move))
        return position

    async def _take(self, imap: Imap, taker: Taker, folder: Folder, position: Position) -> Position:
        move = CursorMove(scope=folder.scope, value=positions.dumped(position))
        fetched = await imap.fetch(position.uid, LARGEST)
        if fetched is None:
            return position
        spot = Spot(folder=folder.name, validity=position.validity, uid=position.uid, at=fetched.at)
        stale = bool(position.began and fetched.at and fetched.at < position.began - positions.DAY_MS)
        await taker.take(fetched, spot, move, stale=stale)
        if self.desk.settings.mark_seen:
            await imap.mark_seen(position.uid)
        return position
