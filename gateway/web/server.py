"""Listens: on loopback for the operator, on a public address for signed events only."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Final

from aiohttp import web

from core.domain.errors import SettingsError
from gateway.web.routes import Routes

LOOPBACK: Final = frozenset({"127.0.0.1", "::1", "localhost"})
# What aiohttp keeps of a body that nobody reads; hundreds of strangers may be connected.
READ_AHEAD: Final = 4_096


@dataclass(frozen=True, slots=True, kw_only=True)
class Bind:
    """Where to listen; port 0 takes any that is free."""

    host: str
    port: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Binds:
    """`own` is for this machine, and has the channels' routes too where there is no `public`."""

    own: Bind | None = None
    public: Bind | None = None


def bind_of(text: str, key: str, *, public: bool = False) -> Bind:
    """`host:port`, an IPv6 host in brackets. Raises SettingsError; on other than loopback unless it is `public`."""
    host, _, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not host or not port.isdigit() or int(port) > 65_535:
        raise SettingsError(f"{key} must be host:port, as in 127.0.0.1:8650")
    if not public and host not in LOOPBACK:
        raise SettingsError(f"{key} must be on loopback, as in 127.0.0.1:{port}; web.public_bind takes other addresses")
    return Bind(host=host, port=int(port))


@asynccontextmanager
async def listening(binds: Binds, routes: Routes) -> AsyncIterator[tuple[int, ...]]:
    """Listens until the block is left; gives the ports, the own one first.

    Raises SettingsError for an address that cannot be had.
    """
    async with AsyncExitStack() as stack:
        ports = []
        if binds.own:
            own = web.Application()
            routes.add_health(own)
            if binds.public is None:
                routes.add_channels(own)
            ports.append(await stack.enter_async_context(_site(own, binds.own, "web.bind")))
        if binds.public:
            public = web.Application()
            routes.add_channels(public)
            ports.append(await stack.enter_async_context(_site(public, binds.public, "web.public_bind")))
        yield tuple(ports)


@asynccontextmanager
async def _site(app: web.Application, bind: Bind, key: str) -> AsyncIterator[int]:
    # Without lingering the rest of a refused request is not read, but closed.
    runner = web.AppRunner(app, access_log=None, lingering_time=0, read_bufsize=READ_AHEAD, shutdown_timeout=5.0)
    await runner.setup()
    try:
        try:
            await web.TCPSite(runner, bind.host, bind.port).start()
        except OSError as error:
            raise SettingsError(f"{key} cannot be {bind.host}:{bind.port}: {error.strerror}") from error
        yield int(runner.addresses[0][1])
    finally:
        await runner.cleanup()
