"""The gateway connection of discord.py, and its raw dispatches in the order in which they came."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from json import loads

import discord

from channels.discord.fields import Json, inner, text
from channels.discord.rest import PATIENCE_S, RawClient, Refused
from core.domain.errors import SettingsError
from core.domain.secret import Secret
from core.ports import Clock

# Discord wants five seconds between two IDENTIFYs.
IDENTIFY_PAUSE_S = 5.0
# With these begins reading back what was missed, which may take its time.
LONG = frozenset({"READY", "GUILD_CREATE"})
GOODBYE_S = 5.0
URGENT = "INTERACTION_CREATE"
# The code with which the gateway closes on a wrong token.
BAD_TOKEN = 4004
NO_INTENT = (
    "channels.discord.message_content asks for the message content intent, which is switched off for this bot: switch "
    "it on in the developer portal (Bot, Privileged Gateway Intents), or set message_content = false and be mentioned"
)
REFUSED = "channels.discord.bot_token is refused by Discord: copy it again from the developer portal (Bot, Reset Token)"

Take = Callable[[str, Json], Awaitable[None]]
Frames = asyncio.Queue[tuple[str, Json]]


def wanted(*, content: bool) -> discord.Intents:
    """What the bot hears of; the words of people in guilds only with the privileged intent."""
    intents = discord.Intents.none()
    intents.guilds = intents.guild_messages = intents.dm_messages = True
    intents.message_content = content
    return intents


class Ears(RawClient):
    """Puts each dispatch into a queue and does nothing else with it.

    A press wants an answer within three seconds: it overtakes while what was missed is read back, which is as long as
    one of the dispatches that begin that (`long` counts them) is not done with.
    """

    def __init__(self, *, content: bool, clock: Clock, patience_s: float = PATIENCE_S) -> None:
        super().__init__(wanted(content=content), patience_s)
        self.dispatches: Frames = asyncio.Queue()
        self.urgent: Frames = asyncio.Queue()
        self.long = 0
        self._clock = clock

    async def on_socket_raw_receive(self, frame: str) -> None:
        """Called in the order of the frames."""
        event, told = parsed(frame)
        if event:
            self.long += event in LONG
            queue = self.urgent if event == URGENT and self.long else self.dispatches
            queue.put_nowait((event, told))

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        """Before each IDENTIFY."""
        if not initial:
            await self._clock.sleep(IDENTIFY_PAUSE_S)


async def hear(token: Secret, take: Take, *, content: bool, clock: Clock, patience_s: float = PATIENCE_S) -> None:
    """Until cancelled: resumes after each cut as long as Discord lets it. Dispatches are taken one after the other.

    Raises SettingsError for what only the operator can change, and what discord.py raises for the rest.
    """
    ears = Ears(content=content, clock=clock, patience_s=patience_s)
    wrong: SettingsError | None = None
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(_drain(queue, ears, take)) for queue in (ears.dispatches, ears.urgent)]
        try:
            await ears.start(token.reveal())
        except discord.PrivilegedIntentsRequired:
            wrong = SettingsError(NO_INTENT)
        except (discord.ConnectionClosed, discord.LoginFailure, Refused) as error:
            if not _refuses_the_token(error):
                raise
            wrong = SettingsError(REFUSED)
        finally:
            for task in tasks:
                task.cancel()
            await _leave(ears)
    if wrong is not None:
        raise wrong


async def _leave(ears: Ears) -> None:
    """A gateway that does not say goodbye in time is left without it."""
    try:
        async with asyncio.timeout(GOODBYE_S):
            await ears.close()
    except TimeoutError:
        await ears.http.close()


def _refuses_the_token(error: Exception) -> bool:
    match error:
        case Refused(status=status):
            return status == 401
        case discord.ConnectionClosed(code=code):
            return code == BAD_TOKEN
    return isinstance(error, discord.LoginFailure)


async def _drain(queue: Frames, ears: Ears, take: Take) -> None:
    while True:
        event, told = await queue.get()
        await take(event, told)
        ears.long -= event in LONG


def parsed(frame: str) -> tuple[str, Json]:
    """The name and the data of a dispatch; no name for any other frame."""
    found: object = None
    with suppress(ValueError, RecursionError):
        found = loads(frame)
    if not isinstance(found, dict) or found.get("op") != 0:
        return "", {}
    return text(found, "t") or "", inner(found, "d")
