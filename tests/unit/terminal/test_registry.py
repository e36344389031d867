"""Channels by name."""

import sys
from asyncio import create_subprocess_exec
from asyncio.subprocess import PIPE

import pytest

from channels import registry
from channels.terminal.channel import TerminalChannel
from channels.terminal.settings import TerminalSettings, attended, os_user
from core.domain.errors import SettingsError
from core.ports import Lane
from tests.unit.terminal.desk import context


@pytest.mark.parametrize("name", sorted(registry.CHANNELS))
@pytest.mark.parametrize("in_front", [False, True])
def test_every_channel_that_is_listed_can_be_loaded(name: str, in_front: bool) -> None:
    spec = registry.load(name, attended=in_front)
    assert spec.name == name


def test_who_sits_in_front_changes_nothing_but_the_look() -> None:
    piped, window = registry.load("terminal"), registry.load("terminal", attended=True)
    assert (window.name, window.settings, window.trusted) == (piped.name, piped.settings, True)


def test_an_unknown_channel_is_told_with_the_nearest_and_all_others() -> None:
    with pytest.raises(SettingsError) as told:
        registry.load("Terminla")
    assert str(told.value) == (
        "[channels.Terminla]: there is no channel of this name. Did you mean [channels.terminal]?"
        f" Known channels: {', '.join(sorted(registry.CHANNELS))}."
    )


def test_a_channel_that_is_nothing_like_any_other_gets_no_guess() -> None:
    with pytest.raises(SettingsError, match=r"of this name\. Known channels: "):
        registry.load("pigeon post")


async def test_a_pipe_loads_nothing_that_only_a_window_needs() -> None:
    code = "import sys; from channels import registry; registry.load('terminal'); print(*sys.modules)"
    process = await create_subprocess_exec(sys.executable, "-c", code, stdout=PIPE)
    out, _ = await process.communicate()
    assert not {"prompt_toolkit", "rich", "litellm", "sqlalchemy"} & set(out.decode().split())


def test_a_terminal_serves_the_session_of_its_settings_and_the_account_of_its_context() -> None:
    channel = registry.load("terminal").build(TerminalSettings(session="work"), context())
    assert channel.lane == Lane(channel="terminal", account="ann", chat_id="work")
    assert isinstance(channel, TerminalChannel)


@pytest.mark.parametrize("session", ["", "a b", "a/b", "x\n", "\x1b[2J", "-x", "x" * 65])
def test_a_session_name_that_could_be_mistaken_is_refused(session: str) -> None:
    with pytest.raises(ValueError, match="session"):
        TerminalSettings(session=session)


def test_an_unknown_setting_is_refused() -> None:
    with pytest.raises(ValueError, match="colour"):
        TerminalSettings.model_validate({"colour": True})


def test_nobody_is_in_front_when_the_message_was_given_or_the_terminal_can_draw_nothing() -> None:
    assert not attended(TerminalSettings(message="hello"), "xterm")
    assert not attended(TerminalSettings(), "dumb")
    assert not attended(TerminalSettings(), None)


def test_the_user_is_who_the_kernel_says(monkeypatch: pytest.MonkeyPatch) -> None:
    before = os_user()
    monkeypatch.setenv("LOGNAME", "somebody-else")
    monkeypatch.setenv("USER", "somebody-else")
    assert os_user() == before
