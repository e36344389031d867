"""Telegram on this machine, to try a bot without an account: `python -m tests.fakes.telegram [PORT]`.

You are Anna (42), in private with the bot; what you type is said, what the bot says is printed. `/press LABEL` presses
a button of the bot's last message.
"""

import asyncio
import sys

from tests.fakes.telegram import BOT, TOKEN, TelegramServer
from tests.fakes.wire import text_at

ANNA = 42
PORT = 8081


async def talk(port: int) -> None:
    """Until the input ends."""
    async with TelegramServer(port=port) as server, asyncio.TaskGroup() as group:
        server.world.person(ANNA, "Anna")
        _say(f'api_url = "{server.url}"\ntoken = "{TOKEN}"\nowners = ["{ANNA}"]\n')
        prints = group.create_task(_print(server))
        while line := await asyncio.to_thread(sys.stdin.readline):
            words = line.strip()
            if words.startswith("/press "):
                await _press(server, words.removeprefix("/press "))
            elif words:
                await server.people.says(ANNA, ANNA, words)
        prints.cancel()


async def _press(server: TelegramServer, label: str) -> None:
    last = max(number for number, one in server.world.chats[ANNA].messages.items() if _by_bot(one))
    try:
        await server.people.presses(ANNA, ANNA, last, label)
    except LookupError as exc:
        _say(f"({exc})\n")


async def _print(server: TelegramServer) -> None:
    shown = 0
    while True:
        for one in server.world.ledger[shown:]:
            if one.text and one.message_id:
                _say(f"bot: {one.text}\n")
        shown = len(server.world.ledger)
        await asyncio.sleep(0.1)


def _by_bot(message: object) -> bool:
    return text_at(message, "from", "id") == str(BOT)


def _say(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(talk(int(sys.argv[1]) if len(sys.argv) > 1 else PORT))
