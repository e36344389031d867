"""What comes in, by sockets or by signed posts: through bolt, which answers what our commit says.

bolt acknowledges before its listeners have run, or whatever becomes of them; in front of all that it asks
`before_authorize`, and there everything is done. An answer other than 200 is no acknowledgement.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Final

import structlog
from slack_bolt.async_app import AsyncApp, AsyncBoltRequest
from slack_bolt.response import BoltResponse

from channels.contract import Accept, Finding, WebAnswer, WebRequest
from channels.slack.catching_up import CatchingUp
from channels.slack.checks import check
from channels.slack.desk import Desk, app_token, signing_secret
from channels.slack.inbound import Me
from channels.slack.raw import Json, text_at
from channels.slack.sockets import Sockets
from channels.slack.taking import NotListening, Taking
from core.domain.errors import NotSent, SettingsError, StoreError

log = structlog.get_logger(__name__)

MOST_BODY: Final = 1_000_000
UNUSED: Final = "unused-in-socket-mode"
# Tokens that Slack will never take again, whatever we wait for.
DEAD_TOKENS: Final = ("invalid_auth", "not_authed", "account_inactive", "token_revoked", "not_allowed_token_type")


class Listener:
    """One account. `web` takes posts while `listen` runs."""

    def __init__(self, desk: Desk, taking: Taking) -> None:
        self.desk = desk
        self.serves = desk.settings.mode == "http"
        self._taking = taking
        secret = signing_secret(desk.settings, desk.context).reveal() if self.serves else UNUSED
        self._app = AsyncApp(client=desk.api.client, signing_secret=secret, before_authorize=self._accept)
        self._gap = asyncio.Event()

    async def listen(self, accept: Accept) -> None:
        """Until cancelled. Raises SettingsError for tokens that Slack refuses, SendError when it does not answer."""
        async with self.desk.api.connected():
            me = await who(self.desk)
            sockets = None if self.serves else await self._sockets()
            async with self._taking.serving(accept, me), self._open(sockets):
                self._gap.set()
                while True:
                    await self._gap.wait()
                    self._gap.clear()
                    await self._caught_up(me)

    async def web(self, request: WebRequest) -> WebAnswer:
        """Nothing is read before there is a signature; bolt proves it, with its time, over the raw body."""
        time, signed = (request.headers.get(f"x-slack-{name}", "") for name in ("request-timestamp", "signature"))
        if request.method != "POST" or not (time.isascii() and time.isdigit() and signed.startswith("v0=")):
            return WebAnswer(status=401)
        body = await request.body(MOST_BODY)
        if body is None:
            return WebAnswer(status=413)
        headers: dict[str, str | Sequence[str]] = {name: [value] for name, value in request.headers.items()}
        asked = AsyncBoltRequest(body=body.decode("utf-8", "replace"), query=request.query, headers=headers)
        answer = await self._app.async_dispatch(asked)
        return WebAnswer(status=answer.status, body=(answer.body or "").encode(), content_type="application/json")

    async def check(self, *, deep: bool) -> Sequence[Finding]:
        """What `parley doctor` asks for."""
        return await check(self.desk, deep=deep)

    @asynccontextmanager
    async def _open(self, sockets: Sockets | None) -> AsyncIterator[None]:
        if sockets is None:
            yield
            return
        async with sockets.connected(self._gap.set):
            yield

    async def _sockets(self) -> Sockets:
        """Asks for a connection first: the SDK would try a wrong token for ever without a word."""
        token = app_token(self.desk.settings, self.desk.context)
        try:
            await self.desk.api.call("apps.connections.open", token=token.reveal())
        except NotSent as error:
            raise _meant(error, "app_token") from error
        return Sockets(self._app, token, self.desk.settings.sockets)

    async def _accept(self, body: dict[str, object]) -> BoltResponse:
        """What bolt asks first. It never goes on from here."""
        if text_at(body, "type") == "url_verification":
            return _json({"challenge": text_at(body, "challenge")})
        try:
            stored = await self._taking.in_time(body)
        except NotListening:
            stored = False
        return BoltResponse(status=200 if stored else 503)

    async def _caught_up(self, me: Me) -> None:
        try:
            await CatchingUp(desk=self.desk, taking=self._taking).run(me)
        except StoreError as error:
            log.warning("catch_up.not_stored", error=str(error))


async def who(desk: Desk) -> Me:
    """Who the bot token speaks for. Raises SettingsError for one that is wrong, SendError when nobody answers."""
    try:
        found = await desk.api.call("auth.test")
    except NotSent as error:
        raise _meant(error, "bot_token") from error
    return Me(user_id=text_at(found, "user_id"), team_id=text_at(found, "team_id"), bot_id=text_at(found, "bot_id"))


def _meant(error: NotSent, key: str) -> Exception:
    name = str(error).rpartition(": ")[2]
    return SettingsError(f"channels.slack.{key} is refused by Slack: {name}") if name in DEAD_TOKENS else error


def _json(body: Json) -> BoltResponse:
    return BoltResponse(status=200, body=json.dumps(body), headers={"content-type": ["application/json"]})
