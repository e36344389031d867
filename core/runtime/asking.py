"""One model call as a frame needs it: the prompt fitted, the models of the turn tried in order, errors mapped."""

from collections.abc import Callable
from dataclasses import dataclass

import structlog

from core.bus import Bus, Draft, Telemetry
from core.decide.context import block, fit
from core.decide.prompt import said_message, step_messages
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
    watches: Callable[[ChatKey], bool]

    async def ask(self, frame: Frame) -> ModelAnswered:
        """The next answer. Raises NoAnswer when no model of the turn gives one."""
        cause = "cause_unreachable"
        for attempt in range(TRIES):
            wait = 0.0
            for name in frame.claim.choice.names:
                try:
                    return await self._one(frame, self.models.get(name))
                except ModelUnreachable as exc:
                    cause, wait = "cause_unreachable", max(wait, exc.retry_in or 0.0)
                    self._failed(frame, name, exc)
                except ModelBroken as exc:
                    cause = "cause_no_answer"
                    self._failed(frame, name, exc)
                except (ModelRefused, ContextTooLong) as exc:
                    cause = "cause_refused" if isinstance(exc, ModelRefused) else "cause_too_long"
                    self._failed(frame, name, exc)
            if cause in ("cause_refused", "cause_too_long"):
                break
            if attempt + 1 < TRIES:
                await self.clock.sleep(min(LONGEST_WAIT_S, max(wait, 2.0**attempt * (0.5 + self.chance.jitter() / 2))))
        raise NoAnswer(cause)

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
        claim = frame.claim
        messages = [said_message(said, shared=claim.shared) for said in frame.current.said]
        messages.extend(step_messages(claim.turn, frame.log.steps))
        fitted = fit(frame.system, frame.past, block(messages), room=room)
        return Prompt(messages=fitted, tools=tuple(tool.spec for tool in frame.tools.values()))

    def _on_text(self, frame: Frame) -> Callable[[str], None] | None:
        chat, turn = frame.claim.chat, frame.claim.turn
        if not self.watches(chat):
            return None
        return lambda text: self.bus.emit(Draft(chat=chat, turn=turn, text=text))

    def _failed(self, frame: Frame, name: str, error: ModelError) -> None:
        log.warning("model.failed", model=name, error=f"{type(error).__name__}: {error}")
        data = {"model": name, "error": type(error).__name__}
        self.bus.emit(Telemetry(kind="ModelFailed", chat=frame.claim.chat, turn=frame.claim.turn, data=data))
