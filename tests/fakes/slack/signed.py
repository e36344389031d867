"""The Events API by HTTP: signed, and again when the answer is no 200 within three seconds."""

import asyncio
import hashlib
import hmac
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from aiohttp import ClientError, ClientSession, ClientTimeout

from tests.fakes.slack.events import Delivery
from tests.fakes.wire import Json

SECRET = "fake-signing-secret"
ANSWER_WITHIN_S = 3.0
MOST_ATTEMPTS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """What the app answered."""

    status: int
    body: str


def signature(body: bytes, at: int, secret: str = SECRET) -> str:
    """Version 0: an HMAC over the version, the time and the raw body."""
    return "v0=" + hmac.new(secret.encode(), b"v0:%d:%s" % (at, body), hashlib.sha256).hexdigest()


class SignedPosts:
    """Posts to the app's request URL. `answers` is all that came back; a time-out is the status 0.

    `waits` are the pauses before an event comes again; the last one stays.
    """

    def __init__(
        self, url: str, *, secret: str = SECRET, now: Callable[[], float] = time.time, waits: Sequence[float] = ()
    ) -> None:
        self.url = url
        self.answers: list[Heard] = []
        self._secret = secret
        self._now = now
        self._waits = tuple(waits)

    async def deliver(self, delivery: Delivery) -> Heard:
        """Until the app takes it, four times at most; commands and interactions only once."""
        heard = await self.post(*encoded(delivery))
        for attempt in range(1, 1 if delivery.answerable else MOST_ATTEMPTS):
            if heard.status == 200:
                break
            reason = "http_error" if heard.status else "http_timeout"
            await asyncio.sleep(self._waits[min(attempt, len(self._waits)) - 1] if self._waits else 0)
            retry = {"X-Slack-Retry-Num": str(attempt), "X-Slack-Retry-Reason": reason}
            heard = await self.post(*encoded(delivery), headers=retry)
        return heard

    async def verify(self, challenge: str) -> Heard:
        """What is sent when somebody enters the URL: the app has to say the challenge."""
        body: Json = {"token": "fake-verification-token", "type": "url_verification", "challenge": challenge}
        return await self.post(json.dumps(body).encode(), "application/json")

    async def post(
        self, body: bytes, content_type: str, *, headers: Mapping[str, str] | None = None, skew_s: int = 0
    ) -> Heard:
        """One request, signed for a time that is off by `skew_s`."""
        at = int(self._now()) + skew_s
        signed = {"X-Slack-Request-Timestamp": str(at), "X-Slack-Signature": signature(body, at, self._secret)}
        sent = {"Content-Type": content_type, **signed, **(headers or {})}
        try:
            timeout = ClientTimeout(total=ANSWER_WITHIN_S)
            async with (
                ClientSession(timeout=timeout) as session,
                session.post(self.url, data=body, headers=sent) as answer,
            ):
                heard = Heard(status=answer.status, body=await answer.text())
        except (ClientError, TimeoutError):
            heard = Heard(status=0, body="")
        self.answers.append(heard)
        return heard


def encoded(delivery: Delivery) -> tuple[bytes, str]:
    """The body of a request and its type: events are JSON, the rest are forms."""
    if delivery.kind == "events_api":
        return json.dumps(delivery.payload).encode(), "application/json"
    form = "application/x-www-form-urlencoded"
    if delivery.kind == "interactive":
        return urlencode({"payload": json.dumps(delivery.payload)}).encode(), form
    return urlencode({key: str(value) for key, value in delivery.payload.items()}).encode(), form
