"""`parley pairing`: who asks to be let in, and who was."""

from dataclasses import asdict

import click

from core.domain.chat import Principal, Role
from core.domain.errors import ParleyError
from core.domain.texts import Texts
from core.store import listing, pairing, revoking
from gateway.cli.opening import opened
from gateway.cli.output import say, say_json, table
from gateway.cli.reading import ask
from gateway.cli.records import moment


@click.group("pairing")
def command() -> None:
    """Let people in who have written to it, and out again."""


@command.command("list")
@click.option("--json", "as_document", is_flag=True, help="Print JSON.")
def list_pairings(as_document: bool) -> None:
    """Print who has a code that still works, and who was let in."""
    found = ask(opened(), lambda store: store.read(pairing.listed, listing.MOST)) or []
    if as_document:
        say_json([asdict(one) for one in found])
        return
    header = ("number", "channel", "account", "id", "name", "role", "since")
    rows = [
        (one.id, one.channel, one.account, one.user_id, one.name, one.role or "asks", moment(_since(one), None))
        for one in found
    ]
    say(table(header, rows))


@command.command()
@click.argument("code", metavar="CODE")
@click.option("--role", type=click.Choice(["member", "owner"]), default="member", show_default=True)
def approve(code: str, role: str) -> None:
    """Let in whoever got this code: to write alone, not in groups. An owner is one everywhere."""
    person = ask(opened(), lambda store: store.run(pairing.approve, code, Role(role)))
    if person is None:
        raise ParleyError("there is no such code, or it is over an hour old: let the person write again for a new one")
    say(f"{_named(person)} may write now, as {role}.")


@command.command()
@click.argument("number", metavar="NUMBER", type=int)
def revoke(number: int) -> None:
    """Take it back, and stop what runs for that person."""
    settings = opened()
    found = ask(settings, lambda store: store.run(revoking.revoke, number, Texts(settings.texts)))
    if found is None:
        raise ParleyError(f"nobody of number {number} was let in: parley pairing list shows them")
    person, stopped = found
    say(f"{_named(person)} may not write any more. Turns stopped: {stopped}.")


def _since(one: pairing.Pairing) -> int:
    return one.approved_at or one.asked_at


def _named(person: Principal) -> str:
    return f"{person.name or person.user_id} ({person.user_id}) in {person.channel}"
