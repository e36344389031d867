"""The queue of updates, and who gets them: one poller or one webhook.

Facts: https://core.telegram.org/bots/api#getting-updates and tdlib/telegram-bot-api Client.cpp. An offset confirms all
below it; a negative one keeps only so many from the end; what nobody took in 24 hours is gone.
"""

import asyncio
import random
from collections.abc import Callable
from dataclasses import dataclass, field

from tests.fakes.telegram.calls import Call
from tests.fakes.telegram.refused import PUSHED, TAKEN_OVER, bad
from tests.fakes.wire import Json, number_at, text_at

MOST_UPDATES = 100
LONGEST_POLL_S = 50
KEPT_S = 86_400
ONLY_WHEN_ASKED = frozenset({"chat_member", "message_reaction", "message_reaction_count"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """An update and when it came."""

    update: Json = field(hash=False)
    at: float

    @property
    def number(self) -> int:
        """Its update_id."""
        return number_at(self.update, "update_id")


@dataclass(frozen=True, slots=True, kw_only=True)
class Webhook:
    """Where updates are posted instead; an empty URL is none."""

    url: str = ""
    secret: str = ""


class Updates:
    """`offsets` is what each poll asked for, in order; `taken` the ids that somebody has confirmed."""

    def __init__(self, now: Callable[[], float]) -> None:
        self.webhook = Webhook()
        self.offsets: list[int] = []
        self.taken: list[int] = []
        self.changed = asyncio.Condition()
        self._now = now
        self._queue: list[Waiting] = []
        self._next = random.randrange(100_000_000, 900_000_000)
        self._allowed: frozenset[str] | None = None
        self._polls = 0
        self._cuts = 0

    async def add(self, kind: str, body: Json) -> int:
        """A new update, unless its kind is not wanted. Returns its id."""
        wanted = kind in self._allowed if self._allowed else kind not in ONLY_WHEN_ASKED
        number = self._next
        if wanted:
            await self.put({"update_id": number, kind: body})
        return number

    async def put(self, update: Json) -> None:
        """An update as it is; the next one has a higher number."""
        async with self.changed:
            self._next = max(self._next, number_at(update, "update_id") + 1)
            self._queue.append(Waiting(update=update, at=self._now()))
            self.changed.notify_all()

    def waiting(self) -> list[Waiting]:
        """What nobody has confirmed yet and is not too old, oldest first."""
        self._queue = [one for one in self._queue if one.at > self._now() - KEPT_S]
        return list(self._queue)

    def restart_ids(self, number: int) -> None:
        """As after a week without updates: the next id is any number, lower ones too."""
        self._next = number

    async def cut(self) -> None:
        """All long polls that are open end without an answer."""
        async with self.changed:
            self._cuts += 1
            self.changed.notify_all()

    async def poll(self, call: Call) -> list[Json]:
        """getUpdates. Raises Refused with 409, and ConnectionAbortedError when the test cut it."""
        if self.webhook.url:
            raise PUSHED
        offset = call.number("offset")
        self.offsets.append(offset)
        self._wants(call)
        self._confirm(offset)
        limit = min(max(call.number("limit") or MOST_UPDATES, 1), MOST_UPDATES)
        end = asyncio.get_running_loop().time() + min(call.number("timeout"), LONGEST_POLL_S)
        async with self.changed:
            self._polls += 1
            mine, cuts = self._polls, self._cuts
            self.changed.notify_all()
            while not (found := self.waiting()):
                left = end - asyncio.get_running_loop().time()
                if left <= 0:
                    break
                await self._changes(left)
                if self._polls != mine or self.webhook.url:
                    raise TAKEN_OVER
                if self._cuts != cuts:
                    raise ConnectionAbortedError
        return [one.update for one in found[:limit]]

    async def set_webhook(self, call: Call) -> bool:
        """Raises Refused for an address that is none. http is taken, as a local server of one's own does."""
        url, secret = call.text("url"), call.text("secret_token")
        if url and not url.startswith(("https://", "http://")):
            raise bad("bad webhook: An HTTPS URL must be provided for webhook")
        if secret and not (len(secret) <= 256 and secret.replace("-", "a").replace("_", "a").isalnum()):
            raise bad("secret token contains unallowed characters")
        async with self.changed:
            self.webhook = Webhook(url=url, secret=secret)
            self._wants(call)
            if call.flag("drop_pending_updates"):
                self._queue.clear()
            self.changed.notify_all()
        return True

    async def delete_webhook(self, call: Call) -> bool:
        """Back to polling; the choice of kinds stays."""
        kept = {key: value for key, value in call.args.items() if key == "drop_pending_updates"}
        return await self.set_webhook(Call(method=call.method, args=kept, world=call.world))

    async def info(self, call: Call) -> Json:
        """getWebhookInfo."""
        more: Json = {"pending_update_count": len(self.waiting()), "has_custom_certificate": False}
        return {"url": self.webhook.url} | more

    def done(self, update: Json) -> None:
        """The webhook took it."""
        self._queue = [one for one in self._queue if one.update is not update]
        self.taken.append(number_at(update, "update_id"))

    def _wants(self, call: Call) -> None:
        """An empty list is the default; without one, the last choice stays."""
        names = call.json("allowed_updates")
        if isinstance(names, list):
            self._allowed = frozenset(text_at({"n": one}, "n") for one in names) or None

    def _confirm(self, offset: int) -> None:
        if offset < 0:
            self._queue = self._queue[offset:]
        elif offset > 0:
            self.taken += [one.number for one in self._queue if one.number < offset]
            self._queue = [one for one in self._queue if one.number >= offset]

    async def _changes(self, within: float) -> None:
        try:
            await asyncio.wait_for(self.changed.wait(), within)
        except TimeoutError:
            return
