"""Telegram's own menu of commands, made from the registry."""

from collections.abc import Mapping, Sequence

import structlog

from channels.telegram.calls import Api
from core.domain.command import CommandSpec
from core.domain.errors import SendError

log = structlog.get_logger(__name__)

DESCRIPTION = 256
SCOPES = ("all_private_chats", "all_group_chats")


async def offer(api: Api, commands: Sequence[CommandSpec]) -> None:
    """Tell Telegram; a menu that it does not take is no reason not to listen."""
    if not commands:
        return
    for scope, listed in menus(commands).items():
        try:
            await api.call("setMyCommands", {"scope": {"type": scope}, "commands": list(listed)})
        except SendError as exc:
            log.warning("telegram.no_menu", scope=scope, reason=str(exc))


def menus(commands: Sequence[CommandSpec]) -> Mapping[str, Sequence[Mapping[str, str]]]:
    """By scope. A group's menu is shorter: what needs a number or a text is rarely right for everybody there."""
    offered = [spec for spec in commands if not spec.terminal_only]
    short = [spec for spec in offered if not spec.arguments or spec.arguments.startswith("[")]
    return {scope: [_entry(spec) for spec in found] for scope, found in zip(SCOPES, (offered, short), strict=True)}


def _entry(spec: CommandSpec) -> Mapping[str, str]:
    words = f"{spec.arguments} - {spec.summary}" if spec.arguments else spec.summary
    return {"command": spec.name, "description": words[:DESCRIPTION]}
