"""`parley config`: what is set, whether it is right, and what can be set."""

import click

from core.tools.fetch import Fetch
from core.tools.registry import shipped
from gateway.cli.opening import opened
from gateway.cli.output import say, say_json
from gateway.cli.shown import as_json, as_toml, rows, schema


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


@command.command("schema")
def print_schema() -> None:
    """Print the JSON schema of parley.toml."""
    say_json(schema())
