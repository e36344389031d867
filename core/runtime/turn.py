"""Stop 6: one turn, from its claim to its last commit.

The loop performs what `next_actions` says and appends each outcome. It may be cut off anywhere: the next worker goes on
from the log.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import assert_never

import structlog

from core.bus import Bus, Telemetry, Typing
from core.decide.next_step import Action, Budget, CallModel, Close, Fail, Finish, Run, next_actions
from core.decide.texts import Texts
from core.domain.message import Markdown, Reply, says
from core.domain.step import Nudged
from core.ports import Chance, Claim, Ending, Finished, Tool, Turns
from core.runtime.asking import Asking, NoAnswer
from core.runtime.calls import Bench, perform
from core.runtime.delivery import Sender
from core.runtime.frame import Frame
from core.runtime.history import History
from core.runtime.patience import persist
from core.runtime.system import SystemPrompt

log = structlog.get_logger(__name__)

# A turn that was started this often without coming to an end is answered with an error.
ATTEMPTS = 5


class LeaseLost(Exception):
    """The chat is not ours any more; nothing more is written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """What a turn works with."""

    turns: Turns
    asking: Asking
    system: SystemPrompt
    tools: Mapping[str, Tool]
    bench: Bench
    budget: Budget
    hours: float
    texts: Texts
    bus: Bus
    chance: Chance


class TurnRunner:
    """Runs claimed turns; one call of `run` each, any number side by side."""

    def __init__(self, means: Means, history: History, sender: Sender, wake: Callable[[], None]) -> None:
        self._means = means
        self._history = history
        self._sender = sender
        self._wake = wake

    async def run(self, claim: Claim) -> None:
        """Until the turn is finished, or the lease is lost. Raises StoreError; then the log holds what was done."""
        bus = self._means.bus
        bus.emit(Typing(chat=claim.chat, turn=claim.turn, on=True))
        _lifecycle(bus, claim, "started")
        try:
            frame = await self._load(claim)
            ending = await self._in_time(frame)
            if await self._close(claim, ending):
                self._history.remember(claim, frame.current, frame.steps)
        except LeaseLost:
            # Stopped, or taken over: whoever did that has told of it.
            log.info("turn.lost")
        finally:
            bus.emit(Typing(chat=claim.chat, turn=claim.turn, on=False))

    async def fail(self, claim: Claim, cause: str) -> None:
        """End a turn that broke for a reason outside it; needs nothing but the store."""
        await self._close(claim, self._failed(claim, cause))

    async def _load(self, claim: Claim) -> Frame:
        loaded = await self._history.load(claim)
        agent, system = self._means.system.build(claim, loaded.current)
        tools = {name: self._means.tools[name] for name in agent.tools if name in self._means.tools}
        return Frame(
            claim=claim,
            agent=agent,
            tools=tools,
            system=system,
            past=loaded.past,
            current=loaded.current,
            steps=list(loaded.current.steps),
        )

    async def _in_time(self, frame: Frame) -> Ending:
        """Work, not waiting for people, is what is limited: each run of a turn starts its own count."""
        hours = self._means.hours
        try:
            async with asyncio.timeout(hours * 3600):
                return await self._to_the_end(frame)
        except TimeoutError:
            return self._failed(frame.claim, "cause_limit", f"{hours:g} hours of work")

    async def _to_the_end(self, frame: Frame) -> Ending:
        if frame.claim.attempt > ATTEMPTS:
            return self._failed(frame.claim, "cause_internal")
        while True:
            actions = next_actions(
                frame.steps, tools=frame.repeatable, budget=self._means.budget, resumed=frame.resumed
            )
            frame.resumed = False
            ending = await self._do(frame, actions)
            if ending is not None:
                return ending

    async def _do(self, frame: Frame, actions: Sequence[Action]) -> Ending | None:
        match actions[0]:
            case CallModel(nudge=nudge):
                return await self._call_model(frame, nudge)
            case Finish(text=text, files=files):
                reply = Reply(fragments=(Markdown(source=text),), files=files)
                # The answer goes into the log with the turn's last commit.
                unsaved = frame.take_unsaved()
                return Ending(reply=reply, step=unsaved[-1] if unsaved else None)
            case Fail(cause=cause, what=what):
                unsaved = frame.take_unsaved()
                return replace(self._failed(frame.claim, cause, what), step=unsaved[-1] if unsaved else None)
            case Run() | Close():
                calls = [action for action in actions if isinstance(action, Run | Close)]
                await perform(frame, calls, self._means.bench, self._save)
                return None
            case _ as never:
                assert_never(never)

    async def _call_model(self, frame: Frame, nudge: str | None) -> Ending | None:
        if nudge is not None:
            frame.add(Nudged(text=nudge))
        if frame.unsaved:
            await self._save(frame)
        try:
            frame.add(await self._means.asking.ask(frame))
        except NoAnswer as exc:
            return self._failed(frame.claim, exc.cause)
        return None

    async def _save(self, frame: Frame) -> None:
        unsaved = frame.take_unsaved()
        append = self._means.turns.append
        if unsaved and not await persist(lambda: append(frame.claim, unsaved), self._means.bench.clock):
            raise LeaseLost

    async def _close(self, claim: Claim, ending: Ending) -> bool:
        """The last commit and what follows from it; False when the turn is not ours any more."""
        send_now = self._sender.reserve(claim.chat_row, claim.chat)
        finished = Finished(lost=True)
        try:
            key = self._means.chance.key()
            finish = self._means.turns.finish
            finished = await persist(lambda: finish(claim, ending, key=key, send_now=send_now), self._means.bench.clock)
        finally:
            if send_now and finished.delivery is None:
                self._sender.give_back(claim.chat_row)
        if finished.lost or finished.changed:
            log.info("turn.lost")
            return False
        if finished.delivery is not None:
            self._sender.hand_over(finished.delivery)
        else:
            self._sender.wake(claim.chat_row)
        if finished.waiting:
            self._wake()
        _lifecycle(self._means.bus, claim, "terminated", outcome="failed" if ending.cause else "completed")
        return True

    def _failed(self, claim: Claim, cause: str, what: str = "") -> Ending:
        said = self._means.texts.say(cause, what=what)
        log.warning("turn.failed", cause=said)
        return Ending(reply=says(self._means.texts.say("failed", cause=said, id=claim.turn)), cause=said)


def _lifecycle(bus: Bus, claim: Claim, state: str, **data: object) -> None:
    bus.emit(Telemetry(kind="RunLifecycle", chat=claim.chat, turn=claim.turn, data={"state": state, **data}))
