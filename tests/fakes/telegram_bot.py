"""A Telegram channel of ours, connected to the fake server."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from channels.contract import ChannelContext
from channels.telegram import SPEC
from channels.telegram.channel import TelegramChannel
from channels.telegram.settings import TelegramSettings
from core.domain.chat import ChatKey
from core.domain.command import COMMANDS
from core.domain.secret import Secret
from core.domain.texts import Texts
from core.ports import Clock
from core.runtime.ambient import SystemClock
from tests.fakes.telegram import BOT, TOKEN, TelegramServer

ACCOUNT = str(BOT)
NONE_SET: Mapping[str, object] = {}


def chat(chat_id: int, thread: int | None = None) -> ChatKey:
    """A conversation with the bot."""
    return ChatKey(channel="telegram", account=ACCOUNT, chat_id=str(chat_id), thread_id=str(thread) if thread else None)


def context(
    workspace: Path, clock: Clock, cursor: Callable[[str], Awaitable[str | None]] | None = None
) -> ChannelContext:
    """What a gateway would give it."""
    return ChannelContext(
        account=ACCOUNT,
        workspace=workspace,
        clock=clock,
        commands=COMMANDS,
        texts=Texts({}),
        env=lambda name: None,
        cursor=cursor,
        uploads=lambda chat: workspace / "uploads" / chat.chat_id,
    )


def bot_on(
    server: TelegramServer,
    workspace: Path,
    clock: Clock | None = None,
    *,
    cursor: Callable[[str], Awaitable[str | None]] | None = None,
    settings: Mapping[str, object] = NONE_SET,
) -> TelegramChannel:
    """Nobody listens yet."""
    given = TelegramSettings.model_validate({"token": Secret(TOKEN), "api_url": server.url, **settings})
    built = SPEC.build(given, context(workspace, clock or SystemClock(), cursor))
    assert isinstance(built, TelegramChannel)
    return built


@asynccontextmanager
async def connected(
    server: TelegramServer, workspace: Path, clock: Clock | None = None, **settings: object
) -> AsyncIterator[TelegramChannel]:
    """Its connections are given back when the block ends."""
    channel = bot_on(server, workspace, clock, settings=settings)
    try:
        yield channel
    finally:
        await channel.close()
