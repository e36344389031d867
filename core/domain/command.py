"""The chat commands: one registry for every channel. Platform menus are made from it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandSpec:
    """One command. `terminal_only` ones are neither offered nor understood elsewhere."""

    name: str
    summary: str
    arguments: str = ""
    terminal_only: bool = False


COMMANDS: tuple[CommandSpec, ...] = (
    CommandSpec(name="help", summary="what I understand"),
    CommandSpec(name="new", summary="start a new conversation"),
    CommandSpec(name="stop", summary="stop what is running here and drop what waits"),
    CommandSpec(name="status", summary="what runs and what waits here"),
    CommandSpec(name="queue", summary="what becomes of messages while a turn runs", arguments="[mode]"),
    CommandSpec(name="steer", summary="tell the running turn something", arguments="TEXT"),
    CommandSpec(name="approve", summary="let a call run, once or always", arguments="ID [once|always|deny]"),
    CommandSpec(name="deny", summary="do not let a call run", arguments="ID"),
    CommandSpec(name="model", summary="list the models, or choose one for this chat", arguments="[name]"),
    CommandSpec(name="sessions", summary="list the conversations of this chat"),
    CommandSpec(name="resume", summary="go on with an earlier conversation", arguments="N"),
    CommandSpec(name="undo", summary="forget the last message and what came after it"),
    CommandSpec(name="retry", summary="answer the last message again"),
    CommandSpec(name="whoami", summary="who you are to me"),
    CommandSpec(name="why", summary="which agent and model answer here, and why"),
    CommandSpec(name="usage", summary="tokens and cost of this chat"),
    CommandSpec(name="exit", summary="leave the terminal", terminal_only=True),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandCall:
    """A command as a person gave it, its arguments trimmed."""

    name: str
    arguments: str = ""
