"""The agents of some folders: `ID/meta.json` and `ID/AGENT.md`, read anew whenever one of the files changed."""

import re
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from core.catalog.files import Reading, Stamp, stamp
from core.catalog.includes import Expansion, Found, Lists
from core.catalog.meta import NAME, Meta, parse_meta
from core.domain.agent import AgentDefinition
from core.domain.errors import SettingsError, ToolError
from core.ports import TaskAgent

INSTRUCTIONS: Final = "AGENT.md"
COMMON: Final = "common"
ID: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """An agent as listings show it: with its `meta`, or with the `problem` because of which it cannot be used."""

    id: str
    folder: Path
    meta: Meta | None = None
    problem: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Loaded:
    folder: Path
    meta: Meta
    definition: AgentDefinition
    seen: Mapping[Path, Stamp | None]

    def holds(self) -> bool:
        """Whether a new load would find the same."""
        return all(stamp(path) == was for path, was in self.seen.items())


class FolderAgents:
    """The agents that can answer. Folders given earlier win, agent by agent and include by include.

    `get` costs a few `stat` calls while nothing changes.
    """

    def __init__(self, folders: Sequence[Path]) -> None:
        self._folders = tuple(folders)
        self._loaded: dict[str, _Loaded] = {}

    def get(self, agent_id: str) -> AgentDefinition:
        """Of type chat. Raises SettingsError that names the folder and what is wrong in it."""
        loaded = self._load(agent_id)
        if loaded.meta.type != "chat":
            text = f"{loaded.folder / NAME}: type is {loaded.meta.type!r}, and only a chat agent can answer people"
            raise SettingsError(text)
        return loaded.definition

    def task(self, agent_id: str) -> AgentDefinition:
        """Of type task. Raises ToolError with what the calling model reads."""
        try:
            loaded = self._load(agent_id)
        except SettingsError as error:
            if agent_id not in self._ids():
                known = ", ".join(one.id for one in self.tasks()) or "none"
                raise ToolError(f"agent `{agent_id[:80]}` not found; there are: {known}") from error
            raise ToolError(f"agent `{agent_id}` is broken: {error}") from error
        if loaded.meta.type != "task":
            raise ToolError(
                f"agent `{agent_id}` is a {loaded.meta.type} agent and cannot be dispatched or run as a task — "
                f"only `task` agents can"
            )
        return loaded.definition

    def tasks(self) -> Sequence[TaskAgent]:
        """The broken ones are passed over."""
        return tuple(
            TaskAgent(id=one.id, description=one.meta.description, instructions=one.meta.instructions or "")
            for one in self.list()
            if one.meta is not None and one.meta.type == "task"
        )

    def list(self) -> Sequence[Listed]:
        """All agents by id, the broken ones with their problem."""
        ids = {path.name: path for folder in reversed(self._folders) for path in _subfolders(folder)}
        return tuple(self._listed(agent_id, ids[agent_id]) for agent_id in sorted(ids))

    def _ids(self) -> Collection[str]:
        return {path.name for folder in self._folders for path in _subfolders(folder)}

    def _listed(self, agent_id: str, folder: Path) -> Listed:
        try:
            loaded = self._load(agent_id)
        except SettingsError as error:
            return Listed(id=agent_id, folder=folder, problem=str(error))
        return Listed(id=agent_id, folder=loaded.folder, meta=loaded.meta)

    def _load(self, agent_id: str) -> _Loaded:
        known = self._loaded.get(agent_id)
        if known is not None and known.holds():
            return known
        self._loaded.pop(agent_id, None)
        loaded = self._loaded[agent_id] = self._read(agent_id)
        return loaded

    def _read(self, agent_id: str) -> _Loaded:
        reading = Reading(self._folders)
        folder = self._folder(agent_id, reading)
        meta_path, words_path = (_file(reading, agent_id, folder, name) for name in (NAME, INSTRUCTIONS))
        meta = parse_meta(meta_path, reading.read(meta_path))
        words = Found(place=str(words_path), text=reading.read(words_path))
        lists: Lists = {"AGENTS_LIST": lambda: self._agents_list(reading), "MCP_LIST": str}
        text = Expansion(lambda name: _include(reading, self._folders, name), lists).expand(words).strip()
        if not text:
            raise SettingsError(f"{words_path} is empty: write the agent's instructions there")
        definition = AgentDefinition(
            id=agent_id,
            name=meta.name,
            instructions=text,
            tools=tuple(meta.tools),
            model=meta.client,
            scope=meta.scope,
            strength=meta.strength,
            memory=tuple(meta.inject_memory),
            skills=meta.inject_skills,
        )
        return _Loaded(folder=folder, meta=meta, definition=definition, seen=dict(reading.seen))

    def _agents_list(self, reading: Reading) -> str:
        """A line for each agent that works for others. Whatever changes in any folder changes the list."""
        lines = []
        for root in self._folders:
            reading.look(root)
        for agent_id in sorted({path.name for root in self._folders for path in _subfolders(root)}):
            path = reading.find(f"{agent_id}/{NAME}")
            if path is None:
                continue
            with suppress(SettingsError):
                meta = parse_meta(path, reading.read(path))
                if meta.type == "task":
                    lines.append(f"- **{agent_id}** — {meta.description}")
        return "\n".join(lines)

    def _folder(self, agent_id: str, reading: Reading) -> Path:
        if agent_id == COMMON or not ID.fullmatch(agent_id):
            place = self._folders[0] / agent_id if "/" not in agent_id else self._folders[0]
            text = f"{place}: an agent's folder is named with lower-case letters, digits, - and _, and not {COMMON}"
            raise SettingsError(text)
        folder = reading.find(agent_id)
        if folder is None or not folder.is_dir():
            known = ", ".join(sorted({path.name for root in self._folders for path in _subfolders(root)})) or "none"
            place = self._folders[0] / agent_id
            raise SettingsError(f"there is no agent {agent_id}: make the folder {place}, or use one of: {known}")
        return folder


def _file(reading: Reading, agent_id: str, folder: Path, name: str) -> Path:
    """The file in the folder that won: another folder's half of the same agent does not fill it up."""
    path = reading.find(f"{agent_id}/{name}")
    if path is None or path.parent != folder:
        raise SettingsError(f"{folder / name} is missing: every agent has {NAME} and {INSTRUCTIONS}")
    return path


def _include(reading: Reading, folders: Sequence[Path], name: str) -> Found:
    path = reading.find(name)
    if path is None:
        raise SettingsError(f"there is no such file in {' or '.join(map(str, folders))}: make it, or remove this line")
    return Found(place=str(path), text=reading.read(path))


def _subfolders(folder: Path) -> list[Path]:
    try:
        return [path for path in folder.iterdir() if path.is_dir() and path.name != COMMON and path.name[0] != "."]
    except OSError:
        return []
