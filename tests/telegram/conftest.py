"""A Telegram with people in it, and a gateway for it."""

import shutil
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from core.models.scripted import ScriptedModel
from core.runtime.ambient import SystemClock
from core.store.store import open_sqlite
from tests.fakes.platform import FakePlatform
from tests.fakes.telegram import TelegramServer
from tests.telegram.house import ANNA, BEN, FORUM, GROUP, OLGA, Fast, TelegramHouse, Watcher


@pytest.fixture(scope="session")
def empty_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store without rows."""
    path = tmp_path_factory.mktemp("store") / "parley.db"
    open_sqlite(path, SystemClock()).close()
    return path


@pytest.fixture
async def server() -> AsyncIterator[TelegramServer]:
    """With a group and a forum of all three."""
    async with TelegramServer() as opened:
        for user, name in ((ANNA, "Anna"), (BEN, "Ben"), (OLGA, "Olga")):
            opened.world.person(user, name)
        opened.world.group(GROUP, "Workshop", ANNA, BEN, OLGA)
        opened.world.group(FORUM, "Forum", ANNA, BEN, OLGA, forum=True)
        yield opened


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    """Without a script yet."""
    scripted = ScriptedModel()
    yield scripted
    assert scripted.faults == []


@pytest.fixture
def watcher(server: TelegramServer) -> Watcher:
    """Looks at what the bot says."""
    return Watcher(server)


@pytest.fixture
def house(tmp_path: Path, empty_store: Path, server: TelegramServer, model: ScriptedModel) -> TelegramHouse:
    """A gateway on a folder of its own."""
    shutil.copy(empty_store, tmp_path / "parley.db")
    (tmp_path / "workspace").mkdir()
    return TelegramHouse(folder=tmp_path, platform=FakePlatform(), models=[model], server=server, clock=Fast())
