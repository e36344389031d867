"""`parley channels`: the configured accounts and how they stand; what a channel itself can print."""

import click

from channels import registry
from core.domain.errors import SettingsError
from gateway.cli.opening import opened
from gateway.cli.output import say, say_json, table
from gateway.cli.service import standing

LIST = "list"


@click.command("channels", context_settings={"ignore_unknown_options": True})
@click.argument("words", nargs=-1, metavar="[list | CHANNEL [VERB ...]]")
@click.option("--json", "as_document", is_flag=True, help="Print JSON.")
def command(words: tuple[str, ...], as_document: bool) -> None:
    """List the configured accounts and how each stands.

    `parley channels CHANNEL` lists what that channel can print, `parley channels CHANNEL VERB` prints it.
    """
    settings = opened()
    if words and words[0] != LIST:
        section = settings.channels.get(words[0])
        say(_of_channel(words[0], section.own if section else None, words[1:]))
        return
    rows = standing(settings)
    if as_document:
        say_json([{"key": row.key, "account": row.account, "state": row.state, "why": row.why} for row in rows])
        return
    say(table(("channel", "account", "state", "why"), [(row.name, row.account, row.state, row.why) for row in rows]))


def _of_channel(name: str, own: object, words: tuple[str, ...]) -> str:
    spec = registry.load(name)
    if not words:
        lines = [f"{verb}  {(call.__doc__ or '').strip().splitlines()[0]}" for verb, call in spec.verbs.items()]
        return "\n".join(lines) or f"{name} has no verbs of its own"
    verb = spec.verbs.get(words[0])
    if verb is None:
        known = ", ".join(spec.verbs) or "none"
        raise SettingsError(f"parley channels {name}: there is no verb {words[0]}; known are: {known}")
    return verb(own, words[1:])
