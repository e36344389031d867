"""search_text: what it finds, how it shows it, and patterns made to never end."""

import asyncio
import os
import time
from pathlib import Path

import pytest

from core.domain.errors import ToolError
from core.tools.child import MOST_MEMORY
from core.tools.confined import confined
from core.tools.search_text import MOST_CHARACTERS, MOST_MATCHES, SEARCHED_FILE, search_text
from tests.unit.tools.conftest import Room

search = search_text()


async def test_matching_lines_are_shown_with_file_and_number(room: Room) -> None:
    room.file("b.py", "import os\r\nprint(1)\r\n")
    room.file("a/c.py", "x = 1\nimport sys\n")
    assert await room.text(search, pattern=r"^import \w+$") == "a/c.py:2: import sys\nb.py:1: import os"
    assert await room.text(search, pattern="import", path="a") == "a/c.py:2: import sys"
    assert await room.text(search, pattern="import", path="b.py") == "b.py:1: import os"
    assert await room.text(search, pattern="nothing") == "No line matches."


async def test_a_glob_and_case_narrow_and_widen_the_search(room: Room) -> None:
    for path in ("a.md", "a.txt", "d/b.md"):
        room.file(path, "Hello\n")
    assert await room.text(search, pattern="hello") == "No line matches."
    text = await room.text(search, pattern="hello", case_insensitive=True, glob="*.md")
    assert text == "a.md:1: Hello\nd/b.md:1: Hello"


async def test_lines_around_a_match_are_shown_and_groups_kept_apart(room: Room) -> None:
    room.file("a.txt", "\n".join("abcdefghij"))
    text = await room.text(search, pattern="[bi]", context_lines=1)
    assert text == "a.txt-1- a\na.txt:2: b\na.txt-3- c\n--\na.txt-8- h\na.txt:9: i\na.txt-10- j"
    assert "--" not in await room.text(search, pattern="[be]", context_lines=1)


async def test_the_search_stops_at_its_limit_and_says_so(room: Room) -> None:
    room.file("a.txt", "x\n" * (MOST_MATCHES + 1))
    text = await room.text(search, pattern="x")
    assert text.count("a.txt:") == MOST_MATCHES
    assert f"stopped after {MOST_MATCHES} matches" in text
    room.file("a.txt", "x\n" * (MOST_MATCHES - 1))
    assert "stopped" not in await room.text(search, pattern="x")


async def test_the_result_is_bounded_and_a_long_line_is_shown_around_its_match(room: Room) -> None:
    room.file("a.txt", ("y" * 5_000 + "needle" + "y" * 5_000 + "\n") * MOST_MATCHES)
    text = await room.text(search, pattern="needle")
    assert text.startswith("a.txt:1: ...yyy")
    assert "needle" in text.split("\n")[0]
    assert len(text) < MOST_CHARACTERS + 300
    assert "cut here" in text


async def test_binary_linked_and_large_files_are_left_out(room: Room, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("needle")
    (room.root / "link.txt").symlink_to(tmp_path / "secret.txt")
    (room.root / "folder").symlink_to(tmp_path)
    os.link(tmp_path / "secret.txt", room.root / "hard.txt")
    room.file("photo.png", b"\0needle")
    room.file("uploads/other/a.txt", "needle")
    room.file("large.txt", "needle\n" + "x" * SEARCHED_FILE)
    text = await room.text(search, pattern="needle")
    assert text.split("\n")[0] == "No line matches."
    assert "larger than 2,000,000 bytes: 1;" in text
    assert (await room.text(search, pattern="needle", path="large.txt")).startswith("large.txt:1: needle")


async def test_a_wrong_pattern_is_told_with_its_fault_even_where_nothing_is_searched(room: Room) -> None:
    told = await room.refusal(search, pattern="(unclosed")
    assert "pattern: it is not a valid regular expression: missing )" in told


HOSTILE = {
    "nested repeats": r"(a+)+$",
    "overlapping choices": r"(a|a|aa)*$",
    "backward reference": r"(a*)*\1b",
    "many stars": "a*" * 30 + "b",
    "looking ahead": r"(?=(a+)+b)",
    "huge repeats": "((a{0,999}){0,999}){0,999}b",
}


@pytest.mark.parametrize("pattern", HOSTILE.values(), ids=HOSTILE.keys())
async def test_a_pattern_that_never_ends_is_stopped_and_the_gateway_goes_on_meanwhile(room: Room, pattern: str) -> None:
    room.file("a.txt", "a" * 5_000 + "!\n")
    beats = 0
    start = time.perf_counter()
    async with asyncio.TaskGroup() as group:
        call = group.create_task(room.refusal(search_text(0.1), pattern=pattern))
        while not call.done():
            await asyncio.wait({call}, timeout=0.01)
            beats += 1
    assert "stopped" in call.result() or "memory" in call.result()
    assert time.perf_counter() - start < 5
    assert beats > 3


async def stall(seconds: float, pids: list[int]) -> None:
    files = [["a.txt", "a" * 60 + "!"]]
    async with confined("matching", seconds) as child:
        pids.append(child.pid)
        await child.ask({"pattern": "(a+)+$", "ignore_case": False, "context": 0, "limit": 1, "files": files})


async def test_the_child_of_a_search_is_dead_when_it_was_stopped_or_cancelled() -> None:
    pids: list[int] = []
    with pytest.raises(ToolError, match=r"longer than 0\.1 seconds"):
        await stall(0.1, pids)
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(stall(60, pids), 0.1)
    assert len(pids) == 2
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


async def test_a_child_that_dies_is_told_as_an_error() -> None:
    async with confined("matching", 10) as child:
        os.kill(child.pid, 9)
        with pytest.raises(ToolError, match="more memory or time"):
            await child.ask({"files": []})


async def test_the_child_has_no_environment_and_cannot_write_a_file() -> None:
    async with confined("matching", 10) as child:
        await child.ask({"pattern": "a", "ignore_case": False, "context": 0, "limit": 0, "files": []})
        if not Path("/proc").exists():
            pytest.skip("limits of another process can be read on Linux only")
        assert Path(f"/proc/{child.pid}/environ").read_bytes() == b""
        limits = Path(f"/proc/{child.pid}/limits").read_text()
        values = {line[:26].strip(): line[26:].split()[0] for line in limits.splitlines()}
        assert values["Max file size"] == "0"
        assert values["Max address space"] == str(MOST_MEMORY)
        assert values["Max cpu time"] == "20"
