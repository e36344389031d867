"""Settings, homes and stores that are not as they should be: one line says what to change, and nothing is lost."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.fakes.openai_server import OpenAIServer, answers, echoes
from tests.processes.house import House, answered

# What stands in parley.toml, and what the one line must name.
WRONG_SETTINGS = {
    "an unknown key": ('modell = "x"\n', ":1: modell "),
    "bad TOML": ('model = "x"\n[models.test\n', ":2: not valid TOML"),
    "a wrong type": ('[limits]\nturns = "many"\n', ":2: limits.turns must be a whole number"),
    "an unknown section": ("[modles.test]\n", ":1: modles "),
    "an unknown channel": ('[channels.terminl]\nsession = "a"\n', ":1: channels.terminl "),
    "a session's name": ('[channels.terminal]\nsession = "a/b"\n', ":2: channels.terminal.session "),
    "a model without a section": ('model = "nope"\n', ":1: model "),
    "a model without a name": ('[models.test]\napi_key = "k"\n', ":1: models.test.model "),
}
# What is there instead of a folder or a file of the home, and the exit code.
FILES_FOR_FOLDERS = ("", "workspace", "workspace/agents", "logs")
NOT_STORES = {
    "a text": b"these are my notes\n" * 1_000,
    "a short text": b"notes",
    "a torn page": b"SQLite format 3\0" + b"\xff" * 8_000,
}
FOLDERS_FOR_FILES = {"parley.toml": 2, "parley.db": 1, "worker.lock": 1, "window-default.lock": 1}


@pytest.mark.parametrize("case", WRONG_SETTINGS)
async def test_a_wrong_setting_is_named_with_its_file_and_line(house: House, case: str) -> None:
    text, named = WRONG_SETTINGS[case]
    house.settings(text)
    done = await house.does("chat", said="hello\n")
    assert done.code == 2
    assert done.complaint.startswith(f"parley: {house.home / 'parley.toml'}{named}")
    assert not house.database.exists()


@pytest.mark.parametrize("name", ["a/b", "a b", "", "-", ".", "a\n", "x" * 65, "../up"])
async def test_a_sessions_name_that_cannot_be_one_is_a_usage_error(house: House, name: str) -> None:
    done = await house.does("chat", f"--session={name}", said="hello\n")
    assert (done.code, done.output) == (2, "")
    assert "Invalid value for '--session': a name has letters, digits and . @ + - _, not one of" in done.errors
    assert list(house.home.iterdir()) == []


@pytest.mark.parametrize(
    ("text", "named"),
    [('agent = "nobody"\n', ":1: agent "), ('[channels.terminal]\nagent = "nobody"\n', ":2: channels.terminal.agent ")],
)
async def test_an_agent_that_is_not_there_is_named_at_the_start(house: House, text: str, named: str) -> None:
    house.settings(text)
    done = await house.does("chat", said="hello\n")
    assert done.code == 2
    assert done.complaint.startswith(f"parley: {house.home / 'parley.toml'}{named}names an agent that cannot answer: ")
    assert not house.database.exists()


async def test_an_agent_that_is_broken_is_named_at_the_start(house: House) -> None:
    folder = house.workspace / "agents" / "mine"
    folder.mkdir(parents=True)
    (folder / "AGENT.md").write_text("You are brief.")
    (folder / "meta.json").write_text('{"name": ')
    house.settings('agent = "mine"\n')
    done = await house.does("chat", said="hello\n")
    assert done.code == 2
    assert f"{house.home / 'parley.toml'}:1: agent " in done.complaint
    assert f"{folder / 'meta.json'}:1: not valid JSON" in done.complaint


async def test_the_service_reads_the_same_settings(house: House) -> None:
    house.settings('modell = "x"\n')
    done = await house.does("run")
    assert done.code == 2
    assert "parley.toml:1: modell" in done.complaint


@pytest.mark.parametrize("name", FILES_FOR_FOLDERS)
async def test_a_file_where_a_folder_belongs_is_named(house: House, name: str) -> None:
    place = house.home / name
    if name:
        place.parent.mkdir(exist_ok=True)
    else:
        place.rmdir()
    place.write_text("a file")
    done = await house.does("chat", said="hello\n")
    assert done.code == 2
    assert str(place) in done.complaint
    assert "set PARLEY_HOME" in done.complaint
    assert place.read_text() == "a file"


@pytest.mark.parametrize("name", FOLDERS_FOR_FILES)
async def test_a_folder_where_a_file_belongs_is_named(house: House, name: str) -> None:
    (house.home / name).mkdir()
    done = await house.does("chat", said="hello\n")
    assert done.code == FOLDERS_FOR_FILES[name]
    assert str(house.home / name) in done.complaint


async def test_a_home_below_a_file_is_named(house: House, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("a file")
    home = tmp_path / "file" / "home"
    piped = await house.ordered(house.order(["chat"], environment={"PARLEY_HOME": str(home)}))
    done = await piped.done()
    assert done.code == 2
    assert str(tmp_path / "file") in done.complaint


async def test_a_store_of_a_newer_version_is_refused_and_left_as_it_is(house: House) -> None:
    async with OpenAIServer(echoes("re: "), repeat_last=True) as server:
        house.uses(server)
        await house.does("chat", said="hello\n")
        with closing(sqlite3.connect(house.database)) as connection, connection:
            connection.execute("UPDATE alembic_version SET version_num = '9999'")
        done = await house.does("chat", said="lost?\n")
        assert done.code == 1
        assert str(house.database) in done.complaint
        assert "upgrade Parley" in done.complaint
    assert house.conversation() == [answered("hello", "re: hello")]


@pytest.mark.parametrize("case", NOT_STORES)
async def test_a_store_that_is_no_database_is_named_and_left_as_it_is(house: House, case: str) -> None:
    house.database.write_bytes(NOT_STORES[case])
    done = await house.does("chat", said="hello\n")
    assert done.code == 1
    assert str(house.database) in done.complaint
    assert house.database.read_bytes() == NOT_STORES[case]


async def test_a_store_that_lacks_a_table_never_ends_well(house: House) -> None:
    async with OpenAIServer(echoes("re: "), repeat_last=True) as server:
        house.uses(server)
        await house.does("chat", said="hello\n")
        with closing(sqlite3.connect(house.database)) as connection, connection:
            connection.execute("DROP TABLE outbox")
        done = await house.does("chat", said="again\n")
    assert (done.code, done.output) == (1, "")
    assert done.errors


async def test_a_broken_agent_is_named_to_the_operator_and_mended_without_a_restart(house: House) -> None:
    async with OpenAIServer(answers("Fine.")) as server:
        house.uses(server)
        window = await house.window()
        folder = house.workspace / "agents" / "main"
        folder.mkdir()
        (folder / "AGENT.md").write_text("You are brief.")
        (folder / "meta.json").write_text('{"name": ')
        window.says("hello")
        (broken,) = await house.settled()
        assert broken.state == "broken"
        assert f"{folder / 'meta.json'}:1: not valid JSON" in house.log
        (folder / "meta.json").write_text('{"name": "Main", "type": "chat", "description": "Brief.", "tools": []}')
        window.says("again")
        assert (await house.settled(2))[1] == answered("again", "Fine.")
        await window.has("Fine.")
    assert "You are brief." in str(server.ledger[0].messages[0]["content"])
