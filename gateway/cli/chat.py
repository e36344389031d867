"""`parley chat`: the terminal channel, and the whole gateway for it when nobody else works on the store."""

import sys

import click

from gateway.cli.opening import logging_of, opened
from gateway.cli.process import run_to_the_end
from gateway.windows import Wish, talk
from gateway.wiring import place_of


@click.command("chat")
@click.option("-m", "--message", metavar="TEXT", help="Say this, print the answer, leave; - says the whole input.")
@click.option("--session", metavar="NAME", help="The conversation of this window.  [default: default]")
@click.option("--resume", is_flag=True, help="Show the conversation so far, and what arrived meanwhile.")
def command(message: str | None, session: str | None, resume: bool) -> None:
    """Talk in this terminal. Lines from a pipe are messages, and only replies go to standard output."""
    settings = opened()
    wish = Wish(session=session, message=message, resume=resume)
    sys.exit(run_to_the_end(logging_of(settings, window=True), talk(settings, wish, place_of(settings, window=True))))
