"""Opening a store: a fresh file, an old one, a newer one, a wrong one, and several processes at the same moment."""

import asyncio
import os
import shutil
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Inspector, create_engine, inspect

from core.domain.errors import StoreError, StoreUnusable
from core.store import migrations
from core.store.schema import metadata
from core.store.store import HEAD, open_sqlite
from tests.fakes.clock import FakeClock
from tests.store.desk import Desk

ROOT = Path(__file__).parents[2]
EMPTY = "before the first"
PAGE = 4096


def config() -> Config:
    """Where the migrations lie."""
    found = Config()
    found.set_main_option("script_location", str(Path(next(iter(migrations.__path__)))))
    return found


def bring_to(path: Path, revision: str) -> None:
    """Make the store of an earlier program."""
    engine = create_engine(f"sqlite:///{path}")
    with engine.begin() as conn:
        at = config()
        at.attributes["connection"] = conn
        command.upgrade(at, revision)
    engine.dispose()


def earlier() -> list[str]:
    """Every schema that a store on a disk may still have."""
    revisions = [
        script.revision for script in ScriptDirectory.from_config(config()).walk_revisions() if script.revision != HEAD
    ]
    return [EMPTY, *reversed(revisions)]


def shape(inspector: Inspector) -> dict[str, object]:
    """What autogenerate does not compare: the words of checks, of partial indexes and of foreign keys."""
    shapes: dict[str, object] = {}
    for table in metadata.tables:
        indexes = {
            (index["name"], tuple(index["column_names"]), bool(index["unique"]), where(index.get("dialect_options")))
            for index in inspector.get_indexes(table)
        }
        checks = {(check["name"], check["sqltext"]) for check in inspector.get_check_constraints(table)}
        foreign = {
            (key["name"], tuple(key["constrained_columns"]), key["referred_table"])
            for key in inspector.get_foreign_keys(table)
        }
        columns = [
            (column["name"], str(column["type"]), column["nullable"], column["default"])
            for column in inspector.get_columns(table)
        ]
        unique = {(one["name"], tuple(one["column_names"])) for one in inspector.get_unique_constraints(table)}
        shapes[table] = (indexes, checks, foreign, columns, unique, str(inspector.get_pk_constraint(table)))
    return shapes


def where(options: dict[str, object] | None) -> str:
    """The condition of a partial index."""
    return str((options or {}).get("sqlite_where", ""))


@pytest.fixture
def connection(database: Path) -> Iterator[Connection]:
    """The store's file, as alembic sees it."""
    engine = create_engine(f"sqlite:///{database}")
    with engine.connect() as opened:
        yield opened
    engine.dispose()


def test_the_migrations_make_what_the_schema_says(connection: Connection) -> None:
    context = MigrationContext.configure(connection, opts={"compare_type": True, "compare_server_default": True})
    assert compare_metadata(context, metadata) == []


def test_the_migrations_make_the_same_checks_indexes_and_keys(connection: Connection) -> None:
    declared = create_engine("sqlite://")
    with declared.connect() as other:
        metadata.create_all(other)
        assert shape(inspect(connection)) == shape(inspect(other))
    declared.dispose()


def test_the_program_knows_the_newest_migration() -> None:
    assert ScriptDirectory.from_config(config()).get_heads() == [HEAD]


@pytest.mark.parametrize("revision", earlier())
def test_every_earlier_schema_becomes_the_newest(revision: str, tmp_path: Path) -> None:
    path = tmp_path / "parley.db"
    path.touch()
    if revision != EMPTY:
        bring_to(path, revision)
    open_sqlite(path, FakeClock()).close()
    assert revision_of(path) == HEAD


def test_opening_a_current_store_changes_nothing(database: Path) -> None:
    before = database.read_bytes()
    open_sqlite(database, FakeClock()).close()
    assert database.read_bytes() == before


