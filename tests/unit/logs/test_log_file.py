"""A log file is private, bounded, and shared by processes without losing a line."""

import stat
import subprocess
import sys
from pathlib import Path

import pytest

from gateway.log_file import LogFile

ROOT = Path(__file__).resolve().parents[3]

# What one of several processes does: sys.argv is the path and its name.
WRITER = """
import sys
from pathlib import Path
from gateway.log_file import LogFile
file = LogFile(Path(sys.argv[1]), max_bytes=2_000, rotations=50)
for number in range(200):
    file.write(f"{sys.argv[2]} {number} {'.' * 20}\\n")
"""


def test_a_file_is_made_for_its_owner_alone_when_the_first_line_is_written(tmp_path: Path) -> None:
    file = LogFile(tmp_path / "a.log", max_bytes=100, rotations=1)
    assert not (tmp_path / "a.log").exists()
    file.write("one\n")
    assert stat.S_IMODE((tmp_path / "a.log").stat().st_mode) == 0o600
    file.sync()
    file.close()
    file.write("two\n")
    file.close()
    assert (tmp_path / "a.log").read_text() == "one\ntwo\n"


def test_a_full_file_is_put_aside_and_only_so_many_are_kept(tmp_path: Path) -> None:
    file = LogFile(tmp_path / "a.log", max_bytes=10, rotations=2)
    for number in range(6):
        file.write(f"line {number}\n")
    file.close()
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["a.log", "a.log.1", "a.log.2"]
    assert [(tmp_path / name).read_text() for name in ("a.log", "a.log.1", "a.log.2")] == [
        "line 5\n",
        "line 4\n",
        "line 3\n",
    ]


def test_without_rotations_a_full_file_begins_anew(tmp_path: Path) -> None:
    file = LogFile(tmp_path / "a.log", max_bytes=10, rotations=0)
    file.write("line 1\n")
    file.write("line 2\n")
    file.close()
    assert [path.name for path in tmp_path.iterdir()] == ["a.log"]
    assert (tmp_path / "a.log").read_text() == "line 2\n"


def test_a_file_that_somebody_took_away_is_made_anew(tmp_path: Path) -> None:
    file = LogFile(tmp_path / "a.log", max_bytes=100, rotations=1)
    file.write("one\n")
    (tmp_path / "a.log").unlink()
    file.write("two\n")
    file.close()
    assert (tmp_path / "a.log").read_text() == "two\n"


def test_processes_that_write_and_rotate_at_once_lose_no_line(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    names = ("anna", "ben", "carl")
    command = (sys.executable, "-c", WRITER, str(path))
    writers = [subprocess.Popen((*command, name), cwd=ROOT) for name in names]
    assert [writer.wait() for writer in writers] == [0, 0, 0]
    written = [line for file in tmp_path.iterdir() for line in file.read_text().splitlines()]
    assert sorted(written) == sorted(f"{name} {n} {'.' * 20}" for name in names for n in range(200))


def test_a_disk_that_takes_nothing_is_the_callers_to_hear(tmp_path: Path) -> None:
    file = LogFile(tmp_path / "missing" / "a.log", max_bytes=100, rotations=1)
    with pytest.raises(FileNotFoundError):
        file.write("one\n")
