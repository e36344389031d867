"""The guarded file access: real links, pipes, hard links and races."""

import fcntl
import os
import socket
import stat
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from core.domain.errors import ToolError
from core.tools.paths import DEEPEST, Sight
from core.tools.workspace import FILE_LIMIT, Workspace

SECRET = b"outside"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    place = tmp_path / "workspace"
    place.mkdir()
    (tmp_path / "secret.txt").write_bytes(SECRET)
    return place


@pytest.fixture
def files(root: Path) -> Workspace:
    return Workspace(root, Sight(own=("uploads", "own")))


def names(files: Workspace, path: str = ".") -> list[str]:
    return ["/".join(entry.parts) for entry in files.entries(path).entries]


def never(name: str) -> bool:
    return False


def test_a_file_is_read_and_written_below_the_root(files: Workspace, root: Path) -> None:
    assert files.write("a/b/c.txt", b"hello", "k") is True
    assert files.write("a/b/c.txt", b"hello again", "k") is False
    assert files.read("a/b/c.txt") == b"hello again"
    assert names(files, "a/b") == ["a/b/c.txt"]
    assert stat.S_IMODE((root / "a").stat().st_mode) == 0o700
    assert stat.S_IMODE((root / "a/b/c.txt").stat().st_mode) == 0o600


def test_the_root_itself_may_be_a_link_of_the_operator(tmp_path: Path, root: Path) -> None:
    (root / "a.txt").write_bytes(b"here")
    (tmp_path / "link").symlink_to(root)
    assert Workspace(tmp_path / "link", Sight(own=None)).read("a.txt") == b"here"


def test_a_link_is_followed_nowhere_on_the_way(files: Workspace, root: Path, tmp_path: Path) -> None:
    (root / "file").symlink_to(tmp_path / "secret.txt")
    (root / "inside").symlink_to("real.txt")
    (root / "real.txt").write_bytes(b"real")
    (root / "folder").symlink_to(tmp_path)
    (root / "proc").symlink_to("/proc/self")
    (root / "loop").symlink_to("loop")
    for path in ("file", "inside", "folder/secret.txt", "proc/environ", "loop", "loop/x"):
        for attempt in (files.read, files.size, lambda path: files.write(path, b"x", "k")):
            with pytest.raises(ToolError, match="link"):
                attempt(path)
    with pytest.raises(ToolError, match="link"):
        files.entries("folder")
    with pytest.raises(ToolError, match="link"):
        files.write("folder/new/x.txt", b"x", "k")
    assert (tmp_path / "secret.txt").read_bytes() == SECRET
    assert sorted(place.name for place in tmp_path.iterdir()) == ["secret.txt", "workspace"]


def test_only_regular_files_are_opened_and_none_of_them_waits(files: Workspace, root: Path, tmp_path: Path) -> None:
    os.mkfifo(root / "pipe")
    (root / "folder").mkdir()
    # A socket's path is limited to about 100 bytes: it is bound where that is short, and moved.
    with socket.socket(socket.AF_UNIX) as server:
        short = Path(f"/tmp/parley-test-{os.getpid()}.sock")
        server.bind(str(short))
        os.link(short, root / "socket")
        short.unlink()
        start = time.perf_counter()
        for path, told in (("pipe", "pipe"), ("socket", "socket"), ("folder", "folder"), (".", "folder")):
            for attempt in (files.read, files.size, lambda path: files.write(path, b"x", "k")):
                with pytest.raises(ToolError, match=told):
                    attempt(path)
        assert time.perf_counter() - start < 1


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a device")
def test_a_device_in_the_workspace_is_refused(files: Workspace, root: Path) -> None:
    try:
        os.mknod(root / "zero", stat.S_IFCHR | 0o666, os.makedev(1, 5))
    except PermissionError:
        pytest.skip("this container may not make devices")
    with pytest.raises(ToolError, match="device"):
        files.read("zero")


def test_a_file_with_a_second_name_is_refused(files: Workspace, root: Path, tmp_path: Path) -> None:
    os.link(tmp_path / "secret.txt", root / "copy.txt")
    for attempt in (files.read, files.size, lambda path: files.write(path, b"x", "k")):
        with pytest.raises(ToolError, match="hard link"):
            attempt("copy.txt")
    assert (tmp_path / "secret.txt").read_bytes() == SECRET


def test_a_file_on_the_way_is_told_as_one(files: Workspace, root: Path) -> None:
    (root / "a.txt").write_bytes(b"x")
    with pytest.raises(ToolError, match="is a file or a link"):
        files.read("a.txt/b")
    with pytest.raises(ToolError, match="is a file or a link"):
        files.write("a.txt/b", b"x", "k")