def test_a_newer_store_is_refused_with_what_to_do(database: Path) -> None:
    execute(database, "UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(StoreUnusable) as refusal:
        open_sqlite(database, FakeClock())
    assert str(refusal.value) == (
        f"{database} was written by a newer Parley (schema 9999, this one knows {HEAD}): upgrade Parley"
    )
    assert revision_of(database) == "9999"


async def test_only_the_owner_can_read_the_files(tmp_path: Path) -> None:
    before = os.umask(0)
    store = open_sqlite(tmp_path / "parley.db", FakeClock())
    try:
        await Desk(store).hears("hello")
        modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    finally:
        os.umask(before)
        store.close()
    assert modes.keys() == {"parley.db", "parley.db-wal", "parley.db-shm", "parley.db.upgrade.lock"}
    assert set(modes.values()) == {0o600}


def test_a_file_that_others_could_read_is_closed_to_them(database: Path) -> None:
    database.chmod(0o644)
    open_sqlite(database, FakeClock()).close()
    assert stat.S_IMODE(database.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "name", ["with space", "ünïcödé", "per%20cent", "what?mode=ro", "hash#tag", "a'quote\"", "a&b=c"]
)
def test_the_folder_may_have_any_name(name: str, tmp_path: Path) -> None:
    folder = tmp_path / name
    folder.mkdir()
    store = open_sqlite(folder / "parley.db", FakeClock())
    store.close()
    assert revision_of(folder / "parley.db") == HEAD
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_folder_in_place_of_the_file_is_refused_by_its_name(tmp_path: Path) -> None:
    with pytest.raises(StoreUnusable) as refusal:
        open_sqlite(tmp_path, FakeClock())
    assert_says_what_to_change(refusal.value, tmp_path)


def test_a_folder_that_is_not_there_is_refused_by_its_name(tmp_path: Path) -> None:
    path = tmp_path / "gone" / "parley.db"
    with pytest.raises(StoreUnusable) as refusal:
        open_sqlite(path, FakeClock())
    assert_says_what_to_change(refusal.value, path)


def test_a_file_that_is_no_database_is_refused_by_its_name(tmp_path: Path) -> None:
    path = tmp_path / "parley.db"
    path.write_bytes(b"this is a letter to my aunt, not a database\n" * 200)
    before = path.read_bytes()
    with pytest.raises(StoreError) as refusal:
        open_sqlite(path, FakeClock())
    assert_says_what_to_change(refusal.value, path)
    assert path.read_bytes() == before


def test_another_programs_database_is_refused_by_its_name(tmp_path: Path) -> None:
    path = tmp_path / "parley.db"
    path.touch()
    execute(path, "CREATE TABLE chats (theirs TEXT)")
    with pytest.raises(StoreError) as refusal:
        open_sqlite(path, FakeClock())
    assert_says_what_to_change(refusal.value, path)


def test_a_damaged_store_is_said_to_be_damaged(database: Path) -> None:
    pages = bytearray(database.read_bytes())
    pages[100:4096] = b"\xff" * 3_996
    database.write_bytes(pages)
    with pytest.raises(StoreUnusable) as refusal:
        open_sqlite(database, FakeClock())
    assert_says_what_to_change(refusal.value, database)
    assert "damaged" in str(refusal.value)
    assert "backup" in str(refusal.value)


@pytest.mark.parametrize("whole", [3, 12, 40])
async def test_a_store_with_lost_pages_says_that_it_is_damaged(whole: int, database: Path, clock: FakeClock) -> None:
    """However many of its pages are left: when it is opened, or else when what is lost is asked for."""
    await fill(database, clock)
    noise = Random(whole).randbytes(database.stat().st_size - whole * PAGE)
    with database.open("r+b") as file:
        file.seek(whole * PAGE)
        file.write(noise)
    with pytest.raises(StoreUnusable, match="damaged"):
        await use(database, clock)


def test_a_folder_that_may_not_be_written_is_refused_by_its_name(new_file: Path, tmp_path: Path) -> None:
    folder = tmp_path / "theirs"
    folder.mkdir()
    shutil.copy(new_file, folder / "parley.db")
    refusal = subprocess.run(
        [sys.executable, "-m", "tests.store.nobody", str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert refusal.stdout.startswith("StoreUnusable: "), refusal
    assert str(folder / "parley.db") in refusal.stdout
    assert "check the folder's owner and mode" in refusal.stdout


def test_processes_that_start_together_on_a_fresh_file_all_open_it(tmp_path: Path) -> None:
    rounds = 8
    programs = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.store.opener", str(tmp_path)],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(3)
    ]
    try:
        ready = [line_of(program) for program in programs]
        said = [go(programs, number) for number in range(rounds)]
    finally:
        for program in programs:
            program.communicate()
    assert ready == ["ready"] * 3
    assert said == [["opened"] * 3] * rounds
    for number in range(rounds):
        assert count(tmp_path / f"{number}.db", "chats") == 3


async def test_two_stores_on_one_file_see_each_others_commits(database: Path, clock: FakeClock) -> None:
    store, second = open_sqlite(database, clock), open_sqlite(database, clock)
    try:
        await Desk(store).hears("from the first")
        await Desk(second, owner="worker-b").hears("from the second")
        assert await Desk(store).rows("SELECT content FROM inbound ORDER BY id") == [
            ("from the first",),
            ("from the second",),
        ]
    finally:
        second.close()
        store.close()


async def fill(path: Path, clock: FakeClock) -> None:
    """Messages in many chats, on many pages."""
    store = open_sqlite(path, clock, relaxed=True)
    try:
        async with asyncio.TaskGroup() as group:
            for number in range(200):
                group.create_task(Desk(store).hears("x" * 2_000, chat=f"c{number}"))
    finally:
        store.close()


async def use(path: Path, clock: FakeClock) -> None:
    """Open it and speak in every chat."""
    store = open_sqlite(path, clock, relaxed=True)
    try:
        for number in range(200):
            await Desk(store).hears("hello", chat=f"c{number}")
    finally:
        store.close()


def assert_says_what_to_change(error: StoreError, path: Path) -> None:
    """One line, with the path, and without the driver's or our library's own words only."""
    said = str(error)
    assert "\n" not in said
    assert str(path) in said
    assert ": " in said.replace(str(path), "")


def execute(path: Path, sql: str) -> None:
    connection = sqlite3.connect(path)
    with connection:
        connection.execute(sql)
    connection.close()


def revision_of(path: Path) -> str:
    connection = sqlite3.connect(path)
    try:
        return str(connection.execute("SELECT version_num FROM alembic_version").fetchone()[0])
    finally:
        connection.close()


def go(programs: list[subprocess.Popen[str]], number: int) -> list[str]:
    """Let all open the file of that number at once; gives what they said."""
    for program in programs:
        assert program.stdin is not None
        program.stdin.write(f"{number}.db\n")
        program.stdin.flush()
    return [line_of(program) for program in programs]


def line_of(program: subprocess.Popen[str]) -> str:
    assert program.stdout is not None
    return program.stdout.readline().strip()


def count(path: Path, table: str) -> int:
    connection = sqlite3.connect(path)
    try:
        return int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])
    finally:
        connection.close()
