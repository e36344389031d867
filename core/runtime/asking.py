"""One model call as a frame needs it: the prompt fitted, the models of the turn tried in order, errors mapped."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import structlog

from core.bus import Bus, Draft, Telemetry
from core.decide.context import Block, block, fit
from core.decide.prompt import exchange_messages
from core.decide.scratchpad import notes_of, shown
from core.domain.chat import ChatKey
from core.domain.errors import ContextTooLong, ModelBroken, ModelError, ModelRefused, ModelUnreachable
from core.domain.prompt import Prompt
from core.domain.step import ModelAnswered
from core.ports import Chance, Clock, Model, Models
from core.runtime.frame import Frame

log = structlog.get_logger(__name__)

TRIES = 3
LONGEST_WAIT_S = 30.0
# Each overflow halves the room; a prompt that is too long after two cuts is said to be so.
CUTS = 2
TOKENS_PER_TOOL = 150


class NoAnswer(Exception):
    """The turn cannot be answered; `cause` names the text that says why."""

    def __init__(self, cause: str) -> None:
        super().__init__(cause)
        self.cause = cause


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """Asks models. `watches` says whether somebody sees the drafts of a chat: only then an answer is streamed."""

    models: Models
    clock: Clock
    chance: Chance
    bus: Bus
    watches: Callable[[ChatKey, bool], bool]

    async def ask(self, frame: Frame) -> ModelAnswered:
        """The next answer. Raises NoAnswer, with what the first model of the turn had to say, when none gives one.

        All are asked again while any of them fails for a reason that passes.
        """
        failures: list[ModelError] = []
        for attempt in range(TRIES):
            failures = []
            for name in frame.claim.choice.names:
                try:
                    return await self._one(frame, self.models.get(name))
                except ModelError as exc:
                    failures.append(exc)
                    self._failed(frame, name, exc)
            if attempt + 1 == TRIES or not any(isinstance(exc, ModelUnreachable | ModelBroken) for exc in failures):
                break
            wished = max((exc.retry_in or 0.0 for exc in failures if isinstance(exc, ModelUnreachable)), default=0.0)
            wait = max(wished, 2.0**attempt * (0.5 + self.chance.jitter() / 2))
            await self.clock.sleep(min(LONGEST_WAIT_S, wait))
        raise NoAnswer(_cause(failures[0]))

    async def _one(self, frame: Frame, model: Model) -> ModelAnswered:
        room = model.size.window - model.size.output - TOKENS_PER_TOOL * len(frame.tools)
        for cut in range(CUTS + 1):
            try:
                answered = await model.answer(self._prompt(frame, room >> cut), self._on_text(frame))
            except ContextTooLong:
                if cut == CUTS:
                    raise
            else:
                usage = answered.usage
                data = {
                    "model": answered.model or model.name,
                    "prompt_tokens": usage.prompt_tokens,
                    "completion_tokens": usage.completion_tokens,
                    "cost": usage.cost,
                }
                self.bus.emit(Telemetry(kind="AgentUsage", chat=frame.claim.chat, turn=frame.claim.turn, data=data))
                return answered
        raise AssertionError("the loop returns or raises")

    def _prompt(self, frame: Frame, room: int) -> Prompt:
        current = replace(frame.current, steps=tuple(frame.log.steps), closed=False)
        messages = exchange_messages(current, shared=frame.shared)
        fitted = fit(self._system(frame), frame.past, block(messages), room=room)
        return Prompt(messages=fitted, tools=tuple(tool.spec for tool in frame.tools.values()))

    def _system(self, frame: Frame) -> Block:
        """The agent's own words, and what all agents of the turn have noted so far."""
        notes = shown(notes_of(other.log.steps for other in frame.tree.frames.values()))
        if not notes:
            return frame.system
        return block([replace(one, content=f"{one.content}\n\n{notes}") for one in frame.system.messages])

    def _on_text(self, frame: Frame) -> Callable[[str], None] | None:
        chat, turn = frame.claim.chat, frame.claim.turn
        if frame.id or not self.watches(chat, frame.claim.shared):
            # A child's words are for its parent.
            return None
        return lambda text: self.bus.emit(Draft(chat=chat, turn=turn, text=text))

    def _failed(self, frame: Frame, name: str, error: ModelError) -> None:
        log.warning("model.failed", model=name, error=f"{type(error).__name__}: {error}")
        data = {"model": name, "error": type(error).__name__}
        self.bus.emit(Telemetry(kind="ModelFailed", chat=frame.claim.chat, turn=frame.claim.turn, data=data))


def _cause(error: ModelError) -> str:
    """The name of the text that tells a person of this."""
    match error:
        case ModelRefused():
            return "cause_refused"
        case ContextTooLong():
            return "cause_too_long"
        case ModelBroken():
            return "cause_no_answer"
        case _:
            return "cause_unreachable"
