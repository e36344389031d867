"""Telegram's own menu of commands, made from the registry."""

from collections.abc import Mapping, Sequence

from core.domain.command import CommandSpec

DESCRIPTION = 256
SCOPES = ("all_private_chats", "all_group_chats")


def menus(commands: Sequence[CommandSpec]) -> Mapping[str, Sequence[Mapping[str, str]]]:
    """By scope. A group's menu is shorter: what needs a number or a text is rarely right for everybody there."""
    offered = [spec for spec in commands if not spec.terminal_only]
    short = [spec for spec in offered if not spec.arguments or spec.arguments.startswith("[")]
    return {scope: [_entry(spec) for spec in found] for scope, found in zip(SCOPES, (offered, short), strict=True)}


def _entry(spec: CommandSpec) -> Mapping[str, str]:
    words = f"{spec.arguments} - {spec.summary}" if spec.arguments else spec.summary
    return {"command": spec.name, "description": words[:DESCRIPTION]}
