"""A Discord with people in it, and a gateway for it."""

import shutil
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from core.models.scripted import ScriptedModel
from core.runtime.ambient import SystemClock
from core.store.store import open_sqlite
from tests.discord.house import DiscordHouse, Fast, Watcher
from tests.fakes.discord import DiscordServer
from tests.fakes.platform import FakePlatform


@pytest.fixture(scope="session")
def empty_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store without rows."""
    path = tmp_path_factory.mktemp("store") / "parley.db"
    open_sqlite(path, SystemClock()).close()
    return path


@pytest.fixture
async def server() -> AsyncIterator[DiscordServer]:
    """With a channel and a forum."""
    async with DiscordServer() as opened:
        yield opened


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    """Without a script yet."""
    scripted = ScriptedModel()
    yield scripted
    assert scripted.faults == []


@pytest.fixture
def anna(server: DiscordServer) -> str:
    """A member, let in."""
    return server.world.person("anna")


@pytest.fixture
def olga(server: DiscordServer) -> str:
    """The owner of the bot."""
    return server.world.person("olga")


@pytest.fixture
def general(server: DiscordServer) -> str:
    """A channel."""
    return server.world.channel("general")


@pytest.fixture
def watcher(server: DiscordServer) -> Watcher:
    """Looks at what the bot says."""
    return Watcher(server)


@pytest.fixture
def house(
    tmp_path: Path, empty_store: Path, server: DiscordServer, model: ScriptedModel, anna: str, olga: str
) -> DiscordHouse:
    """A gateway on a folder of its own."""
    shutil.copy(empty_store, tmp_path / "parley.db")
    (tmp_path / "workspace").mkdir()
    return DiscordHouse(
        folder=tmp_path,
        platform=FakePlatform(),
        models=[model],
        clock=Fast(),
        server=server,
        people=frozenset({anna}),
        bosses=frozenset({olga}),
    )
