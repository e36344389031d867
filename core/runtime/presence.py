"""Shows what turns do while they run: typing, one message with the step or the text so far, or a line of its own.

Each turn has a state that is overwritten by what is newest, and a slow channel holds up nobody else. All of it may get
lost.
"""

import asyncio
from dataclasses import dataclass, replace

from core.decide.presence import Look, Phase, streams
from core.domain.chat import ChatKey
from core.domain.happening import Draft, Ended, Progress, Typing, Volatile
from core.domain.presence import Abilities
from core.runtime.patience import persist
from core.runtime.shown import Manner, Means, Message, OwnLine, Sign, View

TICK_S = 0.5
# A reply waits so long for a change of its message that is on its way; then it comes as a new message.
SETTLE_S = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Turn:
    """A turn at work, and all that is shown of it."""

    view: View
    message: Message
    sign: Sign
    line: OwnLine

    def start(self, group: asyncio.TaskGroup) -> None:
        """Do what is due."""
        self.line.start()
        self.message.start(group)
        self.sign.start(group)

    @property
    def done(self) -> bool:
        """Whether it is over and nothing is under way for it."""
        over = self.view.look.phase in (Phase.OVER, Phase.GONE)
        return over and not (self.line.busy or self.message.busy or self.sign.busy)


class Presence:
    """Shows the turns of this process on its channels."""

    kinds: frozenset[type[Volatile]] = frozenset({Draft, Progress, Typing, Ended})

    def __init__(self, means: Means, manner: Manner) -> None:
        self._means = means
        self._manner = manner
        self._turns: dict[int, _Turn] = {}
        self._begun = asyncio.Event()
        self._group: asyncio.TaskGroup | None = None

    def watches(self, chat: ChatKey, shared: bool) -> bool:
        """Whether answers in this chat are seen while they are written."""
        etiquette = self._manner.etiquette(chat)
        return self._means.showing.able(chat).drafts and streams(etiquette.streaming, shared=shared)

    async def run(self) -> None:
        """Until cancelled. Before it runs nothing is shown."""
        async with asyncio.TaskGroup() as group:
            self._group = group
            while True:
                await self._begun.wait()
                await self._manner.clock.sleep(TICK_S)
                for one in list(self._turns.values()):
                    self._look_at(one)
                if not self._turns:
                    self._begun.clear()

    def offer(self, message: Volatile) -> None:
        """Take note of the newest."""
        if isinstance(message, Typing) and message.on:
            self._begin(message)
            return
        one = self._turns.get(message.turn or 0)
        if one is not None:
            one.view.look = _after(one.view.look, message)
            self._look_at(one)

    async def settle(self, turn: int) -> None:
        """No message of the turn is changed any more when this returns, until it goes on: its reply may take the place.

        A call that is out too long is not waited for. What it shows is then taken away, and the reply comes as new.
        """
        one = self._turns.get(turn)
        if one is None:
            return
        view, task = one.view, one.message.task
        view.look = replace(view.look, phase=Phase.HELD)
        if task is None or task.done():
            return
        await asyncio.wait([task], timeout=SETTLE_S)
        if not task.done():
            view.look = replace(view.look, phase=Phase.GONE)
            await persist(lambda: self._means.drafts.forget(turn), self._manner.clock)

    def _begin(self, message: Typing) -> None:
        able = self._means.showing.able(message.chat)
        if able == Abilities() or self._group is None:
            return
        began, step = self._manner.clock.now(), self._manner.texts.say("thinking")
        one = self._turns.get(message.turn)
        if one is None:
            look = Look(began=began, step=step)
            view = View(chat=message.chat, turn=message.turn, able=able, look=look)
            one = self._turns[message.turn] = self._shown(view)
        else:
            one.view.look = replace(one.view.look, began=began, step=step, phase=Phase.RUNNING)
        self._begun.set()
        self._look_at(one)

    def _shown(self, view: View) -> _Turn:
        means, manner = self._means, self._manner
        return _Turn(
            view=view,
            message=Message(view, means, manner),
            sign=Sign(view, means.showing, manner.clock),
            line=OwnLine(view, means.showing),
        )

    def _look_at(self, one: _Turn) -> None:
        """Start what is due; forget the turn when it is over."""
        if self._group is None:
            return
        one.start(self._group)
        if one.done and self._turns.get(one.view.turn) is one:
            del self._turns[one.view.turn]


def _after(look: Look, message: Volatile) -> Look:
    over = look.phase in (Phase.OVER, Phase.GONE)
    match message:
        case Draft(text=text) if not over:
            return replace(look, draft=text, drafting=True)
        case Progress(text=text) if not over:
            return replace(look, step=text, drafting=False)
        case Typing(on=False):
            phase = look.phase if look.phase is Phase.GONE else Phase.OVER
            return replace(look, phase=phase, step="", draft="")
        case Ended(replies=False):
            return replace(look, phase=Phase.GONE, step="", draft="")
    return look