def test_what_is_not_there_is_told_with_the_tool_that_finds_it(files: Workspace) -> None:
    with pytest.raises(ToolError, match="list_files"):
        files.read("nothing.txt")


def test_a_file_is_read_at_the_limit_and_refused_one_byte_past_it(files: Workspace, root: Path) -> None:
    (root / "at.bin").write_bytes(b"x" * 1_000)
    (root / "past.bin").write_bytes(b"x" * 1_001)
    assert len(files.read("at.bin", 1_000)) == 1_000
    for attempt in (files.read, files.size):
        with pytest.raises(ToolError, match="1,000 bytes"):
            attempt("past.bin", 1_000)


def test_a_file_too_large_to_send_is_refused_without_being_read(files: Workspace, root: Path) -> None:
    with (root / "huge.bin").open("wb") as file:
        file.truncate(FILE_LIMIT + 1)
    with pytest.raises(ToolError, match="25,000,000 bytes"):
        files.read("huge.bin")
    with pytest.raises(ToolError, match="25,000,000 bytes"):
        files.write("other.bin", bytes(FILE_LIMIT + 1), "k")


GROW = """
import sys
file = open(sys.argv[1], "ab", buffering=0)
print(flush=True)
while True:
    file.write(b"x" * 4096)
"""


def test_a_file_that_grows_while_it_is_read_stays_within_the_limit(files: Workspace, root: Path) -> None:
    place = root / "log.txt"
    place.write_bytes(b"")
    limit = 2_000_000
    sizes = iter(lambda: len(files.read("log.txt", limit)), None)
    with running(GROW, str(place)), pytest.raises(ToolError, match="2,000,000 bytes"):
        assert all(size <= limit for size in sizes)


def test_a_replaced_file_keeps_its_mode_but_for_special_bits(files: Workspace, root: Path) -> None:
    (root / "run.sh").write_bytes(b"old")
    (root / "run.sh").chmod(0o4755)
    files.write("run.sh", b"new", "k")
    assert stat.S_IMODE((root / "run.sh").stat().st_mode) == 0o755


def test_what_a_write_that_died_left_behind_is_not_shown_and_is_cleared_by_the_next(
    files: Workspace, root: Path
) -> None:
    files.write("a.txt", b"old", "call-1")
    reader = os.open(root / "a.txt", os.O_RDONLY)
    files.write("a.txt", b"new", "call-1")
    assert os.read(reader, 10) == b"old"  # a new file took the name; nobody ever saw half of it
    os.close(reader)
    (left,) = leftovers(root, files)
    assert names(files) == ["a.txt"]
    files.write("a.txt", b"newest", "call-1")
    assert not left.exists()
    assert files.read("a.txt") == b"newest"


def leftovers(root: Path, files: Workspace) -> list[Path]:
    """Kill a process in the middle of a write and give what lies there then."""
    program = (
        "import os, sys; from pathlib import Path; from core.tools import workspace as w; from core.tools.paths import "
        "Sight; os.rename = lambda *a, **k: os._exit(9); "
        "w.Workspace(Path(sys.argv[1]), Sight(own=None)).write('a.txt', b'half', 'call-1')"
    )
    subprocess.run([sys.executable, "-c", program, str(root)], check=False, cwd=Path(__file__).parents[3])
    return [place for place in root.iterdir() if place.name != "a.txt"]


def test_an_edit_that_fails_leaves_the_file_as_it_was(files: Workspace, root: Path) -> None:
    (root / "a.txt").write_bytes(b"old")

    def refuse(content: bytes) -> bytes:
        raise ToolError("no")

    with pytest.raises(ToolError, match="no"):
        files.edit("a.txt", refuse, 100, "k")
    assert [place.name for place in root.iterdir()] == ["a.txt"]
    assert files.read("a.txt") == b"old"


def test_edits_at_the_same_time_lose_nothing(files: Workspace, root: Path) -> None:
    (root / "log.txt").write_bytes(b"")

    def append(number: int) -> None:
        files.edit("log.txt", lambda content: content + b"%d\n" % number, 10_000, f"k{number}")

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(append, range(40)))
    assert sorted(int(line) for line in files.read("log.txt").split()) == list(range(40))


def test_a_folder_that_another_program_holds_is_told_after_a_while(root: Path) -> None:
    (root / "log.txt").write_bytes(b"old")
    files = Workspace(root, Sight(own=None), patience_s=0.05)
    holder = os.open(root, os.O_RDONLY)
    fcntl.flock(holder, fcntl.LOCK_EX)
    with pytest.raises(ToolError, match="another program holds"):
        files.write("log.txt", b"new", "k")
    os.close(holder)
    files.write("log.txt", b"new", "k")
    assert files.read("log.txt") == b"new"


