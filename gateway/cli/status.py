"""`parley status`: one screen on how it is going."""

import click

from core.runtime.ambient import SystemClock
from core.store import listing
from core.store.lock import FileLock
from gateway.cli.active import active_model
from gateway.cli.opening import opened
from gateway.cli.output import say, say_json
from gateway.cli.reading import ask
from gateway.cli.records import overview_record, overview_text
from gateway.home import WORKER_LOCK
from gateway.settings import Settings


@click.command("status")
@click.option("--json", "as_document", is_flag=True, help="Print JSON.")
def command(as_document: bool) -> None:
    """Print who works, the channels, the model, what waits and what failed last."""
    settings = opened()
    overview = ask(settings, lambda store: store.read(listing.overview))
    active = active_model(settings)
    if as_document:
        store = overview_record(overview) if overview else None
        say_json({"worker": worker(settings), "channels": channels(settings), "model": active.name, "store": store})
        return
    pid = worker(settings)
    say(f"gateway   {f'process {pid}' if pid else 'not running'}")
    say(f"channels  {', '.join(f'{name} {state}' for name, state in channels(settings).items()) or 'none configured'}")
    say(f"model     {active.name} ({active.model}): {active.why}")
    say(overview_text(overview, SystemClock().now(), None) if overview else "store     empty: nothing was ever said")


def worker(settings: Settings) -> int | None:
    """The process that works on the store right now."""
    lock = FileLock(settings.home.path / WORKER_LOCK)
    return lock.holder() if lock.taken() else None


def channels(settings: Settings) -> dict[str, str]:
    """Each configured channel and whether it is on."""
    return {name: "on" if channel.common.enabled else "off" for name, channel in settings.channels.items()}
