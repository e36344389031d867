"""Updates that Telegram pushes: who calls is proved before anything of the body is read."""

import asyncio
import hmac
import json
from collections.abc import Mapping

import structlog

from channels.contract import WebAnswer, WebRequest
from channels.telegram.calls import Api
from channels.telegram.inbound import LISTENED
from channels.telegram.patience import persist
from channels.telegram.settings import TelegramSettings
from channels.telegram.taking import Intake
from core.ports import Clock

log = structlog.get_logger(__name__)

HEADER = "x-telegram-bot-api-secret-token"
LARGEST = 4_000_000
AT_ONCE = 40


class Webhook:
    """Answers 200 once an update is stored; Telegram pushes again what was answered otherwise."""

    def __init__(self, settings: TelegramSettings) -> None:
        self.serves = settings.mode == "webhook"
        self._settings = settings
        self._intake: Intake | None = None

    async def run(self, api: Api, intake: Intake, clock: Clock) -> None:
        """Until cancelled. Telegram keeps for a day what it cannot deliver."""

        async def opened() -> None:
            await api.call("setWebhook", self._wanted())

        # Telegram pushes as soon as it knows the address.
        self._intake = intake
        try:
            await persist(opened, clock, "telegram.no_webhook")
            await asyncio.Event().wait()
        finally:
            self._intake = None

    def _wanted(self) -> Mapping[str, object]:
        secret = self._settings.webhook_secret
        return {
            "url": self._settings.webhook_url,
            "secret_token": secret.reveal() if secret else None,
            "allowed_updates": list(LISTENED),
            "max_connections": AT_ONCE,
            "drop_pending_updates": False,
        }

    async def web(self, request: WebRequest) -> WebAnswer:
        """403 for whoever does not know the secret, before the body; 503 while nobody listens."""
        secret = self._settings.webhook_secret
        given = request.headers.get(HEADER, "")
        if secret is None or not hmac.compare_digest(given.encode(), secret.reveal().encode()):
            return WebAnswer(status=403)
        if request.method != "POST":
            return WebAnswer(status=405)
        if self._intake is None:
            return WebAnswer(status=503, headers={"Retry-After": "5"})
        body = await request.body(LARGEST)
        if body is None:
            return WebAnswer(status=413)
        stored = await self._intake.take_one(_update(body))
        return WebAnswer(status=200) if stored else WebAnswer(status=503, headers={"Retry-After": "5"})


def _update(body: bytes) -> Mapping[str, object]:
    """Whatever it is: what cannot be read becomes a stored drop."""
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
