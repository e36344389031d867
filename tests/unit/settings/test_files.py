"""The home folder and its file: made, closed to others, or refused with a word on what to change."""

import os
import stat
from pathlib import Path

import pytest

from core.domain.errors import SettingsError
from gateway.settings import load
from gateway.settings_edit import with_section, write
from tests.unit.settings.place import Place

SECRET = '[models.fast]\nmodel = "openai/x"\napi_key = "canary-key-1"\n'


def mode(path: Path) -> int:
    """The permission bits."""
    return stat.S_IMODE(path.stat().st_mode)


def test_a_missing_home_is_made_for_its_owner_alone_with_everything_in_it(place: Place) -> None:
    found = place.loads()
    for folder in (place.home, found.home.workspace, found.home.logs):
        assert mode(folder) == 0o700
    for name in ("agents", "skills", "memory", "data", "uploads"):
        assert mode(found.home.workspace / name) == 0o700
    assert found.database == place.home / "parley.db"
    assert not place.file.exists()
    assert found.notices == ()


def test_a_home_that_stands_open_is_closed_and_that_is_said(place: Place) -> None:
    place.writes("").home.chmod(0o755)
    (notice,) = place.loads().notices
    assert mode(place.home) == 0o700
    assert notice == f"{place.home} was open to other users (0755); it is now private (0700)"


def test_a_folder_that_holds_other_things_is_not_closed_but_named(place: Place) -> None:
    place.writes("").home.chmod(0o755)
    (place.home / "photos").mkdir()
    (notice,) = place.loads().notices
    assert mode(place.home) == 0o755
    assert notice.startswith(f"{place.home} is open to other users (0755): run chmod 700 on it, or set PARLEY_HOME")


def test_a_shared_temporary_folder_is_never_closed(place: Place) -> None:
    place.home.mkdir()
    place.home.chmod(0o1777)
    place.loads()
    assert mode(place.home) == 0o1777


@pytest.mark.parametrize("open_to", [0o644, 0o640, 0o604, 0o666])
def test_a_file_with_secrets_is_closed_to_others_and_that_is_said(place: Place, open_to: int) -> None:
    (notice,) = place.writes(SECRET, mode=open_to).loads().notices
    assert mode(place.file) == 0o600
    assert notice == f"{place.file} holds secrets and was open to other users ({open_to:04o}); it is now private (0600)"


def test_a_file_without_secrets_may_be_read_by_everybody(place: Place) -> None:
    place.writes('[models.fast]\nmodel = "openai/x"\napi_key_env = "KEY"\n', mode=0o644)
    place.loads(KEY="x")
    assert mode(place.file) == 0o644


def test_a_secret_of_a_channel_counts_as_one(place: Place) -> None:
    place.writes("[channels.terminal]\nenabled = false\nbot_token = 'canary-token-1'\n", mode=0o644)
    assert len(place.loads().notices) == 1
    assert mode(place.file) == 0o600


def test_wrong_settings_leave_the_file_as_it_was(place: Place) -> None:
    place.writes(f"{SECRET}windw = 5\n", mode=0o644)
    assert "windw" in place.refuses()
    assert mode(place.file) == 0o644


def test_a_file_that_is_a_folder_is_refused(place: Place) -> None:
    place.file.mkdir(parents=True)
    assert place.refuses() == "parley.toml is not a file: put the settings into a file of that name, or remove it"


def test_a_pipe_in_place_of_the_file_is_refused_at_once(place: Place) -> None:
    place.home.mkdir()
    os.mkfifo(place.file)
    assert place.refuses().startswith("parley.toml is not a file")


def test_a_file_in_another_encoding_is_refused(place: Place) -> None:
    place.writes("").file.write_bytes("agent = 'main'".encode("utf-16"))
    assert place.refuses() == "parley.toml is not UTF-8 text (byte 0): save it as UTF-8"


def test_a_byte_order_mark_and_windows_line_ends_are_no_trouble(place: Place) -> None:
    place.writes("").file.write_bytes(b"\xef\xbb\xbf[limits]\r\nturns = 7\r\n")
    assert place.loads().limits.turns == 7


def test_a_huge_file_is_refused_unread(place: Place) -> None:
    place.writes("#" * 1_000_001)
    assert place.refuses() == "parley.toml is larger than 1 MB: settings are a short TOML file"


def test_a_home_that_is_a_file_is_refused_with_the_variable_to_set(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("")
    with pytest.raises(SettingsError, match="set PARLEY_HOME to a folder that is yours") as refusal:
        load(tmp_path / "home", {})
    assert str(tmp_path / "home") in str(refusal.value)


def test_a_home_below_a_file_is_refused_too(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SettingsError, match=r"file cannot be used as part of the home folder"):
        load(tmp_path / "file" / "home", {})


def test_a_section_is_added_at_the_end_and_nothing_else_changes(place: Place) -> None:
    before = "# mine\nagent = 'main'"
    after = with_section(before, "models.local", {"model": '"openai/local"'}, "Here.")
    assert after == "# mine\nagent = 'main'\n\n# Here.\n[models.local]\nmodel = \"openai/local\"\n"
    assert with_section("", "models.local", {"model": '"x"'}, "Here.") == '# Here.\n[models.local]\nmodel = "x"\n'
    assert place.writes(after).loads().models["local"].model == "openai/local"


def test_a_section_that_does_not_fit_is_refused_with_what_to_write(place: Place) -> None:
    with pytest.raises(SettingsError, match=r'\[models\.local\] cannot be added .* with model = "x"'):
        with_section("models = { a = { model = 'y' } }\n", "models.local", {"model": '"x"'}, "Here.")


def test_writing_keeps_the_mode_follows_a_link_and_leaves_no_other_file(place: Place) -> None:
    place.writes("old", mode=0o640)
    link = place.home / "link.toml"
    link.symlink_to(place.file)
    write(link, "new")
    assert (place.file.read_text(), mode(place.file), link.is_symlink()) == ("new", 0o640, True)
    write(place.home / "fresh.toml", "first")
    assert mode(place.home / "fresh.toml") == 0o600
    assert sorted(path.name for path in place.home.iterdir()) == ["fresh.toml", "link.toml", "parley.toml"]
