"""`parley render`: Markdown in, the messages that a channel would send out. No network, no store."""

import json
from typing import BinaryIO

import click

from channels import registry
from core.domain.errors import SettingsError
from core.domain.message import Markdown

SMALLEST = 50


@click.command("render")
@click.option("--to", "channel", required=True, metavar="CHANNEL", help="The channel that it would go to.")
@click.option("--limits", "given", metavar="JSON", help="Other limits than the platform's, as in '{\"text\": 500}'.")
@click.argument("file", type=click.File("rb"), default="-")
def command(channel: str, given: str | None, file: BinaryIO) -> None:
    """Print a JSON array with the parameters of each message that FILE (Markdown, - is standard input) becomes."""
    draw = registry.renderer(channel)
    fragments = [Markdown(source=file.read().decode(errors="replace"))]
    limit = _text_limit(given)
    parts = draw(fragments) if limit is None else draw(fragments, limit)
    click.echo(json.dumps([dict(part.payload) for part in parts], indent=2))


def _text_limit(given: str | None) -> int | None:
    """The length of a message; None where the platform's own holds."""
    if given is None:
        return None
    try:
        limits = json.loads(given)
    except ValueError as error:
        raise SettingsError(f"--limits is no JSON: {error}") from None
    if not isinstance(limits, dict) or set(limits) - {"text"}:
        raise SettingsError("--limits has to be a JSON object with the key text, as in '{\"text\": 500}'")
    text = limits.get("text", 0)
    if not isinstance(text, int) or isinstance(text, bool) or 0 < text < SMALLEST or text < 0:
        raise SettingsError(f"--limits: text has to be 0 for none, or a number of characters from {SMALLEST} on")
    return text
