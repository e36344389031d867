"""The first start, and help that needs none."""

import pytest

from tests.processes.house import House


@pytest.mark.parametrize("arguments", [["--help"], ["chat", "--help"], ["run", "--help"], ["--version"]])
async def test_help_is_given_without_a_home(house: House, arguments: list[str]) -> None:
    house.home.rmdir()
    done = await house.does(*arguments)
    assert (done.code, done.errors) == (0, "")
    assert done.output
    assert not house.home.exists()


async def test_without_a_model_the_first_window_explains_itself_and_its_files_are_private(house: House) -> None:
    window = await house.terminal("chat", anew=True)
    await window.shows("session default, model guide.")
    window.says("hello")
    await house.settled()
    await window.shows("I am the built-in guide, not a model")
    assert await window.is_left() == 0
    assert oct(house.home.stat().st_mode & 0o777) == "0o700"
    assert oct(house.database.stat().st_mode & 0o777) == "0o600"
