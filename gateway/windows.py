"""Terminal windows: one session each, alone or beside a service on the same store."""

from dataclasses import dataclass

from pydantic import ValidationError

from channels import registry
from channels.terminal.channel import TerminalChannel
from channels.terminal.settings import TerminalSettings, attended, os_user
from core.domain.errors import SettingsError
from core.models.guide import GUIDE_NAME
from gateway import roles
from gateway.locks import Place, own_session
from gateway.session_view import broken_since, quiet_of, recall
from gateway.settings import Settings
from gateway.wiring import Opened, Served, context_of, opened


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What the command line asked for; `session` None means the configured one, or the next one that is free."""

    session: str | None = None
    message: str | None = None
    resume: bool = False


async def talk(settings: Settings, wish: Wish, place: Place, *, why: str = "") -> int:
    """Open a window and stay until it is left; gives the exit code. `why` is said first."""
    configured = settings.channels.get("terminal")
    base = configured.own if configured and isinstance(configured.own, TerminalSettings) else TerminalSettings()
    wished = _session_name(wish.session, base.session)
    lock, name = own_session(settings.home.path, wished, fixed=wish.session is not None)
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
            return await _stay(gateway, channel, place, [why] if why else [], person=person, resume=wish.resume)
    finally:
        lock.release()


def _session_name(wished: str | None, usual: str) -> str:
    """Raises SettingsError; nothing was made under that name yet."""
    if wished is None:
        return usual
    try:
        return TerminalSettings(session=wished).session
    except ValidationError:
        words = "letters, digits and . @ + - _, a letter or digit first, at most 64"
        raise SettingsError(f"--session {wished[:64]!r} cannot be the name of a session: use {words}") from None


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
    beside = [gateway.conversation.run]
    if not person:
        channel.answer_in_step(quiet_of(gateway.store))
    elif active.name != GUIDE_NAME:
        # Loaded while the person types, so that the first answer does not wait for it.
        beside.append(gateway.library.warm)
    await roles.run(gateway.gateway, place, *beside)
    broken = 0 if person else await broken_since(gateway.store, channel, began)
    return _code(channel, broken)


def _code(channel: TerminalChannel, broken: int) -> int:
    if channel.unread:
        raise BrokenPipeError("nobody reads the output")
    return 1 if channel.failed or broken else 0
