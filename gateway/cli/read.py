"""`parley read`: what a raw event of a platform means to Parley. No network, no store."""

import json
from collections.abc import Mapping
from typing import BinaryIO

import click

from channels import registry
from channels.contract import AnySpec, Seen
from core.decide.commands import parse
from core.domain.command import COMMANDS, CommandCall
from core.domain.errors import SettingsError
from core.domain.message import Dropped, Inbound, InboundKind
from gateway.settings import Settings, from_process

JsonObject = dict[str, object]


@click.command("read")
@click.option("--from", "channel", required=True, metavar="CHANNEL", help="The channel that the event came from.")
@click.option("--self", "told", metavar="JSON", help="What the platform calls us: a JSON object with its own keys.")
@click.option("--bots", is_flag=True, help="What other programs say counts too, as with allow_bots.")
@click.argument("file", type=click.File("rb"))
def command(channel: str, told: str | None, bots: bool, file: BinaryIO) -> None:
    """Print one JSON line for each event in FILE (- is standard input): the message that it is, or why it is none."""
    spec = registry.load(channel)
    if spec.read is None:
        raise SettingsError(f"the channel {channel} reads no files")
    me = _object(told) if told is not None else _own(spec)
    for seen in spec.read(file.read(), me, bots=bots):
        click.echo(json.dumps(as_json(seen)))


def as_json(seen: Seen) -> JsonObject:
    """The event in the form that is the same for every channel, and what this one reads besides."""
    match seen.event:
        case Dropped(reason=reason):
            return {"dropped": reason}
        case Inbound() as inbound:
            return {"inbound": _said(inbound) | dict(seen.more)}


def _said(inbound: Inbound) -> JsonObject:
    call = _command(inbound)
    return {
        "chat": {
            "channel": inbound.chat.channel,
            "account": inbound.chat.account,
            "chat_id": inbound.chat.chat_id,
            "thread_id": inbound.chat.thread_id,
        },
        "sender": {
            "id": inbound.sender.user_id,
            "name": inbound.sender.name,
            "kind": inbound.sender.kind.value,
        },
        "kind": (InboundKind.COMMAND if call else inbound.kind).value,
        "text": inbound.content,
        "command": call.name if call else None,
        "args": call.arguments if call else None,
        "attachments": [
            {"name": one.name, "type": one.media_type, "size": one.size, "caption": one.caption}
            for one in inbound.attachments
        ],
        "event_key": inbound.event_key,
        "reply_to": inbound.reply_to,
        "addressed": inbound.addressed,
        "at": inbound.at,
    }


def _command(inbound: Inbound) -> CommandCall | None:
    if inbound.kind not in (InboundKind.MESSAGE, InboundKind.COMMAND):
        return None
    specs = tuple(spec for spec in COMMANDS if not spec.terminal_only)
    found = parse(inbound.content, specs)
    return found if isinstance(found, CommandCall) else None


def _object(text: str) -> Mapping[str, object]:
    try:
        value = json.loads(text)
    except ValueError as error:
        raise SettingsError(f"--self is no JSON: {error}") from None
    if not isinstance(value, dict):
        raise SettingsError('--self has to be a JSON object, as in \'{"id": "42"}\'')
    return value


def _own(spec: AnySpec) -> Mapping[str, object] | None:
    """What the settings tell of ourselves, where there are any of this channel."""
    if spec.own is None:
        return None
    section = _settings_of(from_process(), spec.name)
    return None if section is None else spec.own(section)


def _settings_of(settings: Settings, channel: str) -> object | None:
    section = settings.channels.get(channel)
    return section.own if section else None
