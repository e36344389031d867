"""A gateway that dies while the store's file is made, or while its log is written back: the next one finds it whole."""

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from tests.crash.matrix.checker import check
from tests.crash.matrix.episode import Episode, Ground, Stage, perform
from tests.crash.matrix.people import Person, plain, threads, tools
from tests.crash.matrix.plants import CHECKPOINTS
from tests.crash.matrix.points import Moment
from tests.crash.matrix.wire import Death
from tests.fakes.platform import Profile

STATEMENTS = (1, 2, 3, 5, 8, 13, 21, 34)


def schema(database: Path) -> list[tuple[str, str]]:
    """All tables and indexes, as they are written down."""
    with closing(sqlite3.connect(database)) as connection:
        return connection.execute("SELECT name, sql FROM sqlite_master ORDER BY name").fetchall()


@pytest.mark.parametrize("nth", STATEMENTS)
async def test_a_store_that_was_half_made_is_made_by_the_next_one(ground: Ground, nth: int) -> None:
    stage = Stage(ground, Episode(name="first start", profile=Profile.KEY))
    database = stage.folder / "parley.db"
    database.unlink()
    Person(platform=stage.platform, chat="first").says("@ plain")
    async with stage.started(Death(name="statement", moment=Moment.BEFORE, nth=nth)) as (process, _):
        assert await process.ended() == -9
    await stage.rests()
    assert check(stage.platform, database, kills=1).wrong == []
    assert schema(database) == schema(ground.new_file)


async def test_a_store_is_made_with_fewer_than_twice_as_many_statements(ground: Ground) -> None:
    stage = Stage(ground, Episode(name="first start", profile=Profile.KEY))
    (stage.folder / "parley.db").unlink()
    async with stage.started(Death(name="statement", moment=Moment.BEFORE, nth=2 * STATEMENTS[-1])) as (_, serving):
        await serving.ready.wait()


@pytest.mark.parametrize("nth", [2, 5, 9])
async def test_a_log_that_was_half_written_back_is_read_by_the_next_one(ground: Ground, nth: int) -> None:
    deaths = [Death(name="Channel.send", moment=moment, nth=nth) for moment in (Moment.ARRIVED, Moment.TAKEN)] * 2
    episode = Episode(name="checkpoint", profile=Profile.KEY, deaths=deaths, dialogues=[plain, tools, threads])
    outcome = await perform(ground, replace(episode, plant=CHECKPOINTS))
    assert outcome.kills
    assert outcome.findings.wrong == []
