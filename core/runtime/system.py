"""The system message of a turn: the agent's words, the workspace's files, the date and the place."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from core.decide.context import (
    WORKSPACE_FILE_BYTES,
    WORKSPACE_FILES,
    Block,
    block,
    system_text,
    values_of,
    with_values,
)
from core.decide.skills import skills_block
from core.domain.agent import AgentDefinition
from core.domain.chat import ChatKey
from core.domain.history import Exchange
from core.domain.prompt import PromptMessage
from core.ports import Agents, Clock, Skills

# Until turns have a working folder of their own, it is the workspace.
WORKING_FOLDER = "$WD"
NOT_THERE = "(file not created yet)"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Read:
    stamp: tuple[int, int, int]
    text: str


class SystemPrompt:
    """Builds it anew for each turn; files are read again only when they changed."""

    def __init__(self, agents: Agents, skills: Skills, workspace: Path, clock: Clock) -> None:
        self._agents = agents
        self._skills = skills
        self._workspace = workspace
        self._clock = clock
        self._read: dict[str, _Read] = {}

    def build(
        self, agent_id: str, chat: ChatKey, current: Exchange, *, below: bool = False
    ) -> tuple[AgentDefinition, Block]:
        """The agent and its system message; `below` another one it is an agent that works for others.

        Raises SettingsError when the folder of one that answers people is broken, ToolError for one below.
        """
        agent = self._agents.task(agent_id) if below else self._agents.get(agent_id)
        today = datetime.fromtimestamp(self._clock.now() / 1000).astimezone().strftime("%A, %d %B %Y, %Z")
        names = tuple(dict.fromkeys(said.sender.name or said.sender.user_id for said in current.said))
        skills = skills_block(self._skills.all()) if agent.skills else ""
        filled = with_values(agent.instructions, values_of(chat, speakers=names, today=today) | {"SKILLS_LIST": skills})
        extras = [self._memory(name) for name in agent.memory]
        if skills and "__SKILLS_LIST__" not in agent.instructions:
            extras.append(skills)
        agent = replace(agent, instructions="\n\n".join([filled, *extras]))
        text = system_text(agent, self._files(), chat=chat, speakers=names, today=today)
        return agent, block((PromptMessage(role="system", content=text),))

    def require(self, agent_id: str) -> None:
        """Raises ToolError when no agent of this name works for others."""
        self._agents.task(agent_id)

    def _memory(self, name: str) -> str:
        """A file of the workspace that the agent wants to see, by the path by which its file tools know it."""
        path = name.removeprefix(f"{WORKING_FOLDER}/")
        confined = (self._workspace / path).resolve().is_relative_to(self._workspace.resolve())
        text = self._file(path).strip() if confined else ""
        return f'<memory_file path="{path}">\n{text or NOT_THERE}\n</memory_file>'

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
