"""`parley config`: what is set, whether it is right, and what can be set."""

import os
import signal
import time
from typing import Final

import click

from core.domain.errors import ParleyError, SettingsError
from core.tools.fetch import Fetch
from core.tools.registry import shipped
from gateway.cli.opening import opened
from gateway.cli.output import say, say_json
from gateway.cli.service import process, report
from gateway.cli.shown import as_json, as_toml, rows, schema

APPLY_WITHIN_S: Final = 60.0
APPLY_POLL_S: Final = 0.05


@click.group("config")
def command() -> None:
    """Show or check the settings."""


@command.command()
@click.option("--json", "as_document", is_flag=True, help="Print JSON.")
def show(as_document: bool) -> None:
    """Print every setting in force and where it comes from. Secrets are masked."""
    settings = opened()
    found = rows(settings)
    if as_document:
        origins = {row.key: row.origin for row in found}
        say_json({"file": str(settings.file), "settings": as_json(found), "origins": origins})
        return
    say(f"# {settings.file}{'' if settings.file.exists() else ' (not there: every value is the default)'}")
    say(as_toml(found))


@command.command()
@click.option("--json", "as_document", is_flag=True, help="Print JSON.")
def validate(as_document: bool) -> None:
    """Check parley.toml and the PARLEY_ variables; one line says what to change."""
    settings = opened()
    settings.require_tools(shipped(Fetch()))
    if as_document:
        say_json({"file": str(settings.file), "valid": True, "notices": list(settings.notices)})
        return
    say(f"{settings.file}: {'valid' if settings.file.exists() else 'not there, the defaults are used'}")


@command.command()
@click.option("--json", "as_document", is_flag=True, help="Print JSON.")
def apply(as_document: bool) -> None:
    """Let the running gateway take changed settings over; only channels that changed start anew."""
    settings = opened()
    settings.require_tools(shipped(Fetch()))
    pid, before = process(settings), report(settings)
    if pid is None or before is None:
        raise ParleyError("parley run serves no channel now: it reads the settings when it starts")
    os.kill(pid, signal.SIGHUP)
    until = time.monotonic() + APPLY_WITHIN_S
    while (after := report(settings)) is None or after.read_at == before.read_at:
        if time.monotonic() > until:
            raise ParleyError(f"process {pid} did not say within {APPLY_WITHIN_S:g} s that it took them: see its log")
        time.sleep(APPLY_POLL_S)
    if after.problem:
        raise SettingsError(after.problem)
    if as_document:
        say_json({"process": pid, "notes": list(after.notes)})
        return
    say("\n".join(after.notes) or "no channel had to start anew")


@command.command("schema")
def print_schema() -> None:
    """Print the JSON schema of parley.toml."""
    say_json(schema())
