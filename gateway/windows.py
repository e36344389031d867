"""Terminal windows: one session each, alone or beside a service on the same store."""

from dataclasses import dataclass

from channels import registry
from channels.terminal.channel import TerminalChannel
from channels.terminal.settings import TerminalSettings, attended, os_user
from core.models.guide import GUIDE_NAME
from gateway import roles
from gateway.locks import Place, own_session
from gateway.roster import Roster, Served
from gateway.session_view import broken_since, quiet_of, recall
from gateway.settings import Settings
from gateway.wiring import Opened, context_of, opened


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What the command line asked for; `session` None means the configured one, or the next one that is free."""

    session: str | None = None
    message: str | None = None
    resume: bool = False


def in_front(settings: Settings, wish: Wish) -> bool:
    """Whether a person will sit in front of the window."""
    return attended(TerminalSettings(message=wish.message), settings.env.get("TERM"))


async def talk(settings: Settings, wish: Wish, place: Place, *, why: str = "") -> int:
    """Open a window and stay until it is left; gives the exit code. `why` is said first.

    Raises BrokenPipeError when replies went down a pipe and nobody reads on.
    """
    configured = settings.channels.get("terminal")
    base = configured.own if configured and isinstance(configured.own, TerminalSettings) else TerminalSettings()
    lock, name = own_session(settings.home.path, wish.session, base.session)
    try:
        own = TerminalSettings.model_validate(
            base.model_dump() | {"session": name, "message": wish.message, "history_folder": settings.home.path}
        )
        person = in_front(settings, wish)
        spec = registry.load("terminal", attended=person)
        channel = spec.build(own, context_of(settings, configured, os_user()))
        assert isinstance(channel, TerminalChannel)
        served = Served(spec=spec, account=channel.chat.account, channel=channel, section=configured)
        async with opened(Roster(settings, [served])) as gateway:
            return await _stay(gateway, channel, place, [why] if why else [], person=person, resume=wish.resume)
    finally:
        lock.release()


async def _stay(
    gateway: Opened,
    channel: TerminalChannel,
    place: Place,
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
        await recall(gateway.store, channel)
    if not person:
        channel.answer_in_step(quiet_of(gateway.store))
    beside = [gateway.conversation.run]
    if person and active.name != GUIDE_NAME:
        # Loaded while the person types, so that the first answer does not wait for it.
        beside.append(gateway.library.warm)
    await roles.run(gateway.gateway, place, *beside)
    return await _code(gateway, channel, began, person=person)


async def _code(gateway: Opened, channel: TerminalChannel, began: int, *, person: bool) -> int:
    lost = channel.shown.lost
    if person:
        # A terminal that went away is an end like any other: what it did not show, the next window does.
        return int(channel.failed and lost is None)
    if isinstance(lost, BrokenPipeError):
        raise lost
    return int(channel.failed or await broken_since(gateway.store, channel, began) > 0)
