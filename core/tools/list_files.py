"""list_files: what lies in a folder of the workspace, or everything below it that fits a pattern."""

import asyncio
from collections.abc import Sequence

from pydantic import Field

from core.domain.tool import Effect, ToolResult
from core.ports import ToolContext
from core.tools.define import Arguments, define
from core.tools.paths import glob_of, parts_of, shown
from core.tools.workspace import MOST_ENTRIES, Entry, Listing, Workspace, workspace_of

MOST_SHOWN = 500
# Folders that programs fill: thousands of files that nobody means when they look for one.
SKIPPED = frozenset({".git", ".hg", ".venv", "__pycache__", "node_modules"})


class ListFilesArguments(Arguments):
    """All optional: without any, the workspace's own folder is listed."""

    path: str = Field(default=".", description="folder, relative to the workspace")
    pattern: str = Field(
        default="",
        description="glob below that folder: *.md at any depth, data/*.csv, **/notes/*; left out: just this folder",
    )


def is_skipped(name: str) -> bool:
    """Whether a folder of this name is not searched."""
    return name in SKIPPED


def matching(listing: Listing, base: int, pattern: str) -> list[Entry]:
    """The files and links whose path below the folder, `base` names deep, fits the pattern."""
    glob = glob_of(pattern)
    return [entry for entry in listing.entries if entry.kind != "folder" and glob.matches(entry.parts[base:])]


def rendered(path: str, entries: Sequence[Entry], *, complete: bool) -> str:
    """One line an entry, and whether there is more."""
    if not entries:
        body = f"Nothing was found in {shown(path)}."
    else:
        body = "\n".join(_line(entry) for entry in entries[:MOST_SHOWN])
    if len(entries) > MOST_SHOWN:
        body += f"\n({len(entries) - MOST_SHOWN:,} more; use a narrower path or pattern)"
    if not complete:
        body += f"\n(only the first {MOST_ENTRIES:,} entries were looked at; use a narrower path)"
    return body


def _line(entry: Entry) -> str:
    name = shown("/".join(entry.parts))
    match entry.kind:
        case "folder":
            return f"{name}/"
        case "file":
            return f"{name}  {entry.size:,} bytes"
        case "link":
            return f"{name}  (a link, not followed)"
        case _:
            return f"{name}  (not a regular file)"


def _list(arguments: ListFilesArguments, workspace: Workspace) -> str:
    if not arguments.pattern:
        listing = workspace.entries(arguments.path)
        return rendered(arguments.path, listing.entries, complete=listing.complete)
    listing = workspace.walk(arguments.path, is_skipped)
    found = matching(listing, len(parts_of(arguments.path)), arguments.pattern)
    return rendered(arguments.path, found, complete=listing.complete)


async def _perform(arguments: ListFilesArguments, context: ToolContext) -> ToolResult:
    return ToolResult(text=await asyncio.to_thread(_list, arguments, workspace_of(context)))


list_files = define(
    name="list_files",
    description=(
        f"List a folder of the workspace, or with a pattern the files below it. Sorted by path, at most {MOST_SHOWN}. "
        f"A pattern without a slash matches names at every depth; {', '.join(sorted(SKIPPED))} are not searched."
    ),
    accepts=ListFilesArguments,
    effect=Effect.READS,
    replayable=True,
    perform=_perform,
)
