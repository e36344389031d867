"""One call of the Bot API, raw in and raw out; every way in which it can fail becomes a SendError here.

PTB's own objects are left alone on purpose: they refuse a whole answer for one field that they do not know, and the
answer to a message that went out must never look like a failure.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote

import httpx
from telegram import Bot, InputFile
from telegram.error import NetworkError, TelegramError
from telegram.request import HTTPXRequest

from channels.telegram.raw import Raw, number_at, object_at, text_at
from core.domain.errors import NotSent, RateLimited, SendError, Unacceptable, Unreachable, Unsure
from core.domain.secret import Secret

CONNECT_S = 10.0
ANSWER_S = 30.0
UPLOAD_S = 120.0
POOL = 64

# What a 400 says of the chat or the message and not of the text: no other text would be taken there either.
_NOBODY_THERE = re.compile(
    r"chat not found|user not found|peer_id_invalid|group chat was deactivated|have no rights|not enough rights"
    r"|chat_write_forbidden|chat_restricted|topic_closed|topic_deleted|user_is_blocked|bot was kicked|can't be edited"
    r"|message_id_invalid|message to (?:edit|delete|react|reply) not found|need administrator rights",
    re.IGNORECASE,
)
_NEVER_LEFT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.UnsupportedProtocol)
_WORD = re.compile(r"(?<=[a-z])(?=[A-Z])")


class Refusal(TelegramError):
    """An answer that says no."""

    def __init__(self, code: int, answer: Raw) -> None:
        self.code = code
        self.said = text_at(answer, "description") or f"HTTP {code}"
        super().__init__(self.said)
        asked = object_at(answer, "parameters")
        self.retry_after = _seconds(asked.get("retry_after"))
        self.moved_to = str(number_at(asked, "migrate_to_chat_id") or "")


async def _refuse(response: httpx.Response) -> None:
    """Reads a refusal before PTB does, whose own exceptions lose the code and warn when they are made."""
    if response.is_success:
        return
    await response.aread()
    try:
        answer = response.json()
    except ValueError:
        answer = {}
    raise Refusal(response.status_code, answer if isinstance(answer, Mapping) else {})


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """A file on its way out."""

    name: str
    data: bytes


def _requests(pool: int) -> HTTPXRequest:
    return HTTPXRequest(
        connection_pool_size=pool,
        connect_timeout=CONNECT_S,
        read_timeout=ANSWER_S,
        write_timeout=ANSWER_S,
        media_write_timeout=UPLOAD_S,
        pool_timeout=CONNECT_S,
        httpx_kwargs={"event_hooks": {"response": [_refuse]}},
    )


class Api:
    """The methods of one bot. Nothing is called before it is asked for."""

    def __init__(self, token: Secret, api_url: str) -> None:
        base = api_url.rstrip("/")
        self._token = token
        self._requests = (_requests(1), _requests(POOL))
        self._bot = Bot(
            token.reveal(),
            base_url=f"{base}/bot",
            base_file_url=f"{base}/file/bot",
            get_updates_request=self._requests[0],
            request=self._requests[1],
        )

    async def call(
        self, method: str, arguments: Mapping[str, object] | None = None, *, file: Upload | None = None, field: str = ""
    ) -> object:
        """The result as it came. Raises SendError, and Refusal's own kin: Moved and ThreadGone."""
        given = {name: value for name, value in (arguments or {}).items() if value is not None}
        if file is not None:
            given[field] = InputFile(file.data, filename=file.name)
        try:
            return await self._bot.do_api_request(_unlisted(method), api_kwargs=given)
        except TelegramError as exc:
            raise self._send_error(exc) from None

    async def updates(self, offset: int | None, wait_s: int, kinds: tuple[str, ...]) -> object:
        """The next ones; everything before `offset` is forgotten by Telegram. Raises as `call`, and Conflicting."""
        arguments: dict[str, object] = {"timeout": wait_s, "allowed_updates": list(kinds)}
        if offset is not None:
            arguments["offset"] = offset
        try:
            return await self._bot.do_api_request(
                _unlisted("getUpdates"), api_kwargs=arguments, read_timeout=wait_s + ANSWER_S
            )
        except TelegramError as exc:
            if isinstance(exc, Refusal) and exc.code == 409:
                raise Conflicting(exc.said) from None
            raise self._send_error(exc) from None

    async def fetch(self, path: str) -> bytes:
        """A file by the path that getFile told. Raises SendError."""
        address = path if path.startswith(("http://", "https://")) else f"{self._bot.base_file_url}/{quote(path)}"
        try:
            return await self._requests[1].retrieve(address, read_timeout=UPLOAD_S)
        except TelegramError as exc:
            raise self._send_error(exc) from None

    async def close(self) -> None:
        """Give the connections back."""
        for request in self._requests:
            await request.shutdown()

    def _send_error(self, exc: TelegramError) -> SendError:
        """Without the token, which stands in every address."""
        if isinstance(exc, Refusal):
            return _refused(exc, self._token.hidden_in(exc.said))
        said = self._token.hidden_in(str(exc))
        if isinstance(exc, NetworkError) and isinstance(exc.__cause__, _NEVER_LEFT):
            return NotSent(f"Telegram cannot be reached: {said}")
        return Unsure(f"no answer from Telegram: {said}")


class Moved(SendError):
    """The group has become a supergroup with another id; nothing was sent."""

    def __init__(self, message: str, *, moved_to: str) -> None:
        super().__init__(message)
        self.moved_to = moved_to


class ThreadGone(Unreachable):
    """The topic was deleted; the chat is still there, and nothing was sent."""


class NotModified(Unacceptable):
    """The message says that already."""


class NoSuchMethod(NotSent):
    """The server is older than the method, or the token is malformed."""


class Conflicting(NotSent):
    """Somebody else takes the updates of this bot: another poller, or a webhook."""


def _refused(exc: Refusal, said: str) -> SendError:
    if exc.code == 429:
        return RateLimited(said, retry_in=exc.retry_after or 1.0)
    if exc.moved_to:
        return Moved(said, moved_to=exc.moved_to)
    if exc.code == 403:
        return Unreachable(said)
    if exc.code == 404:
        return NoSuchMethod(f"{said}: the server does not know this method, or the token is wrong")
    if exc.code in (401, 409):
        return NotSent(f"{said}: the bot's token is wrong or was revoked" if exc.code == 401 else said)
    return _bad_request(said) if 400 <= exc.code < 500 else Unsure(f"{said} ({exc.code})")


def _bad_request(said: str) -> SendError:
    small = said.lower()
    if "message is not modified" in small:
        return NotModified(said)
    if "message thread not found" in small:
        return ThreadGone(said)
    return Unreachable(said) if _NOBODY_THERE.search(small) else Unacceptable(said)


def _seconds(value: object) -> float:
    return float(value) if isinstance(value, int | float) and value > 0 else 0.0


def _unlisted(method: str) -> str:
    """The method under a name that PTB takes for one that it does not know itself: it warns of all others."""
    return _WORD.sub("_", method, count=1)
