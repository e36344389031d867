"""`parley trace`: one message from the platform's event to the receipt."""

import click

from core.domain.errors import ParleyError
from core.store import listing
from gateway.cli.opening import opened
from gateway.cli.output import say, say_json
from gateway.cli.reading import ask
from gateway.cli.records import trace_record, trace_text


@click.command("trace")
@click.argument("name", metavar="ID")
@click.option("--json", "as_document", is_flag=True, help="Print JSON, the texts included.")
def command(name: str, as_document: bool) -> None:
    """Print the life of one message: by our id or the platform's event key."""
    found = ask(opened(), lambda store: store.read(listing.trace, name))
    if found is None:
        raise ParleyError(f"there is no message {name}: parley inbox list shows the newest")
    if as_document:
        say_json(trace_record(found))
    else:
        say(trace_text(found, None))
