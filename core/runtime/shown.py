"""What is shown of one turn: its message, its sign of typing, its line. Each has at most one call out."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace

import structlog

from core.decide.presence import Change, Look, Move, Phase, Post, Remove, Search, line_of, next_move, types
from core.domain.chat import ChatKey
from core.domain.delivery import Receipt
from core.domain.errors import ParleyError, RateLimited
from core.domain.message import Reply
from core.domain.presence import Abilities, Etiquette
from core.domain.texts import Texts
from core.ports import Chance, Clock, Drafts, Sending, Showing
from core.runtime.supervised import supervised

log = structlog.get_logger(__name__)

CALL_S = 15.0
LOOK_AGAIN_MS = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """How things are shown: what the operator wants, the words, and the time."""

    etiquette: Callable[[ChatKey], Etiquette]
    texts: Texts
    clock: Clock
    chance: Chance


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """Through what things are shown."""

    showing: Showing
    sending: Sending
    drafts: Drafts


@dataclass(eq=False, slots=True, kw_only=True)
class View:
    """A turn, and how it looks and should look at this moment."""

    chat: ChatKey
    turn: int
    able: Abilities
    look: Look


class Message:
    """The one message of a turn, which its reply takes the place of."""

    def __init__(self, view: View, means: Means, manner: Manner) -> None:
        self._view = view
        self._means = means
        self._manner = manner
        self._receipt: Receipt | None = None
        self.task: asyncio.Task[object] | None = None

    @property
    def busy(self) -> bool:
        """Whether a call is out."""
        return self.task is not None and not self.task.done()

    def start(self, group: asyncio.TaskGroup) -> None:
        """Do what is due, unless it is being done."""
        if not self.busy and self._next() is not None:
            self.task = group.create_task(supervised(self._work(), "presence.broke"), name=f"show {self._view.turn}")

    def _next(self) -> Move | None:
        return next_move(self._view.look, self._view.able, self._manner.clock.now(), self._manner.texts)

    async def _work(self) -> None:
        view = self._view
        while (move := self._next()) is not None:
            try:
                async with asyncio.timeout(CALL_S):
                    await self._make(move)
            except RateLimited as exc:
                view.look = replace(view.look, until=self._manner.clock.now() + round(exc.retry_in * 1000))
            except (ParleyError, TimeoutError) as exc:
                log.info("presence.lost", what=type(move).__name__, error=str(exc))
                view.look = replace(view.look, failed=True)

    async def _make(self, move: Move) -> None:
        match move:
            case Search():
                await self._search()
            case Post(reply=reply):
                await self._post(reply)
            case Change(reply=reply):
                await self._change(reply)
            case Remove():
                await self._remove()

    async def _search(self) -> None:
        view = self._view
        found = await self._means.drafts.find(view.turn)
        view.look = replace(view.look, searched=True)
        if found is not None:
            self._receipt, posted = found
            view.look = replace(view.look, posted=posted)

    async def _post(self, reply: Reply) -> None:
        view, sending, key = self._view, self._means.sending, self._manner.chance.key()
        if await self._means.drafts.must_wait(view.turn):
            # Its place is to become this turn's reply, and that goes below the replies before it.
            view.look = replace(view.look, until=self._manner.clock.now() + LOOK_AGAIN_MS)
            return
        self._receipt = receipt = await sending.send(view.chat, sending.render(view.chat, reply)[0], key)
        now = self._manner.clock.now()
        view.look = replace(view.look, posted=now, changed=now, shown=reply)
        if view.look.phase is not Phase.GONE:
            await self._means.drafts.keep(view.turn, reply, receipt, key=key)

    async def _change(self, reply: Reply) -> None:
        view, sending, key = self._view, self._means.sending, self._manner.chance.key()
        # Noted first: what the platform refuses once is not asked of it again and again.
        view.look = replace(view.look, changed=self._manner.clock.now(), shown=reply)
        if self._receipt is not None:
            await sending.edit(view.chat, self._receipt, sending.render(view.chat, reply)[0], key)

    async def _remove(self) -> None:
        view = self._view
        receipt, self._receipt = self._receipt, None
        view.look = replace(view.look, posted=None, changed=None, shown=None)
        # Forgotten first: no reply may be edited into a message that is going away.
        if await self._means.drafts.forget(view.turn) and receipt is not None:
            await self._means.sending.remove(view.chat, receipt)


class Sign:
    """The sign of typing."""

    def __init__(self, view: View, showing: Showing, clock: Clock) -> None:
        self._view = view
        self._showing = showing
        self._clock = clock
        self._shown: int | None = None
        self._task: asyncio.Task[object] | None = None

    @property
    def busy(self) -> bool:
        """Whether a call is out."""
        return self._task is not None and not self._task.done()

    def start(self, group: asyncio.TaskGroup) -> None:
        """Do what is due, unless it is being done."""
        if not self.busy and self._next() is not None:
            self._task = group.create_task(supervised(self._work(), "presence.broke"), name=f"type {self._view.turn}")

    def _next(self) -> bool | None:
        return types(self._view.look, self._view.able, self._shown, self._clock.now())

    async def _work(self) -> None:
        view = self._view
        while (on := self._next()) is not None:
            self._shown = self._clock.now() if on else None
            try:
                async with asyncio.timeout(CALL_S):
                    await self._showing.typing(view.chat, on=on)
            except (ParleyError, TimeoutError) as exc:
                log.info("presence.lost", what="typing", error=str(exc))
                view.able = replace(view.able, types=False)


class OwnLine:
    """The place beside the conversation, where there is one."""

    def __init__(self, view: View, showing: Showing) -> None:
        self._view = view
        self._showing = showing
        self.busy = False

    def start(self) -> None:
        """Draw what is newest, soon, and once for all that comes until then."""
        view = self._view
        if view.able.line and not self.busy and line_of(view.look, view.able) != view.look.line:
            self.busy = True
            asyncio.get_running_loop().call_soon(self._draw)

    def _draw(self) -> None:
        self.busy = False
        view = self._view
        line, before = line_of(view.look, view.able), view.look.line
        view.look = replace(view.look, line=line)
        if line.step != before.step:
            self._showing.step(view.chat, line.step)
        if line.draft != before.draft:
            self._showing.draft(view.chat, line.draft)
