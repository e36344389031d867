"""The slash commands as Discord lists them to people."""

from collections.abc import Sequence

import structlog

from channels.contract import ChannelContext
from channels.discord.rest import Refused, Rest
from core.domain.command import CommandSpec
from core.domain.errors import SendError

log = structlog.get_logger(__name__)

COMMANDS = "/applications/{application_id}/commands"
MOST_COMMANDS = 100


def menu(commands: Sequence[CommandSpec]) -> list[dict[str, object]]:
    """Each with its arguments as one line of text, which is how they are typed everywhere else."""
    return [_entry(one) for one in commands if not one.terminal_only][:MOST_COMMANDS]


def _entry(spec: CommandSpec) -> dict[str, object]:
    entry: dict[str, object] = {"name": spec.name.lower(), "type": 1, "description": spec.summary[:100], "options": []}
    if spec.arguments:
        needed = not spec.arguments.startswith("[")
        option = {"type": 3, "name": "text", "description": spec.arguments[:100], "required": needed}
        entry["options"] = [option]
    return entry


def same(ours: Sequence[dict[str, object]], theirs: object) -> bool:
    """Whether Discord lists them so already: setting them is rationed by the day."""
    found = theirs if isinstance(theirs, list) else []
    return sorted(map(_short, ours)) == sorted(_short(one) for one in found if isinstance(one, dict))


def _short(entry: dict[str, object]) -> str:
    options = entry.get("options")
    names = [(one.get("name"), one.get("required", False)) for one in options] if isinstance(options, list) else []
    return repr((entry.get("name"), entry.get("description"), names))


async def offer_commands(rest: Rest, context: ChannelContext) -> None:
    """Sets the slash commands where they are others than ours. Without them everything else works."""
    wanted = menu(context.commands)
    try:
        there = await rest.call("GET", COMMANDS, application_id=context.account)
        if not same(wanted, there):
            await rest.call("PUT", COMMANDS, wanted, application_id=context.account)
    except (Refused, SendError) as error:
        log.warning("discord.commands_not_set", why=str(error))
