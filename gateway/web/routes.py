"""From a request on a socket to a channel that serves, and back. Who sent it is the channel's to prove.

Nothing is trusted that stands in the request: neither where it says to come from nor how long it says to be. The body
is read by whoever asks for it, so a request that is refused by its headers costs nothing more.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence

import structlog
from aiohttp import ClientError, web

from channels.contract import Serves, WebAnswer, WebRequest
from core.domain.errors import StoreError

log = structlog.get_logger(__name__)

Find = Callable[[str, str], Serves | None]
Problems = Callable[[], Awaitable[Sequence[str]]]

BODY_WITHIN_S = 10.0
AT_ONCE = 200
RETRY_S = 5


class _Slow(Exception):
    """The body did not come in time."""


class Routes:
    """Handles requests. `find` gives the channel of a name and an account, as the settings name both.

    `problems` says what is wrong with this process; nothing is, where it is empty.
    """

    def __init__(self, find: Find, problems: Problems) -> None:
        self._find = find
        self._problems = problems
        self._open = 0

    def add_health(self, app: web.Application) -> None:
        """For whoever watches over the process: never on the public address."""
        app.router.add_get("/health", self._health)

    def add_channels(self, app: web.Application) -> None:
        """The address of each channel and account."""
        app.router.add_route("*", "/channels/{name}/{account}", self._channel)

    async def _health(self, request: web.Request) -> web.Response:
        problems = list(await self._problems())
        status = "unwell" if problems else "ok"
        body = json.dumps({"status": status, "problems": problems})
        return web.Response(text=body, status=503 if problems else 200, content_type="application/json")

    async def _channel(self, request: web.Request) -> web.Response:
        name, account = request.match_info["name"], request.match_info["account"]
        channel = self._find(name, account)
        if channel is None or not channel.serves:
            return _closed(WebAnswer(status=404))
        if self._open >= AT_ONCE:
            return _closed(WebAnswer(status=503, headers={"Retry-After": str(RETRY_S)}))
        self._open += 1
        try:
            return _closed(await channel.web(_request(request)))
        except StoreError as error:
            log.warning("web.not_stored", channel=name, account=account, error=str(error))
            return _closed(WebAnswer(status=503, headers={"Retry-After": str(RETRY_S)}))
        except _Slow:
            return _closed(WebAnswer(status=408))
        finally:
            self._open -= 1


def _request(request: web.Request) -> WebRequest:
    return WebRequest(
        method=request.method,
        query=request.query_string,
        headers={key.lower(): value for key, value in request.headers.items()},
        body=lambda most: _body(request, most),
    )


async def _body(request: web.Request, most: int) -> bytes | None:
    """Read no further than one piece past the limit."""
    if request.content_length is not None and request.content_length > most:
        return None
    read = bytearray()
    try:
        async with asyncio.timeout(BODY_WITHIN_S):
            async for piece in request.content.iter_any():
                read += piece
                if len(read) > most:
                    return None
    except (TimeoutError, ClientError, ConnectionError) as error:
        raise _Slow from error
    return bytes(read)


def _closed(answer: WebAnswer) -> web.Response:
    """The answer; after a refusal the connection ends, so that nothing more of the request is read."""
    response = web.Response(
        status=answer.status, body=answer.body, content_type=answer.content_type, headers=dict(answer.headers)
    )
    if answer.status >= 400:
        response.force_close()
    return response
