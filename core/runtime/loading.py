"""From a claim to a frame that can go on where its log ends."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from core.domain.step import Asked, Stamped
from core.ports import Claim, Tool, Turns
from core.runtime.frame import Frame, FrameLog
from core.runtime.history import History
from core.runtime.system import SystemPrompt


class Loading:
    """Reads what a turn needs: the past of its chat, its agent, its tools."""

    def __init__(self, turns: Turns, history: History, system: SystemPrompt, tools: Mapping[str, Tool]) -> None:
        self._turns = turns
        self._history = history
        self._system = system
        self._tools = tools

    async def load(self, claim: Claim) -> Frame:
        """Raises SettingsError when the agent's folder is broken, StoreError when the log cannot be read."""
        loaded = await self._history.load(claim)
        agent, system = self._system.build(claim, loaded.current)
        steps = loaded.current.steps
        asked = any(isinstance(stamped.step, Asked) for stamped in steps)
        return Frame(
            claim=claim,
            agent=agent,
            tools={name: self._tools[name] for name in agent.tools if name in self._tools},
            system=system,
            past=loaded.past,
            current=loaded.current,
            log=FrameLog(steps),
            answers=await self._turns.answers(claim) if asked else {},
        )

    async def reload(self, frame: Frame) -> Frame | None:
        """A signal came in: the same turn as the store has it now; None when the lease is lost."""
        signals = await self._turns.signals(frame.claim)
        return None if signals is None else await self.load(replace(frame.claim, signals=signals))

    def remember(self, frame: Frame, steps: Sequence[Stamped]) -> None:
        """The turn is committed as it stands here."""
        self._history.remember(frame.claim, frame.current, steps)
