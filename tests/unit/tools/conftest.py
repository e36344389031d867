"""A chat with an empty workspace, and tools called in it as the engine calls them."""

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from core.domain.chat import ChatKey, Principal
from core.domain.errors import ToolError
from core.domain.message import Reply
from core.domain.tool import ToolResult
from core.ports import Tool, ToolContext

NOW = 1_772_806_509_000  # 2026-03-06 14:15:09 UTC


class StandingClock:
    """A clock that shows one moment."""

    def now(self) -> int:
        return NOW

    async def sleep(self, seconds: float) -> None:
        return None


class Mouth:
    """Remembers what tools say, and to whom."""

    def __init__(self) -> None:
        self.said: list[tuple[Reply, ChatKey | None]] = []

    async def __call__(self, reply: Reply, to: ChatKey | None = None) -> None:
        self.said.append((reply, to))


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """One chat's workspace as a test uses it: files directly, tools by their arguments."""

    context: ToolContext
    mouth: Mouth

    @property
    def root(self) -> Path:
        return self.context.workspace

    def file(self, path: str, content: str | bytes = "") -> Path:
        """A file that is there."""
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content.encode() if isinstance(content, str) else content)
        return place

    async def call(self, tool: Tool, **arguments: object) -> ToolResult:
        return await self.raw(tool, json.dumps(arguments))

    async def raw(self, tool: Tool, arguments: str) -> ToolResult:
        """What a call with this very text gives; a question to a person is not expected here."""
        result = await tool.run(arguments, self.context)
        assert isinstance(result, ToolResult)
        return result

    async def text(self, tool: Tool, **arguments: object) -> str:
        return (await self.call(tool, **arguments)).text

    async def refusal(self, tool: Tool, **arguments: object) -> str:
        """What the model is told when the call fails; the test fails when it does not."""
        with pytest.raises(ToolError) as caught:
            await self.call(tool, **arguments)
        return str(caught.value)


@pytest.fixture
def room(tmp_path: Path) -> Room:
    root = tmp_path / "workspace"
    root.mkdir()
    mouth = Mouth()
    context = ToolContext(
        chat=ChatKey(channel="terminal", account="ada", chat_id="default"),
        principal=Principal(channel="terminal", account="ada", user_id="ada"),
        workspace=root,
        clock=StandingClock(),
        replay_key="turn-1/0",
        progress=lambda text: None,
        uploads=root / "uploads" / "own",
        say=mouth,
    )
    return Room(context=context, mouth=mouth)


Call = Callable[..., Awaitable[ToolResult]]
