"""The system message of a turn: the agent's words, the workspace's files, the date and the place."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from core.decide.context import WORKSPACE_FILE_BYTES, WORKSPACE_FILES, Block, block, system_text
from core.domain.agent import AgentDefinition
from core.domain.chat import ChatKey
from core.domain.history import Exchange
from core.domain.prompt import PromptMessage
from core.ports import Agents, Clock


@dataclass(frozen=True, slots=True, kw_only=True)
class _Read:
    stamp: tuple[int, int, int]
    text: str


class SystemPrompt:
    """Builds it anew for each turn; files are read again only when they changed."""

    def __init__(self, agents: Agents, workspace: Path, clock: Clock) -> None:
        self._agents = agents
        self._workspace = workspace
        self._clock = clock
        self._read: dict[str, _Read] = {}

    def build(self, agent_id: str, chat: ChatKey, current: Exchange) -> tuple[AgentDefinition, Block]:
        """The agent and its system message. Raises SettingsError when the agent's folder is broken."""
        agent = self._agents.get(agent_id)
        today = datetime.fromtimestamp(self._clock.now() / 1000).astimezone().strftime("%A, %d %B %Y, %Z")
        names = dict.fromkeys(said.sender.name or said.sender.user_id for said in current.said)
        text = system_text(agent, self._files(), chat=chat, speakers=tuple(names), today=today)
        return agent, block((PromptMessage(role="system", content=text),))

    def _files(self) -> Mapping[str, str]:
        return {name: text for name in WORKSPACE_FILES if (text := self._file(name))}

    def _file(self, name: str) -> str:
        path = self._workspace / name
        try:
            status = path.stat()
            stamp = (status.st_mtime_ns, status.st_size, status.st_ino)
            known = self._read.get(name)
            if known is None or known.stamp != stamp:
                with path.open("rb") as file:
                    text = file.read(WORKSPACE_FILE_BYTES).decode("utf-8", "replace")
                known = self._read[name] = _Read(stamp=stamp, text=text)
        except OSError:
            return ""
        return known.text
