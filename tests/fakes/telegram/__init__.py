"""The Bot API on one port of loopback, as its documents describe it: for the real library.

async with TelegramServer() as telegram:
    telegram.world.person(42, "Anna")
    telegram.world.group(-1001, "Team", 42)
    ... connect the library with telegram.base_url, telegram.base_file_url and TOKEN ...
    await telegram.people.says(42, -1001, "@parley_bot hello")
    telegram.world.ledger     # what the bot had accepted, whatever it heard
    telegram.faults.cut("sendMessage", after=True)
"""

from tests.fakes.telegram.server import SECRET_HEADER, TelegramServer
from tests.fakes.telegram.world import BOT, BOT_NAME, TOKEN, Accepted

__all__ = ["BOT", "BOT_NAME", "SECRET_HEADER", "TOKEN", "Accepted", "TelegramServer"]
