"""Two agents folders in a test: a person's own, and those that ship."""

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from core.catalog.agents import FolderAgents
from core.domain.errors import SettingsError

META: dict[str, object] = {"name": "Main", "type": "chat", "description": "Helps.", "tools": ["read_file"]}


@dataclass(frozen=True, slots=True, kw_only=True)
class Shelf:
    """`own` wins over `shipped`."""

    own: Path
    shipped: Path

    def agents(self) -> FolderAgents:
        """A reader of both."""
        return FolderAgents([self.own, self.shipped])

    def puts(self, path: str, text: str, *, own: bool = True) -> Path:
        """Write a file."""
        file = (self.own if own else self.shipped) / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    def has(self, agent_id: str, words: str = "Be kind.", *, own: bool = True, **meta: object) -> None:
        """Put an agent there."""
        self.puts(f"{agent_id}/AGENT.md", words, own=own)
        self.puts(f"{agent_id}/meta.json", json.dumps({**META, **meta}, indent=1), own=own)

    def says(self, agent_id: str = "main") -> str:
        """The agent's instructions."""
        return self.agents().get(agent_id).instructions

    def refuses(self, agent_id: str = "main") -> str:
        """The one line that is said instead, the folder left out."""
        with pytest.raises(SettingsError) as refusal:
            self.agents().get(agent_id)
        line = str(refusal.value)
        assert "\n" not in line
        return line.replace(f"{self.own}/", "")