def test_uploads_of_other_chats_are_as_if_they_did_not_exist(files: Workspace, root: Path) -> None:
    for chat in ("own", "other"):
        (root / "uploads" / chat).mkdir(parents=True)
        (root / "uploads" / chat / "a.txt").write_bytes(chat.encode())
    (root / "uploads" / "stray.txt").write_bytes(b"x")
    assert files.read("uploads/own/a.txt") == b"own"
    for path in ("uploads/other/a.txt", "./uploads//other/a.txt", "uploads/stray.txt", "uploads/none/a.txt"):
        with pytest.raises(ToolError, match="no such file"):
            files.read(path)
        with pytest.raises(ToolError, match="no such file"):
            files.write(path, b"x", "k")
    assert names(files, "uploads") == ["uploads/own"]
    assert not any("other" in entry.parts for entry in files.walk(".", never).entries)


def test_no_file_can_take_the_place_of_the_uploads_folder(files: Workspace, root: Path) -> None:
    with pytest.raises(ToolError, match="folder"):
        files.write("uploads", b"x", "k")
    assert not (root / "uploads").exists()


def test_a_walk_is_sorted_names_links_and_enters_none(files: Workspace, root: Path, tmp_path: Path) -> None:
    for path in ("b/x.txt", "a/y.txt", "c.txt"):
        files.write(path, b"123", "k")
    (root / "d").symlink_to(tmp_path)
    found = [("/".join(entry.parts), entry.kind, entry.size) for entry in files.walk(".", never).entries]
    assert found == [
        ("a", "folder", 0),
        ("a/y.txt", "file", 3),
        ("b", "folder", 0),
        ("b/x.txt", "file", 3),
        ("c.txt", "file", 3),
        ("d", "link", 0),
    ]


def test_a_walk_does_not_go_deeper_than_a_path_can_be_named(files: Workspace, root: Path) -> None:
    place = root
    for _ in range(DEEPEST + 20):
        place = place / "d"
        place.mkdir()
    assert max(len(entry.parts) for entry in files.walk(".", never).entries) == DEEPEST


@contextmanager
def running(program: str, *arguments: str) -> Iterator[None]:
    """A process that loops until the block is left; it has said by a line that it is about to begin."""
    with subprocess.Popen([sys.executable, "-c", program, *arguments], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        try:
            yield
        finally:
            process.kill()


SWAP = """
import os, sys
os.chdir(sys.argv[1])
print(flush=True)
while True:
    os.rename("door", "kept")
    os.rename("link", "door")
    os.rename("door", "link")
    os.rename("kept", "door")
"""


def read_in_a_race(files: Workspace, path: str) -> Counter[bytes | None]:
    """How often each content was read in 10,000 reads and more; None where the read was refused.

    A busy machine may let one of the two racers run alone for a while: both outcomes must have come often.
    """
    seen: Counter[bytes | None] = Counter()
    deadline = time.monotonic() + 5
    while seen.total() < 10_000 or (min(seen[b"inside"], seen[None]) < 100 and time.monotonic() < deadline):
        try:
            seen[files.read(path)] += 1
        except ToolError:
            seen[None] += 1
    return seen


def test_a_folder_swapped_for_a_link_while_files_are_read_and_written_never_leads_out(
    files: Workspace, root: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.txt").write_bytes(SECRET)
    (root / "door").mkdir()
    (root / "door" / "a.txt").write_bytes(b"inside")
    (root / "link").symlink_to(outside)
    with running(SWAP, str(root)):
        seen = read_in_a_race(files, "door/a.txt")
        for number in range(50):
            with suppress(ToolError):
                files.write("door/new.txt", b"x", f"k{number}")
    assert set(seen) == {b"inside", None}
    assert min(seen.values()) >= 100
    assert [place.name for place in outside.iterdir()] == ["a.txt"]
    assert (outside / "a.txt").read_bytes() == SECRET


def test_a_file_swapped_for_a_link_while_it_is_read_never_leads_out(
    files: Workspace, root: Path, tmp_path: Path
) -> None:
    (root / "door").write_bytes(b"inside")
    (root / "link").symlink_to(tmp_path / "secret.txt")
    with running(SWAP, str(root)):
        seen = read_in_a_race(files, "door")
    assert set(seen) == {b"inside", None}
    assert min(seen.values()) >= 100
