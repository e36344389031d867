"""`parley run`: the gateway as a service in the foreground."""

import sys

import click

from core.domain.errors import ParleyError, SettingsError
from core.store.lock import FileLock
from gateway.cli.opening import logging_of, opened
from gateway.cli.process import run_to_the_end
from gateway.service import NoneStarts, Outside, serve
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
    outside, why = Outside(), list[str]()

    async def work() -> int:
        try:
            return await serve(settings, place_of(settings, window=False), outside)
        except NoneStarts as none:
            why.append(str(none))
            return 0

    code = run_to_the_end(logging_of(settings), work(), hang_up=outside.again.set)
    return _in_terminal(settings, why[0]) if why else code


def _in_terminal(settings: Settings, why: str) -> int:
    """No channel runs, so the terminal takes their place where there is one."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise SettingsError(f"{why}, and there is no terminal: add a section [channels.NAME] to {settings.file}")
    wish = Wish()
    logging = logging_of(settings, window=in_front(settings, wish))
    place = place_of(settings, window=False)
    return run_to_the_end(logging, talk(settings, wish, place, why=f"{why}, so this terminal is the channel."))
