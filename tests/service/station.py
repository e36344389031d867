"""A whole `parley run` in a test: settings from a file, the real service, fake platforms behind its channels."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from channels.contract import ChannelContext, ChannelSpec
from core.domain.errors import SettingsError, Unreachable
from gateway.service import Outside, serve
from gateway.settings import Settings, load
from gateway.wiring import place_of
from tests.fakes.channel import CHANNEL, FakeChannel
from tests.fakes.platform import Changes, FakePlatform
from tests.fakes.waiting import until

PATIENCE_S = 30.0


class TokenSettings(BaseModel):
    """A token, which decides the account."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    token: str = "anon"
    colour: str = "red"


class Town:
    """The other side: the accounts of all tokens, each with a platform. A token that is unknown is wrong."""

    def __init__(self, accounts: Mapping[str, str]) -> None:
        self.accounts = dict(accounts)
        self.platforms = {account: FakePlatform() for account in accounts.values()}
        self.up = True
        self.kind: type[Closing] = Closing
        self.built: list[str] = []
        self.closed: list[str] = []
        self.contexts: dict[str, ChannelContext] = {}
        self.changes = Changes()

    def spec(self, name: str) -> ChannelSpec[TokenSettings]:
        """The channel as the gateway finds channels."""
        assert name == CHANNEL
        return ChannelSpec(name=CHANNEL, settings=TokenSettings, build=self._build, identify=self._identify)

    async def _identify(self, settings: TokenSettings, context: ChannelContext) -> str:
        if not self.up:
            raise Unreachable("the town is far away")
        if settings.token not in self.accounts:
            raise SettingsError(f"channels.{CHANNEL}.token is not known in town")
        return self.accounts[settings.token]

    def _build(self, settings: TokenSettings, context: ChannelContext) -> FakeChannel:
        self.built.append(context.account)
        self.contexts[context.account] = context
        self.changes.happened()
        return self.kind(self, context.account)


class Closing(FakeChannel):
    """Says when it was closed."""

    def __init__(self, town: Town, account: str) -> None:
        super().__init__(town.platforms[account], account=account)
        self._town = town
        self._name = account

    async def close(self) -> None:
        """It is noted."""
        self._town.closed.append(self._name)
        self._town.changes.happened()


@dataclass(frozen=True, kw_only=True)
class Station:
    """A home folder, and what `parley run` is asked for from outside."""

    home: Path
    town: Town
    again: asyncio.Event = field(default_factory=asyncio.Event)

    def writes(self, toml: str) -> None:
        """Put this into parley.toml."""
        self.home.mkdir(mode=0o700, exist_ok=True)
        file = self.home / "parley.toml"
        file.write_text(toml, encoding="utf-8")
        file.chmod(0o600)

    def reads(self) -> Settings:
        """The settings as they are now."""
        return load(self.home, {}, {CHANNEL: lambda: TokenSettings})

    async def serves(self) -> int:
        """As `parley run` does it."""
        settings = self.reads()
        outside = Outside(load=self.town.spec, read=self.reads, again=self.again)
        return await serve(settings, place_of(settings, window=False), outside)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """While the block lasts."""
        async with asyncio.TaskGroup() as group:
            task = group.create_task(self.serves())
            yield
            task.cancel()

    def told(self) -> Mapping[str, object]:
        """What the service tells of itself."""
        if not (self.home / "parley.channels.json").exists():
            return {}
        found: object = json.loads((self.home / "parley.channels.json").read_text(encoding="utf-8"))
        assert isinstance(found, dict)
        return found

    def state(self, key: str) -> Mapping[str, object]:
        """What it tells of one account."""
        accounts = self.told().get("accounts", [])
        assert isinstance(accounts, list)
        return next((one for one in accounts if one["key"] == key), {})

    async def until_built(self, count: int) -> None:
        """Wait until so many channels were built, all in all."""
        await self.town.changes.until(
            lambda: len(self.town.built) >= count, within=PATIENCE_S, otherwise=lambda: f"built: {self.town.built}"
        )

    async def reloads(self) -> Mapping[str, object]:
        """Asks for it, waits for it; gives what is told afterwards."""
        before = self.told()["read_at"]
        self.again.set()
        await until(lambda: self.told().get("read_at") != before)
        return self.told()
