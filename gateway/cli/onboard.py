"""`parley onboard`: sets channels up, question by question or by flags. Running it again asks only what is missing."""

import asyncio
import sys
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final

import click

from channels import registry
from channels.contract import AnySpec, Health, Question
from core.domain.errors import ParleyError, SettingsError
from gateway.about_accounts import RETRY, examined
from gateway.cli.doctor import shown
from gateway.cli.opening import opened, reread
from gateway.cli.output import say
from gateway.findings import Found
from gateway.onboarding import ChannelSettings, header, unanswered, with_answers
from gateway.settings_edit import write

WHICH: Final = "Which do you want to set up (names, or Enter for none)"


@click.command("onboard")
@click.option("--channel", "names", multiple=True, metavar="NAME", help="A channel to set up; may be repeated.")
@click.option("--set", "given", multiple=True, metavar="[CHANNEL.]KEY=VALUE", help="An answer; may be repeated.")
@click.option("--yes", is_flag=True, help="Ask nothing: what is not given stays as it is.")
def command(names: tuple[str, ...], given: tuple[str, ...], yes: bool) -> None:
    """Set up channels: asks what is missing, tries each credential, and writes parley.toml."""
    settings = opened()
    asks = not yes and sys.stdin.isatty()
    for name in names or (_chosen(settings.channels) if asks else ()):
        _set_up(registry.load(name), _answers(name, given, alone=len(names) == 1), asks=asks)
    settings = opened()
    if not settings.model_entries():
        say("A model: set a provider's key in the environment, add [models.NAME], or run: parley models add local")
    ready = [one.key for one in settings.accounts() if one.common.enabled and not registry.windowed(one.name)]
    say(f"Settings: {settings.file}")
    say(f"Now run: {'parley run' if ready else 'parley chat'}")


def _chosen(configured: Collection[str]) -> Sequence[str]:
    known = [name for name in registry.CHANNELS if not registry.windowed(name)]
    listed = ", ".join(f"{name} (set up)" if name in configured else name for name in known)
    say(f"Channels: {listed}. Beside them there is always the terminal.")
    return [*dict.fromkeys(click.prompt(WHICH, default="", show_default=False, value_proc=partial(_names, known)))]


def _names(known: Sequence[str], answer: str) -> Sequence[str]:
    names = answer.replace(",", " ").lower().split()
    for name in names:
        if name not in known:
            raise click.UsageError(f"there is no channel {name}")
    return names


def _answers(name: str, given: Sequence[str], *, alone: bool) -> dict[str, str]:
    """Those of the flags that are meant for this channel."""
    answers = {}
    for one in given:
        key, equals, value = one.partition("=")
        if not equals:
            raise SettingsError(f"--set {key}: write it as --set {name}.KEY=VALUE")
        channel, dot, rest = key.partition(".")
        if dot and channel == name:
            answers[rest] = value
        elif not dot and alone:
            answers[key] = value
        elif not dot:
            raise SettingsError(f"--set {key}=...: say of which channel, as in --set {name}.{key}=...")
    return answers


def _set_up(spec: AnySpec, answers: dict[str, str], *, asks: bool) -> None:
    say(f"-- {spec.name}")
    settings = opened()
    _is_on(settings.channels.get(spec.name), settings.file)
    missing = [one for one in unanswered(settings, spec) if one.key not in answers] if asks else []
    for question in missing:
        _ask(spec, question, answers)
    text = with_answers(settings.source.text, spec, answers)
    if not _examined(spec, text) and not (asks and click.confirm("Keep it all the same?", default=False)):
        raise ParleyError(f"{spec.name} was not set up: nothing of it was written")
    if text == settings.source.text:
        say("Everything is set already.")
    else:
        write(settings.file, text, private=True)


def _is_on(section: ChannelSettings | None, file: Path) -> None:
    if section and not section.common.enabled:
        raise SettingsError(f"{file}: {section.key} is switched off: set enabled = true there first")


def _ask(spec: AnySpec, question: Question, answers: dict[str, str]) -> None:
    """Until the answer is one; a credential is tried at once."""
    text = f"{question.text}{' (Enter to skip)' if question.optional else ''}"
    while True:
        answer = str(click.prompt(text, default="", show_default=False, hide_input=question.secret)).strip()
        if not answer and question.optional:
            return
        if not answer:
            say("This one is needed.")
            continue
        problem = _problem(spec, question, {**answers, question.key: answer})
        if problem is None:
            answers[question.key] = answer
            return
        say(problem)


def _problem(spec: AnySpec, question: Question, answers: Mapping[str, str]) -> str | None:
    """What is wrong with the newest of these answers, as far as that can be known before the rest is."""
    try:
        settings = reread(with_answers(opened().source.text, spec, answers))
    except SettingsError as error:
        return None if "is missing" in str(error) else str(error)
    if not question.secret:
        return None
    findings = asyncio.run(examined(settings, settings.channels[spec.name], spec, deep=False))
    # What else is wrong may be for want of the answers that follow.
    about = [one for one in findings if one.health is Health.FAULT and question.key in f"{one.what} {one.fix}"]
    for finding in about or findings[:1]:
        say(shown(Found(part=header(spec.name), finding=finding), mended=False))
    return "Please give it again." if about else None


def _examined(spec: AnySpec, text: str) -> bool:
    """Whether the channel finds no fault with this settings file; says all that it finds."""
    settings = reread(text)
    findings = asyncio.run(examined(settings, settings.channels[spec.name], spec, deep=False))
    for finding in findings:
        say(shown(Found(part=header(spec.name), finding=finding), mended=False))
    return all(finding.health is not Health.FAULT or finding.fix == RETRY for finding in findings)
