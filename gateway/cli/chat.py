"""`parley chat`: the terminal channel, and the whole gateway for it when nobody else works on the store."""

import sys

import click

from channels.terminal.settings import SESSION_FORM, names_session
from gateway.cli.opening import logging_of, opened
from gateway.cli.process import run_to_the_end
from gateway.windows import Wish, in_front, talk
from gateway.wiring import place_of


def a_session(context: click.Context, parameter: click.Parameter, name: str | None) -> str | None:
    """The name as it is. Raises BadParameter with the right form."""
    if name is not None and not names_session(name):
        raise click.BadParameter(f"a name has {SESSION_FORM}")
    return name


@click.command("chat")
@click.option("-m", "--message", metavar="TEXT", help="Say this, print the answer, leave; - says the whole input.")
@click.option(
    "--session", metavar="NAME", callback=a_session, help="The conversation of this window.  [default: default]"
)
@click.option("--resume", is_flag=True, help="Show the conversation so far, and what arrived meanwhile.")
def command(message: str | None, session: str | None, resume: bool) -> None:
    """Talk in this terminal. Lines from a pipe are messages, and only replies go to standard output."""
    settings = opened()
    wish = Wish(session=session, message=message, resume=resume)
    logging = logging_of(settings, window=in_front(settings, wish))
    sys.exit(run_to_the_end(logging, talk(settings, wish, place_of(settings, window=True))))
