"""The Web API: one call out, and what its refusal means for the part that was to be sent.

The SDK repeats a request by itself when the connection breaks, perhaps after Slack took it: here nothing is repeated
but by whoever has settled it. Error names: https://docs.slack.dev/reference/methods/chat.postMessage#errors
"""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Final

import aiohttp
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.web.async_slack_response import AsyncSlackResponse

from channels.slack.raw import Json, at, text_at
from core.domain.errors import NotSent, RateLimited, SendError, Unacceptable, Unreachable, Unsure
from core.domain.secret import Secret
from core.ports import Clock

TIMEOUT_S: Final = 30
UNKNOWN_WAIT_S: Final = 30.0

# The chat is not there for us, whatever we say.
GONE: Final = frozenset(
    {"channel_not_found", "not_in_channel", "is_archived", "user_not_found", "user_not_in_channel", "message_not_found"}
    | {"cannot_dm_bot", "cannot_reply_to_message", "thread_not_found", "restricted_action", "user_is_restricted"}
    | {"cant_update_message", "cant_delete_message", "edit_window_closed", "posting_to_general_channel_denied"}
    | {"restricted_action_read_only_channel", "restricted_action_thread_only_channel", "messages_tab_disabled"}
    | {"restricted_action_non_threadable_channel", "restricted_action_thread_locked", "no_permission"}
)
# What we say is wrong; plain text may be right.
WRONG: Final = frozenset(
    {"msg_too_long", "no_text", "invalid_blocks", "invalid_blocks_format", "msg_blocks_too_long", "invalid_arguments"}
    | {"too_many_attachments", "invalid_attachments", "invalid_arg_name", "markdown_text_conflict", "invalid_name"}
    | {"file_not_found", "invalid_metadata_format", "invalid_metadata_schema", "metadata_too_large", "bad_timestamp"}
)
# "It's possible some aspect of the operation succeeded before the error was raised."
PERHAPS: Final = frozenset({"fatal_error", "internal_error", "request_timeout"})
# Reading methods know forms only.
TAKES_JSON: Final = ("apps.", "chat.", "reactions.", "assistant.", "files.complete", "conversations.open")
SLOWER: Final = frozenset({"ratelimited", "rate_limited", "message_limit_exceeded"})


class Api:
    """One app in one workspace. A method that asked for quiet is not called until that is over.

    What one channel asks for is kept to it alone, where the call is about a channel.
    """

    def __init__(self, base_url: str, token: Secret, clock: Clock) -> None:
        self.client = AsyncWebClient(
            token=token.reveal(), base_url=base_url.rstrip("/") + "/", timeout=TIMEOUT_S, retry_handlers=[]
        )
        self._clock = clock
        self._quiet: dict[tuple[str, str], int] = {}

    @asynccontextmanager
    async def connected(self) -> AsyncIterator[None]:
        """Keeps connections open between calls, for as long as the block lasts; without it each call has its own."""
        async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=TIMEOUT_S)) as session:
            self.client.session = session
            try:
                yield
            finally:
                self.client.session = None

    async def call(self, method: str, /, **args: object) -> Json:
        """What Slack answered. Raises SendError."""
        return _body(await self.answer(method, **args))

    async def answer(self, method: str, /, **args: object) -> AsyncSlackResponse:
        """The same, with the headers."""
        channel = text_at(args, "channel") or text_at(args, "channel_id")
        self._ask_leave(method, channel)
        given = {name: value for name, value in args.items() if value is not None}
        try:
            if method.startswith(TAKES_JSON):
                return await self.client.api_call(method, json=given)
            return await self.client.api_call(method, data={name: _field(value) for name, value in given.items()})
        except SlackApiError as refused:
            error = refusal(method, refused.response)
            if isinstance(error, RateLimited):
                self._quiet[method, channel] = self._clock.now() + int(error.retry_in * 1_000)
            raise error from refused
        except aiohttp.ClientConnectorError as unreached:
            raise NotSent(f"{method}: Slack is not reachable ({unreached})") from unreached
        except (aiohttp.ClientError, SlackClientError, TimeoutError, asyncio.IncompleteReadError, OSError) as lost:
            raise Unsure(f"{method}: no answer came ({type(lost).__name__})") from lost

    def _ask_leave(self, method: str, channel: str) -> None:
        until = self._quiet.get((method, channel), 0)
        wait_ms = until - self._clock.now()
        if wait_ms > 0:
            raise RateLimited(f"{method}: Slack asked for quiet", retry_in=wait_ms / 1_000)
        self._quiet.pop((method, channel), None)


def _field(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def refusal(method: str, response: object) -> SendError:
    """What Slack's no means. An answer that is none of Slack's leaves open what was done."""
    if not isinstance(response, AsyncSlackResponse):
        return Unsure(f"{method}: an answer that cannot be read")
    name = text_at(response.data, "error")
    if name in SLOWER or response.status_code == 429:
        return RateLimited(f"{method}: {name or 'too many requests'}", retry_in=_retry_after(response.headers))
    if name in PERHAPS or not name or response.status_code >= 500:
        return Unsure(f"{method}: {name or f'status {response.status_code}'}")
    return _no(f"{method}: {name}", name, response)


def _no(what: str, name: str, response: AsyncSlackResponse) -> SendError:
    """A clear no: nothing was done."""
    if name in GONE:
        return Unreachable(what)
    if name in WRONG:
        return Unacceptable(f"{what}{_where(response)}")
    needed = text_at(response.data, "needed")
    return NotSent(f"{what}{f', the app needs the scope {needed}' if needed else ''}")


def _where(response: AsyncSlackResponse) -> str:
    said = at(response.data, "response_metadata", "messages")
    return f" ({'; '.join(str(one) for one in said)[:300]})" if isinstance(said, list) and said else ""


def _retry_after(headers: Mapping[str, str]) -> float:
    given = next((value for key, value in headers.items() if key.lower() == "retry-after"), "")
    return float(given) if given.isascii() and given.isdigit() else UNKNOWN_WAIT_S


def _body(response: AsyncSlackResponse) -> Json:
    return response.data if isinstance(response.data, Mapping) else {}
