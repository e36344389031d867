"""`parley status`: one screen on how it is going."""

import click

from core.runtime.ambient import SystemClock
from core.store import listing
from gateway.cli.active import active_model
from gateway.cli.opening import opened
from gateway.cli.output import cell, say, say_json
from gateway.cli.reading import ask
from gateway.cli.records import overview_record, overview_text
from gateway.cli.service import standing, worker


@click.command("status")
@click.option("--json", "as_document", is_flag=True, help="Print JSON.")
def command(as_document: bool) -> None:
    """Print who works, the channels, the model, what waits and what failed last."""
    settings = opened()
    overview = ask(settings, lambda store: store.read(listing.overview))
    active = active_model(settings)
    if as_document:
        store = overview_record(overview) if overview else None
        states = {row.name: row.state for row in standing(settings)}
        say_json({"worker": worker(settings), "channels": states, "model": active.name, "store": store})
        return
    pid = worker(settings)
    say(f"gateway   {f'process {pid}' if pid else 'not running'}")
    rows = standing(settings)
    say(f"channels  {', '.join(f'{row.name} {row.state}' for row in rows) or 'none configured'}")
    for row in rows:
        if row.why:
            say(f"          {row.name}: {cell(row.why)}")
    say(f"model     {active.name} ({active.model}): {active.why}")
    say(overview_text(overview, SystemClock().now(), None) if overview else "store     empty: nothing was ever said")
