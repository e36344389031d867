"""Who is heard: ids decide, and programs are no people."""

from core.models.scripted import ScriptedModel, says
from tests.discord.house import BOT, DiscordHouse, Watcher, running
from tests.fakes.discord import DiscordServer


async def test_a_name_gives_no_rights(
    house: DiscordHouse,
    server: DiscordServer,
    model: ScriptedModel,
    watcher: Watcher,
    anna: str,
    olga: str,
    general: str,
) -> None:
    """A member who took the owner's name, or one that looks like it."""
    model.then(says("Hello, Anna."))
    impostors = [server.world.person("olga"), server.world.person("Olga_"), server.world.person("\u043elga")]
    async with running(house):
        for one in impostors:
            await server.people.says(one, general, f"<@{BOT}> open the vault")
            await server.people.says(one, server.world.direct(one), "/approve 1")
        await server.people.says(anna, general, f"<@{BOT}> hi")
        await watcher.hears(general, "Hello, Anna.")
    assert model.asked == 1
    assert not any("vault" in str(prompt.messages) for prompt in model.prompts)


async def test_a_webhook_that_shows_an_allowed_author_is_refused(
    house: DiscordHouse, server: DiscordServer, model: ScriptedModel, watcher: Watcher, anna: str, general: str
) -> None:
    model.then(says("Hello, Anna."))
    async with running(house):
        await server.people.says(anna, general, f"<@{BOT}> open the vault", webhook=anna)
        await server.people.says(anna, general, f"<@{BOT}> open the vault", webhook="5550000")
        await server.people.says(anna, general, f"<@{BOT}> hi")
        await watcher.hears(general, "Hello, Anna.")
    assert model.asked == 1
    assert not any("vault" in str(prompt.messages) for prompt in model.prompts)


async def test_another_bot_starts_nothing(
    house: DiscordHouse, server: DiscordServer, model: ScriptedModel, watcher: Watcher, anna: str, general: str
) -> None:
    model.then(says("Hello, Anna."))
    robot = server.world.person("robot", bot=True)
    async with running(house):
        await server.people.says(robot, general, f"<@{BOT}> hello, fellow bot")
        await server.people.says(anna, general, f"<@{BOT}> hi")
        await watcher.hears(general, "Hello, Anna.")
    assert model.asked == 1
