"""`parley agents`: which agents there are, what one is made of, and what is wrong with any."""

from collections.abc import Collection, Iterator, Sequence

import click

from core.catalog.agents import FolderAgents, Listed
from core.tools.fetch import Fetch
from core.tools.registry import shipped
from core.validation import unknown
from gateway.answering import refusals
from gateway.cli.opening import opened
from gateway.cli.output import complain, say, say_json, table
from gateway.resources import agent_folders
from gateway.settings import Settings


@click.group("agents")
def command() -> None:
    """List, show or check the agents."""


@command.command("list")
@click.option("--json", "as_document", is_flag=True, help="Print JSON.")
def list_agents(as_document: bool) -> None:
    """Print every agent, the broken ones with what is wrong."""
    listed = catalog(opened()).list()
    if as_document:
        say_json([as_json(one) for one in listed])
        return
    say(table(("id", "name", "type", "for"), [_row(one) for one in listed]))


@command.command()
@click.argument("agent_id", metavar="ID")
@click.option("--json", "as_document", is_flag=True, help="Print JSON.")
def show(agent_id: str, as_document: bool) -> None:
    """Print one agent: its folder, tools, model and whole instructions."""
    agents = catalog(opened())
    definition = agents.get(agent_id)
    listed = next(one for one in agents.list() if one.id == agent_id)
    if as_document:
        say_json({**as_json(listed), "instructions": definition.instructions})
        return
    say(f"{definition.name} ({definition.id})")
    say(f"  folder: {listed.folder}")
    say(f"  tools: {', '.join(definition.tools) or 'none'}")
    say(f"  model: {definition.model or 'that of the chat'}")
    say(f"\n{definition.instructions}")


@command.command()
@click.option("--json", "as_document", is_flag=True, help="Print JSON.")
@click.pass_context
def check(context: click.Context, as_document: bool) -> None:
    """Read every agent and say what is wrong; exit code 2 when anything is."""
    settings = opened()
    found = list(problems(settings, catalog(settings), shipped(Fetch())))
    if as_document:
        say_json({"problems": found})
    for problem in () if as_document else found:
        complain(problem)
    if found:
        context.exit(2)
    if not as_document:
        say("Every agent is right.")


def catalog(settings: Settings) -> FolderAgents:
    """The agents of this home and those that ship."""
    return FolderAgents(agent_folders(settings.home))


def problems(settings: Settings, agents: FolderAgents, tools: Collection[str]) -> Iterator[str]:
    """What is wrong with any agent, by itself and against what it names."""
    for one in agents.list():
        if one.meta is None:
            yield one.problem or f"{one.folder} cannot be read"
            continue
        place = one.folder / "meta.json"
        for name in one.meta.tools:
            if name not in tools:
                yield f"{place}: tools: {name} {unknown(name, tools)}"
        if one.meta.client is not None and one.meta.client not in settings.models:
            yield f"{place}: client (or model): {one.meta.client} {unknown(one.meta.client, settings.models)}"
    yield from map(str, refusals(settings, agents))


def as_json(one: Listed) -> dict[str, object]:
    """One agent for programs."""
    meta = one.meta
    return {
        "id": one.id,
        "folder": str(one.folder),
        "name": meta.name if meta else None,
        "type": meta.type if meta else None,
        "description": meta.description if meta else None,
        "tools": list(meta.tools) if meta else [],
        "model": meta.client if meta else None,
        "problem": one.problem,
    }


def _row(one: Listed) -> Sequence[object]:
    if one.meta is None:
        return (one.id, "", "broken", one.problem)
    return (one.id, one.meta.name, one.meta.type, one.meta.friendly_description or one.meta.description)
