"""`parley inbox`: what came in."""

import click

from core.domain.errors import ParleyError
from core.store import listing
from gateway.cli.opening import opened
from gateway.cli.output import say, say_json
from gateway.cli.reading import ask
from gateway.cli.records import facts, inbox_text, record


@click.group("inbox")
def command() -> None:
    """Look at what came in."""


@command.command("list")
@click.option("--limit", type=click.IntRange(1, listing.MOST), default=20, show_default=True, help="How many.")
@click.option("--json", "as_document", is_flag=True, help="Print JSON.")
def list_inbox(limit: int, as_document: bool) -> None:
    """Print the newest messages and what became of them."""
    lines = ask(opened(), lambda store: store.read(listing.inbox, limit)) or []
    if as_document:
        say_json([record(line) for line in lines])
    else:
        say(inbox_text(lines, None))


@command.command()
@click.argument("name", metavar="ID")
@click.option("--json", "as_document", is_flag=True, help="Print JSON.")
def show(name: str, as_document: bool) -> None:
    """Print one message in full: by our id or the platform's event key."""
    line = ask(opened(), lambda store: store.read(listing.inbox_one, name))
    if line is None:
        raise ParleyError(f"there is no message {name}: parley inbox list shows the newest")
    if as_document:
        say_json(record(line))
    else:
        say(facts(record(line)))
