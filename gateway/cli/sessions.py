"""`parley sessions`: the conversations of all chats."""

from datetime import tzinfo

import click

from core.domain.errors import ParleyError
from core.store import listing, session_listing
from core.store.session import Line
from core.store.session_listing import SessionLine
from core.validation import printable
from gateway.cli.opening import opened
from gateway.cli.output import say, say_json, table
from gateway.cli.reading import ask
from gateway.cli.records import LONGEST_FACT, chat_name, facts, moment, record


@click.group("sessions")
def command() -> None:
    """Look at conversations: what /new, /resume and /undo made of what was said."""


@command.command("list")
@click.option("--limit", type=click.IntRange(1, listing.MOST), default=20, show_default=True, help="How many.")
@click.option("--json", "as_document", is_flag=True, help="Print JSON.")
def list_sessions(limit: int, as_document: bool) -> None:
    """Print the conversations of all chats, those first in which somebody spoke last."""
    lines = ask(opened(), lambda store: store.read(session_listing.newest, limit)) or []
    if as_document:
        say_json([record(line) for line in lines])
    else:
        header = ("id", "chat", "number", "last message", "messages", "first words")
        say(table(header, [_row(line, None) for line in lines]))


@command.command()
@click.argument("name", metavar="ID")
@click.option("--json", "as_document", is_flag=True, help="Print JSON.")
def show(name: str, as_document: bool) -> None:
    """Print the conversation in which a message was said: by our id of any message of it, or its event key."""
    found = ask(opened(), lambda store: store.read(session_listing.talk, name))
    if found is None:
        raise ParleyError(f"there is no conversation with a message {name}: parley sessions list shows the newest")
    if as_document:
        say_json({**record(found.session), "lines": [record(line) for line in found.lines]})
        return
    say(
        facts(
            {
                **record(found.session),
                "began": moment(found.session.began, None),
                "last": moment(found.session.last, None),
            }
        )
    )
    for line in found.lines:
        say(f"\n{moment(line.at, None)}  {_who(line)}\n{_indented(line.text)}")


def _row(line: SessionLine, zone: tzinfo | None) -> tuple[object, ...]:
    number = f"{line.number} (current)" if line.current else line.number
    messages = f"{line.messages} ({line.hidden} undone)" if line.hidden else line.messages
    return (line.id, chat_name(line.chat), number, moment(line.last, zone), messages, line.words)


def _who(line: Line) -> str:
    return printable(line.sender) if line.mine else "Parley"


def _indented(text: str) -> str:
    """Each line of what was said behind four spaces, so that none passes for one of ours."""
    return "\n".join(f"    {printable(line, LONGEST_FACT)}" for line in text.splitlines())
