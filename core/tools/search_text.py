"""search_text: lines of the workspace's text files that fit a regular expression.

The expression is a model's and may need time that grows exponentially with a line. It is compiled and matched in a
child process that is killed at a deadline; the gateway itself never runs it.
"""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pydantic import Field

from core.domain.errors import ToolError
from core.domain.tool import Effect, ToolResult
from core.ports import ToolContext
from core.tools.child import Message
from core.tools.confined import Child, confined
from core.tools.define import Arguments, DefinedTool, define
from core.tools.list_files import is_skipped, matching
from core.tools.paths import parts_of, shown
from core.tools.text import decoded, is_binary
from core.tools.workspace import Workspace, workspace_of

MOST_MATCHES = 100
MOST_CHARACTERS = 20_000
SEARCHED_FILE = 2_000_000  # bytes; larger files of a folder are left out and counted
BATCH = 1_000_000  # characters that go to the child at once
DEADLINE_S = 10.0


class SearchTextArguments(Arguments):
    """Only the pattern is needed."""

    pattern: str = Field(
        min_length=1, max_length=1_000, description="regular expression (Python's), tried on each line by itself"
    )
    path: str = Field(default=".", description="folder or file, relative to the workspace")
    glob: str = Field(default="", description="only files that fit: *.py at any depth, docs/**/*.md")
    case_insensitive: bool = Field(default=False, description="take upper and lower case as the same")
    context_lines: int = Field(default=0, ge=0, le=10, description="lines to show before and after each match")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of the result."""

    path: str
    number: int
    matches: bool
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Which files are searched; `left_out` were too large."""

    paths: tuple[str, ...]
    left_out: int = 0
    complete: bool = True


def _scope(arguments: SearchTextArguments, workspace: Workspace) -> Scope:
    if workspace.kind(arguments.path) == "file":
        workspace.size(arguments.path)
        return Scope(paths=(arguments.path,))
    listing = workspace.walk(arguments.path, is_skipped)
    found = matching(listing, len(parts_of(arguments.path)), arguments.glob or "*")
    files = [entry for entry in found if entry.kind == "file"]
    paths = tuple("/".join(entry.parts) for entry in files if entry.size <= SEARCHED_FILE)
    return Scope(paths=paths, left_out=len(files) - len(paths), complete=listing.complete)


def _next_batch(workspace: Workspace, paths: Iterator[str]) -> list[tuple[str, str]]:
    batch: list[tuple[str, str]] = []
    size = 0
    for path in paths:
        try:
            content = workspace.read(path)
        except ToolError:
            continue  # it vanished, is a hard link, has a name that cannot be given: not a file of this search
        if content and not is_binary(content):
            batch.append((path, decoded(content)))
            size += len(batch[-1][1])
        if size >= BATCH:
            break
    return batch


def _rows(answer: Message) -> list[Row]:
    if error := answer.get("error"):
        raise ToolError(
            f"pattern: it is not a valid regular expression: {error}. Correct it; escape literal ( [ . * + ?"
        )
    rows = answer["rows"]
    assert isinstance(rows, list)
    return [Row(path=path, number=number, matches=matches, text=text) for path, number, matches, text in rows]


async def _search(
    arguments: SearchTextArguments, workspace: Workspace, paths: Sequence[str], child: Child
) -> list[Row]:
    rows: list[Row] = []
    rest, left = iter(paths), MOST_MATCHES
    asked: dict[str, object] = {
        "pattern": arguments.pattern,
        "ignore_case": arguments.case_insensitive,
        "context": arguments.context_lines,
    }
    # The first message has no files: a wrong pattern is told even where there is nothing to search.
    _rows(await child.ask({**asked, "limit": 0, "files": []}))
    while left > 0 and (batch := await asyncio.to_thread(_next_batch, workspace, rest)):
        found = _rows(await child.ask({**asked, "limit": left, "files": batch}))
        left -= sum(row.matches for row in found)
        rows.extend(found)
    return rows


def rendered(rows: Sequence[Row], scope: Scope, *, grouped: bool) -> str:
    """Path, number and text of each line, matches with colons, lines around them with dashes, groups apart."""
    lines: list[str] = []
    size = 0
    for at, row in enumerate(rows):
        mark = ":" if row.matches else "-"
        line = f"{shown(row.path)}{mark}{row.number}{mark} {row.text}"
        size += len(line) + 1
        if size > MOST_CHARACTERS:
            lines.append(f"(cut here, {len(rows) - at} more lines; use a narrower pattern, path or glob)")
            break
        if grouped and at and (row.path, row.number - 1) != (rows[at - 1].path, rows[at - 1].number):
            lines.append("--")
        lines.append(line)
    return "\n".join([*(lines or ["No line matches."]), *_notes(rows, scope)])


def _notes(rows: Sequence[Row], scope: Scope) -> Iterator[str]:
    if sum(row.matches for row in rows) >= MOST_MATCHES:
        yield f"(stopped after {MOST_MATCHES} matches; use a narrower pattern, path or glob)"
    if scope.left_out:
        yield f"(not searched, being larger than {SEARCHED_FILE:,} bytes: {scope.left_out}; name such a file as path)"
    if not scope.complete:
        yield "(the folder holds too many files and was not searched whole; use a narrower path)"


def search_text(deadline_s: float = DEADLINE_S) -> DefinedTool[SearchTextArguments]:
    """The tool; a search is stopped after `deadline_s` seconds."""

    async def perform(arguments: SearchTextArguments, context: ToolContext) -> ToolResult:
        workspace = workspace_of(context)
        scope = await asyncio.to_thread(_scope, arguments, workspace)
        async with confined("matching", deadline_s) as child:
            rows = await _search(arguments, workspace, scope.paths, child)
        return ToolResult(text=rendered(rows, scope, grouped=arguments.context_lines > 0))

    return define(
        name="search_text",
        description=(
            f"Search the text files of the workspace with a regular expression, line by line. At most {MOST_MATCHES} "
            f"matches; a search of more than {deadline_s:g} seconds is stopped."
        ),
        accepts=SearchTextArguments,
        effect=Effect.READS,
        replayable=True,
        perform=perform,
    )
