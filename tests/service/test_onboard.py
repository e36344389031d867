"""`parley onboard` on a terminal and by flags, against a platform on loopback that the real library speaks to."""

import stat
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.fakes.discord import TOKEN, DiscordServer
from tests.processes.nursery import Order
from tests.processes.started import Process, environment_in, start_anew
from tests.processes.window import ENTER, Screen

WRONG = TOKEN.replace("real", "fake")
ID = "123456789012345678"


@pytest.fixture
async def server() -> AsyncIterator[DiscordServer]:
    """The platform."""
    async with DiscordServer() as running:
        yield running


@pytest.fixture
def file(tmp_path: Path, server: DiscordServer) -> Path:
    """Settings of somebody who has begun, where the platform is one on loopback."""
    home = tmp_path / "parley"
    home.mkdir(mode=0o700)
    found = home / "parley.toml"
    found.write_text(
        f'# my own words\n[channels.discord]  # the bot\napi_url = "{server.api_url}"\n'
        f'gateway_url = "{server.gateway_url}"\n'
    )
    found.chmod(0o644)
    return found


class Desk:
    """Somebody at a terminal."""

    def __init__(self, screen: Screen, process: Process) -> None:
        self.screen = screen
        self.process = process

    async def asked(self, words: str, answer: str) -> None:
        """Waits for the question, then answers."""
        await self.screen.until(lambda text: words in " ".join(text.split()), f"asked {words!r}")
        self.screen.types(answer + ENTER)

    async def ended(self) -> str:
        """All that was on the screen, once it is over well."""
        assert await self.process.ended() == 0
        await self.screen.until(lambda text: "Now run: " in text, "came to its end")
        return " ".join(self.screen.text().split())


async def onboard(folder: Path, *arguments: str) -> Desk:
    """The verb on a terminal of its own."""
    screen = Screen(columns=200)
    order = Order(arguments=["onboard", *arguments], environment=environment_in(folder), folder=str(folder))
    process = await start_anew(order, (screen.slave,) * 3)
    screen.given()
    return Desk(screen, process)


async def test_a_new_user_is_asked_what_is_missing_and_a_wrong_token_is_noticed_at_once(
    tmp_path: Path, file: Path
) -> None:
    desk = await onboard(tmp_path)
    await desk.asked("Which do you want to set up", "discrod")
    await desk.asked("there is no channel discrod", "discord")
    await desk.asked("The bot's token", WRONG)
    await desk.asked("Please give it again.", TOKEN)
    await desk.asked("Open a thread for each conversation", "maybe")
    await desk.asked("auto_thread must be true or false", "yes")
    await desk.asked("Your own id there", ID)
    said = await desk.ended()
    assert "Now run: parley run" in said
    assert TOKEN not in said
    assert WRONG not in said
    text = file.read_text()
    assert text.startswith("# my own words\n[channels.discord]  # the bot\n# The bot's token")
    assert f'bot_token = "{TOKEN}"\n' in text
    assert "auto_thread = true\n# Your own id there" in text
    assert f'owners = ["{ID}"]\n' in text
    assert stat.S_IMODE(file.stat().st_mode) == 0o600

    again = await onboard(tmp_path)
    await again.asked("discord (set up)", "discord")
    assert "Everything is set already. " in await again.ended()
    assert file.read_text() == text


async def test_by_flags_nothing_is_asked(tmp_path: Path, file: Path) -> None:
    given = [f"--set=bot_token={TOKEN}", f"--set=discord.owners={ID}"]
    desk = await onboard(tmp_path, "--yes", "--channel", "discord", *given)
    assert "Now run: parley run" in await desk.ended()
    assert f'owners = ["{ID}"]\n' in file.read_text()


async def test_wrong_flags_write_nothing(tmp_path: Path, file: Path) -> None:
    before = file.read_text()
    desk = await onboard(tmp_path, "--yes", "--channel", "discord", f"--set=bot_token={WRONG}")
    assert await desk.process.ended() == 1
    await desk.screen.until(lambda text: "nothing of it was written" in text, "refused")
    assert file.read_text() == before
