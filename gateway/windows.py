"""Terminal windows: one session each, alone or beside a service on the same store."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

from channels import registry
from channels.terminal.channel import TerminalChannel
from channels.terminal.screen import TranscriptLine, show_transcript
from channels.terminal.settings import TerminalSettings, attended, os_user
from core.domain.chat import ChatKey
from core.domain.errors import ParleyError
from core.models.guide import GUIDE_NAME
from core.store import session as sessions
from core.store.lock import FileLock
from core.store.store import Store
from core.store.wakeup import LocalWakeup
from gateway import roles
from gateway.settings import Settings
from gateway.start import Opened, Served, context_of, opened

QUIET_POLL_S = 0.02
MOST_WINDOWS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What the command line asked for; `session` None means the configured one, or the next one that is free."""

    session: str | None = None
    message: str | None = None
    resume: bool = False


async def talk(settings: Settings, wish: Wish, place: roles.Place, *, why: str = "") -> int:
    """Open a window and stay until it is left; gives the exit code. `why` is said first."""
    configured = settings.channels.get("terminal")
    base = configured.own if configured and isinstance(configured.own, TerminalSettings) else TerminalSettings()
    lock, name = own_session(settings.home.path, wish.session or base.session, fixed=wish.session is not None)
    try:
        own = TerminalSettings.model_validate(
            base.model_dump() | {"session": name, "message": wish.message, "history_folder": settings.home.path}
        )
        person = attended(own, settings.env.get("TERM"))
        spec = registry.load("terminal", attended=person)
        channel = spec.build(own, context_of(settings, os_user()))
        assert isinstance(channel, TerminalChannel)
        served = Served(spec=spec, account=channel.chat.account, channel=channel)
        async with opened(settings, [served]) as gateway:
            notices = [*settings.notices, *([why] if why else [])]
            return await _stay(gateway, channel, place, notices, person=person, resume=wish.resume)
    finally:
        lock.release()


def own_session(home: Path, name: str, *, fixed: bool) -> tuple[FileLock, str]:
    """The lock of a session that no other window shows. A busy one is refused if it was named, else numbered on."""
    lock = FileLock(home / f"window-{name}.lock")
    if lock.acquire():
        return lock, name
    if fixed:
        raise ParleyError(
            f"session {name} is open in another window (process {lock.holder()}): close it, or take another --session"
        )
    for number in range(2, MOST_WINDOWS):
        numbered = f"{name}-{number}"
        lock = FileLock(home / f"window-{numbered}.lock")
        if lock.acquire():
            return lock, numbered
    raise ParleyError(f"{MOST_WINDOWS} windows are open: close one, or name a session with --session")


async def _stay(
    gateway: Opened,
    channel: TerminalChannel,
    place: roles.Place,
    notices: list[str],
    *,
    person: bool,
    resume: bool,
) -> int:
    began = gateway.gateway.world.clock.now()
    active = gateway.models.describe()
    if person:
        notices.append(f"Parley, session {channel.chat.chat_id}, model {active.name}. /help lists what I understand.")
    for notice in notices:
        await channel.terminal.notice(notice)
    if resume:
        await _recall(gateway.store, channel)
    if not person:
        channel.answer_in_step(_quiet(gateway.store))
    beside = [gateway.conversation.run]
    if person and active.name != GUIDE_NAME:
        # Loaded while the person types, so that the first answer does not wait for it.
        beside.append(gateway.library.warm)
    await roles.run(gateway.gateway, place, *beside)
    broken = 0 if person else await gateway.store.read(sessions.broken_since, channel.chat, began)
    return 1 if channel.failed or broken else 0


async def _recall(store: Store, channel: TerminalChannel) -> None:
    lines = await store.run(sessions.recall, channel.chat)
    items = [
        TranscriptLine(
            who=channel.chat.account if line.mine else "Parley", text=line.text, at=line.at, markdown=line.markdown
        )
        for line in lines
    ]
    await show_transcript(channel.terminal, items)


def _quiet(store: Store) -> Callable[[ChatKey], Awaitable[None]]:
    """Returns when nothing of the chat runs, waits its turn or waits to be shown."""
    wakeup = LocalWakeup()

    async def quiet(chat: ChatKey) -> None:
        while await store.read(sessions.under_way, chat):
            await wakeup.wait(QUIET_POLL_S)

    return quiet
