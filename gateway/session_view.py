"""What a window reads of its session: the conversation so far, and whether anything is still under way."""

from collections.abc import Awaitable, Callable

from channels.terminal.channel import TerminalChannel
from channels.terminal.screen import TranscriptLine, show_transcript
from core.domain.chat import ChatKey
from core.store import session
from core.store.store import Store
from core.store.wakeup import LocalWakeup

QUIET_POLL_S = 0.02


async def recall(store: Store, channel: TerminalChannel) -> None:
    lines = await store.run(session.recall, channel.chat)
    items = [
        TranscriptLine(
            who=channel.chat.account if line.mine else "Parley", text=line.text, at=line.at, markdown=line.markdown
        )
        for line in lines
    ]
    await show_transcript(channel.terminal, items)


def quiet_of(store: Store) -> Callable[[ChatKey], Awaitable[None]]:
    """Returns when nothing of the chat runs, waits its turn or waits to be shown."""
    wakeup = LocalWakeup()

    async def quiet(chat: ChatKey) -> None:
        while await store.read(session.under_way, chat):
            await wakeup.wait(QUIET_POLL_S)

    return quiet


async def broken_since(store: Store, channel: TerminalChannel, began: int) -> int:
    """How many turns of the session ended without an answer after that time."""
    return await store.read(session.broken_since, channel.chat, began)
