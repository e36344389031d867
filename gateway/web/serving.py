"""The web server of a running service: its addresses out of the settings, its routes out of the channels at hand."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from channels.contract import Serves
from core.domain.errors import SettingsError, StoreError
from core.store import cursors
from core.store.store import Store
from gateway.roster import Roster
from gateway.sections import WebSettings
from gateway.web.routes import Routes
from gateway.web.server import Binds, bind_of, listening


@asynccontextmanager
async def serving(roster: Roster, store: Store) -> AsyncIterator[None]:
    """Listens until the block is left, where the settings say so. Raises SettingsError for what cannot be."""
    binds = _binds(roster.settings.web)
    if binds.own is None and binds.public is None:
        _require_none(roster)
        yield
        return

    def find(name: str, account: str) -> Serves | None:
        return channel_at(roster, name, account)

    async def problems() -> Sequence[str]:
        try:
            await store.read(cursors.value_of, "", "", "")
        except StoreError as error:
            return [str(error)]
        return []

    async with listening(binds, Routes(find, problems)):
        yield


def channel_at(roster: Roster, name: str, account: str) -> Serves | None:
    """The channel that takes events, by the account's name in the settings or by the platform's own."""
    for one in roster.served:
        named = one.section.account if one.section else ""
        if one.spec.name == name and account in (named, one.account) and isinstance(one.channel, Serves):
            return one.channel
    return None


def _binds(web: WebSettings) -> Binds:
    return Binds(
        own=bind_of(web.bind, "web.bind") if web.bind else None,
        public=bind_of(web.public_bind, "web.public_bind", public=True) if web.public_bind else None,
    )


def _require_none(roster: Roster) -> None:
    for one in roster.served:
        if one.section and isinstance(one.channel, Serves) and one.channel.serves:
            raise SettingsError(
                f"{roster.settings.file}: {one.section.key} takes events by HTTP, and there is no address for them: "
                'add [web] public_bind = "0.0.0.0:8443"'
            )
