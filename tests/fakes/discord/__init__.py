"""Discord on one port of loopback, as its documents describe it, for the real discord.py.

async with DiscordServer() as discord:
    anna = discord.world.person("anna")
    general = discord.world.channel("general")
    ... Route.BASE = discord.api_url; DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(discord.gateway_url); start(TOKEN) ...
    await discord.gateway.connected()
    await discord.people.says(anna, general, f"<@{BOT}> hello")
    discord.world.ledger     # what the app had accepted, whatever it heard
    discord.faults.cut("POST", "/messages", after=True)
"""

from tests.fakes.discord.server import DiscordServer
from tests.fakes.discord.world import BOT, GUILD, TOKEN, Accepted

__all__ = ["BOT", "GUILD", "TOKEN", "Accepted", "DiscordServer"]
