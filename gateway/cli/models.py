"""`parley models`: which models there are, which one answers, and adding one that runs on this machine."""

import click

from core.models.entry import ModelEntry
from core.models.local import require_engine
from core.models.registry import Active
from gateway.cli.active import active_model
from gateway.cli.local_model import LOCAL_NAME, fetched, with_local
from gateway.cli.opening import opened
from gateway.cli.output import say, say_json, table
from gateway.redaction import redact
from gateway.settings import Settings
from gateway.settings_edit import write


@click.group("models")
def command() -> None:
    """List the models, or add one."""


@command.command("list")
@click.option("--json", "as_document", is_flag=True, help="Print JSON.")
def list_models(as_document: bool) -> None:
    """Print every model of parley.toml, the active one marked; without any, the one that was found."""
    settings = opened()
    entries = settings.model_entries()
    active = active_model(settings)
    if as_document:
        say_json({"active": active_as_json(active), "models": [as_json(entry, settings) for entry in entries]})
        return
    if entries:
        say(listing(entries, active, settings))
    say(f"{active.name} ({active.model}) answers: {active.why}.")
    if not entries:
        say(f"To choose a model, add [models.NAME] to {settings.file}, or run: parley models add local")


@command.group()
def add() -> None:
    """Add a model."""


@add.command("local")
def add_local() -> None:
    """Fetch a small model (98 MB) that runs on this machine, and add it as [models.local]."""
    settings = opened()
    require_engine()
    text = with_local(settings)
    say("Fetching the weights ...")
    say(f"{fetched(settings)} is there.")
    if text is None:
        say(f"{settings.file} has [models.local] already.")
        return
    write(settings.file, text)
    say(f"Added [models.local] to {settings.file}.")
    if settings.models and settings.model != LOCAL_NAME:
        say(f'To make it the default, set model = "{LOCAL_NAME}" there; /model {LOCAL_NAME} chooses it for one chat.')


def listing(entries: tuple[ModelEntry, ...], active: Active, settings: Settings) -> str:
    """The models as a table."""
    header = ("", "name", "model", "window", "output", "$/M in", "$/M out", "key")
    return table(
        header,
        [
            (
                "*" if entry.name == active.name else "",
                entry.name,
                entry.model,
                entry.window,
                entry.output,
                entry.price_in,
                entry.price_out,
                key_state(entry, settings),
            )
            for entry in entries
        ],
    )


def as_json(entry: ModelEntry, settings: Settings) -> dict[str, object]:
    """One model for programs."""
    return {
        "name": entry.name,
        "model": entry.model,
        "api_base": entry.api_base and redact(entry.api_base, settings.secrets),
        "key": key_state(entry, settings),
        "window": entry.window,
        "output": entry.output,
        "price_in": entry.price_in,
        "price_out": entry.price_out,
        "scope": entry.scope,
        "strength": entry.strength,
        "priority": entry.priority,
        "vision": entry.vision,
    }


def active_as_json(active: Active) -> dict[str, object]:
    """The model that answers, for programs."""
    return {"name": active.name, "model": active.model, "why": active.why}


def key_state(entry: ModelEntry, settings: Settings) -> str:
    """Whether the model has a key; never the key."""
    if entry.api_key is not None:
        return "set"
    variable = settings.models[entry.name].api_key_env
    return f"{variable} is not set" if variable else "none"
