"""Whether a part was sent whose answer never came."""

from channels.discord.desk import Desk, target
from channels.discord.fields import Json, inner, made_at, objects, snowflake_at, text
from channels.discord.outbound import DiscordPart, body
from channels.discord.outgoing import MESSAGES
from channels.discord.rest import Refused
from core.domain.chat import ChatKey
from core.domain.delivery import Settled
from core.domain.errors import SendError

# Discord knows a nonce again for a few minutes, and says nowhere how many: two are safe.
NONCE_MS = 110_000
SKEW_MS = 10_000


async def settle(desk: Desk, chat: ChatKey, part: DiscordPart, key: str) -> Settled:
    """By the echo, by the nonce while it holds, then by what stands there."""
    if key in desk.attempts.echoed:
        return Settled.SENT
    now, tried = desk.context.clock.now(), desk.attempts.tried.get(key)
    if tried is not None and now - tried < NONCE_MS:
        return Settled.NOT_SENT
    stands = await _standing(desk, chat, part)
    if stands is None:
        return Settled.UNKNOWN
    if tried is not None:
        return Settled.SENT if _behind(stands, snowflake_at(tried - SKEW_MS)) else Settled.NOT_SENT
    return await _of_another_process(desk, chat, stands, now)


async def _standing(desk: Desk, chat: ChatKey, part: DiscordPart) -> list[str] | None:
    """The ids of our newest messages there that say what the part says; None where nobody may look."""
    try:
        found = await desk.rest.call("GET", MESSAGES + "?limit=100", channel_id=target(chat))
    except (Refused, SendError):
        return None
    messages = [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
    return [text(one, "id") or "0" for one in messages if is_part(one, part, desk.known.me)]


async def _of_another_process(desk: Desk, chat: ChatKey, stands: list[str], now: int) -> Settled:
    """The same words may be those of an earlier reply, unless they stand behind all that is stored of other people.

    While the newest of them is young enough for its nonce, a repeat is harmless, whichever of them it was.
    """
    cursor = desk.context.cursor
    read_up_to = await cursor(f"messages.{target(chat)}") if cursor else None
    if read_up_to is not None and _behind(stands, read_up_to):
        return Settled.SENT
    held = any(made_at(one) > now - NONCE_MS for one in stands)
    return Settled.NOT_SENT if held or not stands else Settled.UNKNOWN


def _behind(stands: list[str], bound: str) -> bool:
    return any(int(one) > int(bound) for one in stands)


def is_part(message: Json, part: DiscordPart, me: str | None) -> bool:
    """Whether the message is ours and says what the part says."""
    if text(inner(message, "author"), "id") != me:
        return False
    said, words = text(message, "content") or "", str(body(part)["content"]).strip()
    if said == words:
        return len(objects(message, "attachments")) == len(part["files"])
    # Lines about files that could not go out stand behind the words.
    return bool(part["files"]) and said.startswith(words + "\n")
