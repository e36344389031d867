"""`parley skills`: which skills there are, what one says, and what is wrong with any."""

from collections.abc import Iterator, Sequence

import click

from core.catalog.skills import FolderSkills, ListedSkill, excess
from core.domain.errors import ToolError
from gateway.cli.opening import opened
from gateway.cli.output import complain, say, say_json, table
from gateway.resources import skill_folders
from gateway.settings import Settings


@click.group("skills")
def command() -> None:
    """List, show or check the skills."""


@command.command("list")
@click.option("--json", "as_document", is_flag=True, help="Print JSON.")
def list_skills(as_document: bool) -> None:
    """Print every skill, with what it misses or what is wrong."""
    listed = catalog(opened()).list()
    if as_document:
        say_json([as_json(one) for one in listed])
        return
    say(table(("name", "state", "for"), [_row(one) for one in listed]))


@command.command()
@click.argument("name")
@click.option("--json", "as_document", is_flag=True, help="Print JSON.")
def show(name: str, as_document: bool) -> None:
    """Print one skill whole, as an agent that loads it reads it."""
    skills = catalog(opened())
    listed = next((one for one in skills.list() if one.name == name), None)
    if listed is None or listed.skill is None:
        skills.load(name)
        raise ToolError(f"the skill {name} cannot be read")
    if as_document:
        say_json({**as_json(listed), "instructions": listed.skill.body})
        return
    missing = f"\n  missing: {', '.join(listed.skill.missing)}" if listed.skill.missing else ""
    say(f"{name}: {listed.skill.description}\n  folder: {listed.folder}{missing}\n\n{listed.skill.body}")


@command.command()
@click.option("--json", "as_document", is_flag=True, help="Print JSON.")
@click.pass_context
def check(context: click.Context, as_document: bool) -> None:
    """Read every skill and say what is wrong; exit code 2 when anything is."""
    found = list(problems(catalog(opened()).list()))
    if as_document:
        say_json({"problems": found})
    for problem in () if as_document else found:
        complain(problem)
    if found:
        context.exit(2)
    if not as_document:
        say("Every skill is right.")


def catalog(settings: Settings) -> FolderSkills:
    """The skills of this home and those that ship."""
    return FolderSkills(skill_folders(settings.home), settings.env.get)


def problems(listed: Sequence[ListedSkill]) -> Iterator[str]:
    """What is wrong with any skill. That it misses something is no mistake in it."""
    for one in listed:
        if one.problem:
            yield one.problem
        yield from excess(one.folder)


def as_json(one: ListedSkill) -> dict[str, object]:
    """One skill for programs."""
    return {
        "name": one.name,
        "folder": str(one.folder),
        "description": one.skill.description if one.skill else None,
        "always": one.skill.always if one.skill else None,
        "missing": list(one.skill.missing) if one.skill else [],
        "notes": list(one.notes),
        "problem": one.problem,
    }


def _row(one: ListedSkill) -> Sequence[object]:
    if one.skill is None:
        return (one.name, "broken", one.problem)
    state = one.skill.unavailable or ("always" if one.skill.always else "ready")
    return (one.name, state, "; ".join([one.skill.description, *one.notes]))
