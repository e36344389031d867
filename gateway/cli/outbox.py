"""`parley outbox`: what goes out, and what could not."""

import click

from core.domain.delivery import DeliveryState
from core.domain.errors import ParleyError
from core.runtime.ambient import SystemClock
from core.store import listing, redrive
from gateway.cli.opening import opened
from gateway.cli.output import say, say_json
from gateway.cli.reading import ask
from gateway.cli.records import facts, going_text, outbox_text, record


@click.group("outbox")
def command() -> None:
    """Look at what goes out; send a dead letter again, or drop one."""


@command.command("list")
@click.option("--state", type=click.Choice([state.value for state in DeliveryState]), help="Only those.")
@click.option("--limit", type=click.IntRange(1, listing.MOST), default=20, show_default=True, help="How many.")
@click.option("--json", "as_document", is_flag=True, help="Print JSON.")
def list_outbox(state: str | None, limit: int, as_document: bool) -> None:
    """Print the newest deliveries, and how many are on their way, given up, or perhaps sent twice."""
    wanted = DeliveryState(state) if state else None
    settings = opened()
    lines = ask(settings, lambda store: store.read(listing.outbox_list, limit, wanted)) or []
    if as_document:
        say_json([record(line) for line in lines])
        return
    say(outbox_text(lines, None))
    overview = ask(settings, lambda store: store.read(listing.overview))
    if overview is not None:
        say(f"\n{going_text(overview, SystemClock().now())}")


@command.command()
@click.argument("delivery", metavar="ID", type=int)
@click.option("--json", "as_document", is_flag=True, help="Print JSON.")
def show(delivery: int, as_document: bool) -> None:
    """Print one delivery in full."""
    line = ask(opened(), lambda store: store.read(listing.outbox_one, delivery))
    if line is None:
        raise ParleyError(f"there is no delivery {delivery}: parley outbox list shows the newest")
    if as_document:
        say_json(record(line))
    else:
        say(facts(record(line)))


@command.command()
@click.argument("delivery", metavar="ID", type=int)
def retry(delivery: int) -> None:
    """Send a dead delivery after all, or a waiting one now."""
    if not ask(opened(), lambda store: store.run(redrive.retry, delivery)):
        raise ParleyError(f"delivery {delivery} is neither dead nor waiting: see parley outbox show {delivery}")
    say(f"Delivery {delivery} goes out with the next pass of the gateway.")


@command.command()
@click.argument("delivery", metavar="ID", type=int)
def drop(delivery: int) -> None:
    """Never send a delivery that is still open; it stays listed as dead."""
    if not ask(opened(), lambda store: store.run(redrive.drop, delivery)):
        raise ParleyError(f"delivery {delivery} is not open: see parley outbox show {delivery}")
    say(f"Delivery {delivery} is dropped.")
