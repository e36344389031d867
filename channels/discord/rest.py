"""Discord's REST API through discord.py, with its errors as ours.

discord.py keeps to the buckets that the answers name. It would also repeat calls by itself, and wait for it; whether a
call is repeated is for whoever made it to decide, so every refusal ends it at once.
"""

import asyncio
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from json import dumps as json_text
from json import loads as json_value
from types import SimpleNamespace
from typing import Self, TypeGuard, TypeVar

import aiohttp
import discord
import yarl
from discord.gateway import DiscordWebSocket
from discord.http import Route
from discord.state import ConnectionState

from channels.discord.fields import Json, number, text
from channels.discord.settings import DiscordSettings
from core.domain.errors import NotSent, RateLimited, SendError, Unacceptable, Unreachable, Unsure
from core.domain.secret import Secret

CALL_S = 30.0
# A gateway that answers no heartbeat for so long is left, whatever its socket says.
PATIENCE_S = 60.0
# discord.py refuses to be told to wait less than this for a bucket.
LONGEST_WAIT_S = 30.0

# Codes of https://docs.discord.com/developers/topics/opcodes-and-status-codes
EDITED_TOO_OFTEN = 30046
WAITS_FOR_POST = 40058
TOO_LARGE = 40005
NO_CHANNEL = 10003
GONE_TOKEN = frozenset({10015, 50027})
THREAD_THERE = 160004
GONE = frozenset({10003, 10004, 10008, 50001, 50007, 50013, 50083})
SOON_S = 2.0

ValueT = TypeVar("ValueT")


class Refused(Exception):
    """The API said no: an HTTP status and a code of its own, 0 where it has none."""

    def __init__(self, status: int, code: int, message: str, *, retry_after: float, everywhere: bool) -> None:
        super().__init__(f"{message or 'no reason given'} ({status}, {code})")
        self.status = status
        self.code = code
        self.retry_after = retry_after
        self.everywhere = everywhere

    def as_send_error(self) -> SendError:
        """What whoever sends has to do about it."""
        if self.code == WAITS_FOR_POST:
            return RateLimited(str(self), retry_in=SOON_S)
        if self.code == EDITED_TOO_OFTEN or self.code in GONE or self.status in (403, 404):
            return Unreachable(str(self))
        if self.status == 429:
            return RateLimited(str(self), retry_in=self.retry_after, everywhere=self.everywhere)
        if self.status == 401:
            return NotSent(f"{self}: the bot's token is not valid any more")
        if self.status >= 500:
            return Unsure(str(self))
        return Unacceptable(str(self))


def set_addresses(settings: DiscordSettings) -> None:
    """discord.py keeps both addresses for the whole process: bots of one process speak to one Discord."""
    Route.BASE = settings.api_url.rstrip("/")
    DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(settings.gateway_url)
    # It warns of libraries for voice, which nobody here speaks.
    discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """A file on its way out."""

    name: str
    data: bytes
    caption: str = ""


