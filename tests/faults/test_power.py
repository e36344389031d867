"""Power that fails, and disks that do not keep what they were given: what was acknowledged is there afterwards."""

import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.faults.power import Disk
from tests.faults.taker import CHATS
from tests.faults.traced import SYNCS, Call, failing, traced
from tests.processes.started import ROOT, environment_in

MESSAGES = 4
# The first ones make the log's file, each commit has one, and now and then two empty the log into the store's file.
FAILING = (1, 3, 6, 7, 8, 9)

STORED = "SELECT content, turns.state FROM inbound JOIN turns ON turns.id = inbound.id"

pytestmark = pytest.mark.skipif(shutil.which("strace") is None, reason="needs strace")


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What one gateway did, and the store that it began with."""

    folder: Path
    calls: Sequence[Call]
    new_store: bytes

    @property
    def said(self) -> list[tuple[str, str]]:
        """What it told of, in order: the word, and what it is about."""
        return [told for call in self.calls if (told := self.told(call)) is not None]

    def told(self, call: Call) -> tuple[str, str] | None:
        """What it told of with this call."""
        match call.data.decode(errors="replace").split() if call.name == "write" else ():
            case [word, number, text] if number == self.folder.name:
                return word, text
            case _:
                return None

    def disk(self, *, syncs: bool = True) -> Disk:
        """The disk as it was at the beginning."""
        return Disk(
            {str(self.folder / "parley.db"): self.new_store, str(self.folder / "parley.db-wal"): b""}, syncs=syncs
        )


@pytest.fixture(scope="module")
def runs(empty_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Mapping[int, Run]:
    """A gateway for each sync that fails, and one, 0, for which none does."""
    folder = tmp_path_factory.mktemp("disks")
    for number in (0, *FAILING):
        (folder / f"{number:02}").mkdir()
        shutil.copy(empty_store, folder / f"{number:02}" / "parley.db")
    most = FAILING[-1]
    calls = traced(["tests.faults.taker", str(folder), str(MESSAGES), str(most)], folder / "calls", failing_sync=most)
    return {
        number: Run(folder=folder / f"{number:02}", calls=calls, new_store=empty_store.read_bytes())
        for number in (0, *FAILING)
    }


def losses(run: Run, disk: Disk, folder: Path) -> Iterator[str]:
    """What the process had told the world of and a power cut would take back, looked for after each of its calls."""
    said: list[tuple[str, str]] = []
    images: list[dict[str, str]] = []
    for call in run.calls:
        if told := run.told(call):
            said.append(told)
        elif disk.does(call) and (call.name in SYNCS or not call.path.endswith("-wal")):
            # A log that grows shows nothing new before it is synced.
            images = [states(image, folder) for image in disk.images()]
        else:
            continue
        for there in images:
            yield from missing(said, there)


def missing(said: Sequence[tuple[str, str]], there: Mapping[str, str]) -> Iterator[str]:
    for word, text in said:
        if word == "ack" and text not in there:
            yield f"{text} is not stored"
        if word == "heard" and there.get(text) != "done":
            yield f"{text} is not answered"


def states(image: Mapping[str, bytes], folder: Path) -> dict[str, str]:
    """What a store holds that is opened after the cut: each message with the state of its turn."""
    for name, content in image.items():
        (folder / Path(name).name).write_bytes(content)
    (folder / "parley.db-shm").unlink(missing_ok=True)
    with closing(sqlite3.connect(folder / "parley.db")) as connection:
        assert connection.execute("PRAGMA quick_check").fetchone() == ("ok",)
        return dict(connection.execute(STORED).fetchall())


def test_what_was_acknowledged_survives_a_power_cut_at_any_moment(runs: Mapping[int, Run], tmp_path: Path) -> None:
    run = runs[0]
    texts = {f"{chat}-{number}" for chat in CHATS for number in range(MESSAGES)}
    assert set(run.said) == {("ack", text) for text in texts} | {("heard", text) for text in texts} | {("ends", "0")}
    assert list(losses(run, run.disk(), tmp_path)) == []


def test_without_any_sync_a_power_cut_would_take_it_back(runs: Mapping[int, Run], tmp_path: Path) -> None:
    first = next(losses(runs[0], runs[0].disk(syncs=False), tmp_path))
    assert first in {f"{chat}-0 is not stored" for chat in CHATS}


@pytest.mark.parametrize("number", FAILING)
def test_a_sync_that_fails_is_followed_by_no_acknowledgement(
    runs: Mapping[int, Run], tmp_path: Path, number: int
) -> None:
    run = runs[number]
    assert list(losses(run, run.disk(), tmp_path)) == []
    touched = [call for call in run.calls if call.path.startswith(str(run.folder)) or run.told(call)]
    place = next(place for place, call in enumerate(touched) if call.name in SYNCS and call.result)
    if ("ends", "0") in run.said:
        assert harmless(touched, place)
        return
    assert "StoreBroken: the disk did not keep what was written" in (run.folder / "errors").read_text()
    words = [told[0] for call in touched[place:] if (told := run.told(call))]
    assert words[-1] == "ends"
    assert "ack" not in words
    assert run.said[-1] == ("ends", "1")


def test_a_disk_that_keeps_nothing_ends_the_command_with_one_line_that_says_so(tmp_path: Path) -> None:
    done = subprocess.run(
        [*failing(1, tmp_path / "calls"), sys.executable, "-m", "gateway.cli", "chat"],
        env={**environment_in(tmp_path), "PYTHONPATH": str(ROOT)},
        cwd=tmp_path,
        input="hello\n",
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines()[-1] == (
        "parley: the disk did not keep what was written (disk I/O error): check it, then start again"
    )


def harmless(calls: Sequence[Call], place: int) -> bool:
    """Whether the sync was not about a commit: the log keeps what could not be put into the store's file."""
    failed = calls[place]
    if not failed.path.endswith("-wal"):
        return True
    before = next(call for call in reversed(calls[:place]) if call.path == failed.path)
    return before.name in SYNCS and not before.result
