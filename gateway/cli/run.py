"""`parley run`: the gateway as a service in the foreground."""

import sys

import click

from core.domain.errors import ParleyError, SettingsError
from core.store.lock import FileLock
from gateway.cli.opening import logging_of, opened
from gateway.cli.process import run_to_the_end
from gateway.settings import Settings
from gateway.windows import Wish, in_front, talk
from gateway.wiring import SERVICE_LOCK, place_of


@click.command("run")
def command() -> None:
    """Run the gateway until it is told to end. One process a store; windows work beside it."""
    settings = opened()
    service = FileLock(settings.home.path / SERVICE_LOCK)
    if not service.acquire(patience_s=0.2):
        raise ParleyError(f"parley run works on {settings.database} already (process {service.holder()}): end it first")
    try:
        sys.exit(_run(settings))
    finally:
        service.release()


def _run(settings: Settings) -> int:
    """No channel beside the terminal is there yet, so the terminal takes its place where there is one."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise SettingsError(
            f"{settings.file}: no channel is configured and there is no terminal: add a section [channels.NAME]"
        )
    why = f"No channel is configured in {settings.file}, so this terminal is the channel."
    wish = Wish()
    logging = logging_of(settings, window=in_front(settings, wish))
    return run_to_the_end(logging, talk(settings, wish, place_of(settings, window=False), why=why))
