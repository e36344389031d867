"""What was typed before."""

import stat
from pathlib import Path

from channels.terminal.history import FILE, KEPT_ENTRY, KEPT_FILE, OwnerHistory


def test_what_was_typed_comes_back_newest_first(tmp_path: Path) -> None:
    history = OwnerHistory(tmp_path / "new" / "folder")
    for text in ("one", "two\nlines", "half \udcff pair"):
        history.store_string(text)
    assert list(history.load_history_strings()) == ["half ? pair", "two\nlines", "one"]


def test_only_its_owner_can_read_it(tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    OwnerHistory(folder).store_string("secret")
    assert stat.S_IMODE((folder / FILE).stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_file_that_others_could_read_is_closed_to_them(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text("\n# then\n+old\n")
    (tmp_path / FILE).chmod(0o644)
    assert list(OwnerHistory(tmp_path).load_history_strings()) == ["old"]
    assert stat.S_IMODE((tmp_path / FILE).stat().st_mode) == 0o600


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text("")
    (tmp_path / FILE).symlink_to(tmp_path / "elsewhere")
    OwnerHistory(tmp_path).store_string("secret")
    assert (tmp_path / "elsewhere").read_text() == ""


def test_a_folder_that_cannot_be_used_is_no_trouble(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    history = OwnerHistory(tmp_path / "file")
    history.store_string("lost")
    assert list(history.load_history_strings()) == []


def test_a_huge_entry_is_not_kept(tmp_path: Path) -> None:
    history = OwnerHistory(tmp_path)
    history.store_string("x" * KEPT_ENTRY)
    history.store_string("x" * (KEPT_ENTRY + 1))
    assert [len(entry) for entry in history.load_history_strings()] == [KEPT_ENTRY]


def test_the_file_stays_small_and_keeps_the_newest(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text("".join(f"\n# then\n+entry {number}\n" for number in range(80_000)))
    entries = list(OwnerHistory(tmp_path).load_history_strings())
    assert entries[0] == "entry 79999"
    assert entries[-1].startswith("entry ")
    assert (tmp_path / FILE).stat().st_size < KEPT_FILE
