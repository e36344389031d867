"""Socket Mode: several connections, so that one stays while another is renewed."""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Final

from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp
from slack_sdk.socket_mode.async_client import AsyncBaseSocketModeClient

from core.domain.secret import Secret

PING_S: Final = 10.0


class Sockets:
    """The connections of one app. `alone` is called for one that opens while no other is open: there was a gap."""

    def __init__(self, app: AsyncApp, token: Secret, count: int) -> None:
        self._app = app
        self._token = token
        self._count = count
        self._handlers: list[AsyncSocketModeHandler] = []

    @asynccontextmanager
    async def connected(self, alone: Callable[[], None]) -> AsyncIterator[None]:
        """Until the block is left. The SDK connects again by itself, however often it has to."""
        async with AsyncExitStack() as stack:
            for _ in range(self._count):
                await stack.enter_async_context(self._one(alone))
            yield

    @asynccontextmanager
    async def _one(self, alone: Callable[[], None]) -> AsyncIterator[None]:
        handler = AsyncSocketModeHandler(self._app, app_token=self._token.reveal(), ping_interval=PING_S)

        async def greeted(client: AsyncBaseSocketModeClient, message: dict[str, object], raw: str | None) -> None:
            if message.get("type") == "hello" and not await self._others(client):
                alone()

        handler.client.message_listeners.append(greeted)
        self._handlers.append(handler)
        try:
            await handler.connect_async()  # type: ignore[no-untyped-call]
            yield
        finally:
            self._handlers.remove(handler)
            await handler.close_async()  # type: ignore[no-untyped-call]

    async def _others(self, client: AsyncBaseSocketModeClient) -> bool:
        return any([await one.client.is_connected() for one in self._handlers if one.client is not client])
