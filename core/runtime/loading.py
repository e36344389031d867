"""From a claim to a frame that can go on where its log ends."""

from collections.abc import Mapping, Sequence

from core.domain.step import Stamped
from core.ports import Claim, Tool
from core.runtime.frame import Frame, FrameLog
from core.runtime.history import History
from core.runtime.system import SystemPrompt


class Loading:
    """Reads what a turn needs: the past of its chat, its agent, its tools."""

    def __init__(self, history: History, system: SystemPrompt, tools: Mapping[str, Tool]) -> None:
        self._history = history
        self._system = system
        self._tools = tools

    async def load(self, claim: Claim) -> Frame:
        """Raises SettingsError when the agent's folder is broken, StoreError when the log cannot be read."""
        loaded = await self._history.load(claim)
        agent, system = self._system.build(claim, loaded.current)
        return Frame(
            claim=claim,
            agent=agent,
            tools={name: self._tools[name] for name in agent.tools if name in self._tools},
            system=system,
            past=loaded.past,
            current=loaded.current,
            log=FrameLog(loaded.current.steps),
        )

    def remember(self, frame: Frame, steps: Sequence[Stamped]) -> None:
        """The turn is committed as it stands here."""
        self._history.remember(frame.claim, frame.current, steps)
