"""`parley approvals`: calls that wait for a yes, and what was allowed for good."""

from dataclasses import asdict

import click

from core.decide.approval import VERDICTS
from core.domain.errors import ParleyError
from core.domain.texts import Texts
from core.store import approving, grants, listing
from gateway.cli.opening import opened
from gateway.cli.output import say, say_json, table
from gateway.cli.reading import ask
from gateway.cli.records import moment

limit_option = click.option(
    "--limit", type=click.IntRange(1, listing.MOST), default=20, show_default=True, help="How many."
)


@click.group("approvals")
def command() -> None:
    """Decide about calls that need leave, and take back what was allowed for good."""


@command.command("list")
@limit_option
@click.option("--json", "as_document", is_flag=True, help="Print JSON.")
def list_approvals(limit: int, as_document: bool) -> None:
    """Print what waits for a yes, and the grants in force."""
    settings = opened()
    waiting = ask(settings, lambda store: store.read(approving.listed, limit)) or []
    granted = ask(settings, lambda store: store.read(grants.listed, limit)) or []
    if as_document:
        say_json({"waiting": [asdict(one) for one in waiting], "grants": [asdict(one) for one in granted]})
        return
    header = ("id", "chat", "tool", "for", "until")
    say(table(header, [(one.id, one.chat, one.tool, one.asker, moment(one.deadline, None)) for one in waiting]))
    if granted:
        names = ("grant", "chat", "tool", "by", "until", "sha-256")
        rows = [
            (one.id, one.chat, one.tool, one.granted_by, moment(one.until, None), one.digest[:16]) for one in granted
        ]
        say(table(names, rows))


@command.command()
@click.argument("approval", metavar="ID", type=int)
@click.option("--json", "as_document", is_flag=True, help="Print JSON.")
def show(approval: int, as_document: bool) -> None:
    """Print exactly what would run."""
    waiting = ask(opened(), lambda store: store.read(approving.listed, listing.MOST)) or []
    found = next((one for one in waiting if one.id == approval), None)
    if found is None:
        raise ParleyError(f"there is no open approval {approval}: parley approvals list shows them")
    if as_document:
        say_json(asdict(found))
    else:
        say(f"{found.tool} for {found.asker} in {found.channel} {found.chat}\nSHA-256 {found.digest}\n\n{found.shown}")


@command.command()
@click.argument("approval", metavar="ID", type=int)
@click.option("--always", is_flag=True, help="Do not ask about exactly this again in that chat for 30 days.")
def approve(approval: int, always: bool) -> None:
    """Let a call run."""
    _decide(approval, "always" if always else "once")


@command.command()
@click.argument("approval", metavar="ID", type=int)
def deny(approval: int) -> None:
    """Do not let a call run."""
    _decide(approval, "deny")


@command.command()
@click.argument("grant", metavar="GRANT", type=int)
def revoke(grant: int) -> None:
    """Ask about it again from now on."""
    if not ask(opened(), lambda store: store.run(grants.revoke, grant)):
        raise ParleyError(f"there is no grant {grant} in force: parley approvals list shows them")
    say(f"Grant {grant} is revoked.")


def _decide(approval: int, verdict: str) -> None:
    settings = opened()
    texts = Texts(settings.texts)
    place = VERDICTS.index(verdict)
    if not ask(settings, lambda store: store.run(approving.decide, approval, place, texts)):
        raise ParleyError(f"there is no open approval {approval}: parley approvals list shows them")
    say(f"Approval {approval}: {verdict}.")
