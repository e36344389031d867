"""Calls that are handed to a person."""

from dataclasses import dataclass

from core.bus import Bus, Telemetry
from core.decide.waits import question_of
from core.domain.step import Asked, AskedAbout, CallId, Stamped
from core.domain.texts import Texts
from core.domain.wait import Ask, Question
from core.ports import Asks, Chance, Clock
from core.runtime.frame import Frame
from core.runtime.patience import LeaseLost, persist
from core.runtime.sender import Sender


@dataclass(frozen=True, slots=True, kw_only=True)
class Handing:
    """Commits that a call waits for somebody. A store that cannot be written is waited for."""

    asks: Asks
    sender: Sender
    clock: Clock
    chance: Chance
    texts: Texts
    bus: Bus

    async def ask(self, frame: Frame, call: CallId, ask: Ask, about: AskedAbout) -> None:
        """Put a question to the person whose message is the turn's newest. Raises LeaseLost."""
        question = question_of(
            ask,
            call=call,
            asked=frame.current.said[-1].sender,
            tokens=[self.chance.key() for _ in ask.choices],
            shared=frame.claim.shared,
        )
        await self.put(frame, question, about)

    async def put(self, frame: Frame, question: Question, about: AskedAbout) -> None:
        """Log that a call waits, keep its question and show it. Raises LeaseLost."""
        claim, call = frame.claim, question.call
        asked = Stamped(seq=frame.log.next_place(), step=Asked(call=call, about=about))
        key = self.chance.key()
        if not await persist(lambda: self.asks.ask(claim, frame.id, asked, question, key=key), self.clock):
            raise LeaseLost
        frame.log.add_saved(asked)
        self.sender.wake(claim.chat_row, claim.chat)
        self.bus.emit(Telemetry(kind="QuestionAsked", chat=claim.chat, turn=claim.turn))

    async def confirm(self, frame: Frame, call: CallId, tool: str) -> None:
        """Ask whether an interrupted call shall run again; without an answer it does not. Raises LeaseLost."""
        leave = self.texts.say("interrupted_leave")
        ask = Ask(
            question=self.texts.say("interrupted", tool=tool),
            choices=(self.texts.say("interrupted_again"), leave),
            default=leave,
        )
        await self.ask(frame, call, ask, AskedAbout.INTERRUPTED)
