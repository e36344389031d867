"""The command line: a table of verbs, each loaded when it is called, so that help costs nothing.

Exit codes: 0 done, 1 the operation failed, 2 usage or configuration error, 130 interrupted, 141 nobody reads on.
"""

import importlib
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
from types import MappingProxyType
from typing import Final, TextIO

import click

from core.domain.errors import ParleyError, SettingsError
from gateway import VERSION

FAILED: Final = 1
MISCONFIGURED: Final = 2
INTERRUPTED: Final = 130
BROKEN_PIPE: Final = 141
# Standard error has the last of the three numbers.
LAST_STREAM: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Verb:
    """One verb: the module whose `command` performs it, and its line in the help. An alias has no line."""

    module: str
    summary: str
    alias: bool = False


VERBS: Mapping[str, Verb] = MappingProxyType(
    {
        "chat": Verb(module="gateway.cli.chat", summary="talk in this terminal (also: agent)"),
        "agent": Verb(module="gateway.cli.chat", summary="the same as chat", alias=True),
        "run": Verb(module="gateway.cli.run", summary="run the gateway in the foreground"),
        "status": Verb(module="gateway.cli.status", summary="how it is going, on one screen"),
        "inbox": Verb(module="gateway.cli.inbox", summary="what came in (list, show)"),
        "outbox": Verb(module="gateway.cli.outbox", summary="what goes out (list, show, retry, drop)"),
        "sessions": Verb(module="gateway.cli.sessions", summary="the conversations (list, show)"),
        "approvals": Verb(
            module="gateway.cli.approvals", summary="calls that need leave (list, show, approve, deny, revoke)"
        ),
        "pairing": Verb(module="gateway.cli.pairing", summary="who may write to it (list, approve, revoke)"),
        "trace": Verb(module="gateway.cli.trace", summary="the life of one message"),
        "read": Verb(module="gateway.cli.read", summary="what a raw event of a platform means"),
        "render": Verb(module="gateway.cli.render", summary="Markdown as a channel would send it"),
        "models": Verb(module="gateway.cli.models", summary="the models (list, add local)"),
        "agents": Verb(module="gateway.cli.agents", summary="the agents (list, show, check)"),
        "skills": Verb(module="gateway.cli.skills", summary="the skills (list, show, check)"),
        "onboard": Verb(module="gateway.cli.onboard", summary="set up channels (also: init, setup)"),
        "init": Verb(module="gateway.cli.onboard", summary="the same as onboard", alias=True),
        "setup": Verb(module="gateway.cli.onboard", summary="the same as onboard", alias=True),
        "doctor": Verb(module="gateway.cli.doctor", summary="what is wrong here, and what to do about it"),
        "channels": Verb(
            module="gateway.cli.channels", summary="the configured accounts, and what a channel can print"
        ),
        "config": Verb(module="gateway.cli.config", summary="the settings (show, validate, schema, apply)"),
    }
)


class Verbs(click.Group):
    """Finds a verb in the table; its module is imported only when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The verbs in the order of the table."""
        return [name for name, verb in VERBS.items() if not verb.alias]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Imports the verb's module."""
        verb = VERBS.get(cmd_name)
        if verb is None:
            return None
        command = importlib.import_module(verb.module).command
        if not isinstance(command, click.Command):
            raise TypeError(f"{verb.module}.command is not a command")
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does it, with a hint for a misspelt verb."""
        close = get_close_matches(args[0], VERBS, n=1)
        if args[0] not in VERBS and close and not args[0].startswith("-"):
            ctx.fail(f"There is no verb {click.unstyle(args[0])!r}. Did you mean {close[0]}?")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the table without loading anything."""
        with formatter.section("Verbs"):
            formatter.write_dl([(name, VERBS[name].summary) for name in self.list_commands(ctx)])


parley = Verbs(
    name="parley",
    help="One assistant in every conversation. Every verb has --help.",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    subcommand_metavar="VERB ...",
)
parley = click.version_option(VERSION, prog_name="parley")(parley)


def main() -> None:
    """The console script."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str], verbs: click.Group = parley) -> int:
    """Perform one command line and give its exit code. An expected error is one line on standard error."""
    _fill_up_streams()
    try:
        return _perform(arguments, verbs)
    except BaseExceptionGroup as group:
        found = _expected(group)
        if found is None:
            raise
        return _tell(found)
    except (ParleyError, KeyboardInterrupt, BrokenPipeError) as error:
        return _tell(error)
    except OSError as error:
        if not _came_of_printing(error):
            raise
        return _tell(error)
    finally:
        for stream in (sys.stdout, sys.stderr):
            _let_go(stream)


def _perform(arguments: Sequence[str], verbs: click.Group) -> int:
    try:
        with verbs.make_context("parley", list(arguments)) as context:
            verbs.invoke(context)
            if sys.stdout is not None:
                sys.stdout.flush()
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.Abort:
        return INTERRUPTED
    except click.ClickException as error:
        with suppress(OSError):
            error.show()
        return error.exit_code
    return 0


def _expected(group: BaseExceptionGroup[BaseException]) -> ParleyError | KeyboardInterrupt | BrokenPipeError | None:
    """What a task group wrapped, if all of it is expected: the first of it says enough."""
    expected, other = group.split((ParleyError, KeyboardInterrupt, BrokenPipeError))
    if other is not None or expected is None:
        return None
    first: BaseException = expected
    while isinstance(first, BaseExceptionGroup):
        first = first.exceptions[0]
    return first if isinstance(first, ParleyError | KeyboardInterrupt | BrokenPipeError) else None


def _came_of_printing(error: OSError) -> bool:
    """Whether the output refused it: all that is printed is printed by click, and flushed once more at the end."""
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    return place is not None and place.tb_frame.f_code in (click.echo.__code__, _perform.__code__)


def _tell(error: ParleyError | KeyboardInterrupt | OSError) -> int:
    code, text = FAILED, str(error)
    match error:
        case KeyboardInterrupt():
            return INTERRUPTED
        case BrokenPipeError():
            return BROKEN_PIPE
        case OSError():
            text = f"the standard output cannot be written: {error.strerror}"
        case SettingsError():
            code = MISCONFIGURED
        case _:
            pass
    # When the errors cannot be written either, the exit code has to do.
    with suppress(OSError):
        click.echo(f"parley: {_one_line(text)}", err=True)
    return code


def _one_line(text: str) -> str:
    return "".join(c if c.isprintable() else " " for c in " ".join(text.split()))


def _fill_up_streams() -> None:
    """A process may be started without some of the standard streams.

    Their numbers are taken, so that no file that is opened later becomes what others print to; and libraries find
    something to print errors to. That an input or output was missing can still be seen by `sys.__stdin__` and the like.
    """
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= LAST_STREAM:
        pass
    os.close(descriptor)
    if sys.stderr is None:
        sys.stderr = os.fdopen(LAST_STREAM, "w", closefd=False)


def _let_go(stream: TextIO | None) -> None:
    """What it does not take is lost, or the interpreter's own last flush would complain and change the exit code."""
    if stream is None:
        return
    try:
        stream.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