class Rest:
    """Calls of one bot. The first one signs in; `close` ends the session, and the next call opens another.

    Once Discord has refused the token no call is made any more: too many of them lock out the whole address.
    """

    def __init__(self, token: Secret) -> None:
        self._token = token
        self._client: discord.Client | None = None
        self._signing_in = asyncio.Lock()
        self._rejected = False

    async def call(self, method: str, path: str, json: object = None, **places: str) -> object:
        """One call. `path` names its places, which tell the bucket. Raises Refused, or SendError for no answer."""
        return await self._request(Route(method, path, **places), json, None)

    async def upload(
        self, method: str, path: str, json: Mapping[str, object], files: Sequence[Upload], **places: str
    ) -> object:
        """A call with files. Raises as `call` does."""
        route = Route(method, path, **places)
        if not files:
            return await self._request(route, json, None)
        sent = [discord.File(BytesIO(one.data), filename=one.name, description=one.caption or None) for one in files]
        payload = json_text({**json, "attachments": [file.to_dict(number) for number, file in enumerate(sent)]})
        fields: list[dict[str, object]] = [{"name": "payload_json", "value": payload}]
        fields += [_field(number, one) for number, one in enumerate(sent)]
        return await self._request(route, None, fields, sent)

    async def fetch(self, url: str, most: int) -> bytes | None:
        """A file that somebody sent; None when it is longer than so many bytes. Raises SendError."""

        async def read() -> bytes | None:
            async with aiohttp.ClientSession() as session, session.get(url, allow_redirects=False) as answer:
                if answer.status != 200:
                    raise NotSent(f"the file could not be fetched ({answer.status})")
                data = await answer.content.read(most + 1)
                while len(data) <= most and (more := await answer.content.read(most + 1 - len(data))):
                    data += more
                return None if len(data) > most else data

        return await _answered(read())

    async def close(self) -> None:
        """Ends the session."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    async def _request(
        self, route: Route, json: object, form: Sequence[dict[str, object]] | None, files: Sequence[discord.File] = ()
    ) -> object:
        if self._rejected:
            raise NotSent("Discord refused the bot's token: give another one as channels.discord.bot_token")
        try:
            client = await self._signed_in()
            if json is None:
                return await _answered(client.http.request(route, form=form, files=files))
            return await _answered(client.http.request(route, json=json))
        except Refused as refused:
            self._rejected = refused.status == 401 and not route.path.startswith(UNSIGNED)
            raise

    async def _signed_in(self) -> discord.Client:
        async with self._signing_in:
            if self._client is None:
                client = RawClient(discord.Intents(guilds=True))
                try:
                    await _answered(client.login(self._token.reveal()))
                    self._client = client
                finally:
                    if self._client is None:
                        await client.close()
            return self._client


# Calls that carry a token of their own in their path.
UNSIGNED = ("/webhooks/", "/interactions/")


class RawClient(discord.Client):
    """A client that keeps no state: what comes in is read from the raw dispatches, which nothing here can choke on."""

    def __init__(self, intents: discord.Intents, patience_s: float = PATIENCE_S) -> None:
        trace = aiohttp.TraceConfig()
        trace.on_request_end.append(_refuse)
        super().__init__(
            intents=intents,
            max_messages=None,
            chunk_guilds_at_startup=False,
            enable_debug_events=True,
            http_trace=trace,
            max_ratelimit_timeout=LONGEST_WAIT_S,
            heartbeat_timeout=patience_s,
        )

    def _get_state(self, **options: object) -> ConnectionState[Self]:
        state = super()._get_state(**options)
        state.parsers = {}
        return state


async def _refuse(
    session: aiohttp.ClientSession, context: SimpleNamespace, told: aiohttp.TraceRequestEndParams
) -> None:
    """Ends a call with what it was refused for, before discord.py repeats it."""
    answer = told.response
    if answer.status < 400:
        return
    content = (await answer.read()).decode(errors="replace")
    raise _refused(answer.status, content, answer.headers.get("Retry-After"))


def _refused(status: int, content: str, retry_after: str | None) -> Refused:
    try:
        found = json_value(content)
    except ValueError:
        found = None
    said: Json = found if isinstance(found, Mapping) else {}
    asked = said.get("retry_after", retry_after)
    seconds = float(asked) if isinstance(asked, int | float) or _is_number(asked) else SOON_S
    code, everywhere = number(said, "code"), said.get("global") is True
    return Refused(status, code, text(said, "message") or "", retry_after=seconds, everywhere=everywhere)


def _is_number(value: object) -> TypeGuard[str]:
    return isinstance(value, str) and value.replace(".", "", 1).isdecimal()


async def _answered(call: Awaitable[ValueT]) -> ValueT:
    """Raises NotSent where it surely did not go out, Unsure where no answer came."""
    try:
        async with asyncio.timeout(CALL_S):
            return await call
    except discord.RateLimited as error:
        raise RateLimited(str(error), retry_in=error.retry_after) from error
    except discord.HTTPException as error:
        raise Refused(error.status, error.code, error.text, retry_after=SOON_S, everywhere=False) from error
    except aiohttp.ClientConnectorError as error:
        raise NotSent(f"Discord cannot be reached: {error}") from error
    except (aiohttp.ClientError, OSError, TimeoutError) as error:
        raise Unsure(f"no answer: {type(error).__name__} {error}") from error


def _field(number: int, file: discord.File) -> dict[str, object]:
    kind = "application/octet-stream"
    return {"name": f"files[{number}]", "value": file.fp, "filename": file.filename, "content_type": kind}
