"""Each real channel with the server of its platform: what people do there, and what they see."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Protocol

from tests.fakes.slack import APP_TOKEN, BOT_TOKEN, TEAM, SlackServer
from tests.fakes.slack import BOT as SLACK_BOT
from tests.fakes.telegram import BOT, TOKEN, TelegramServer
from tests.fakes.wire import text_at

Moments = Callable[[str, str], bool]

ANNA, BEN, GROUP = 42, 43, -1001


class Front(Protocol):
    """A platform that survives, while people talk on it."""

    @property
    def settings(self) -> dict[str, object]:
        """What the channel is built with."""

    async def talks(self) -> None:
        """Everybody says everything; `CONVERSATIONS` tells what."""

    def shown(self) -> Mapping[str, Sequence[str]]:
        """The bot's messages of each conversation as they stand now, oldest first."""

    def quiet(self) -> bool:
        """Whether the platform has handed out everything and was told so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Platform:
    """`opens` gives a Front that tells of its calls. `repeats`: what may have been sent is sent once more."""

    name: str
    channel: str
    account: str
    people: Sequence[str]
    calls: Sequence[str]
    opens: Callable[[Moments], AsyncIterator[Front]] = field(hash=False)
    repeats: bool


# What is said in each conversation, in order, by the last word of it. Long things are answered in several messages.
CONVERSATIONS: Mapping[str, Sequence[str]] = {
    "anna": ("a1", "a2", "a3"),
    "ben": ("b1", "longb2", "b3"),
    "group": ("g1", "g2"),
}


class TelegramFront:
    """Anna and Ben in private, both in a group."""

    def __init__(self, server: TelegramServer, unsure: str) -> None:
        self._server = server
        self._unsure = unsure

    @property
    def settings(self) -> dict[str, object]:
        """With drafts and menu as they are."""
        return {"token": TOKEN, "api_url": self._server.url, "unsure": self._unsure}

    async def talks(self) -> None:
        """All at once, as far as a chat can."""
        people = self._server.people
        for words in zip(CONVERSATIONS["anna"], CONVERSATIONS["ben"], strict=True):
            await people.says(ANNA, ANNA, words[0])
            await people.says(BEN, BEN, words[1])
        for word in CONVERSATIONS["group"]:
            await people.says(ANNA, GROUP, f"@parley_bot {word}")

    def shown(self) -> Mapping[str, Sequence[str]]:
        """By the bot alone."""
        places = {"anna": ANNA, "ben": BEN, "group": GROUP}
        return {name: self._server.world.shown(chat) for name, chat in places.items()}

    def quiet(self) -> bool:
        """Every update is confirmed."""
        return not self._server.updates.waiting()


def telegram(unsure: str) -> Callable[[Moments], AsyncIterator[Front]]:
    """With one of its two policies."""

    async def opens(moments: Moments) -> AsyncIterator[Front]:
        async with TelegramServer() as server:
            server.world.person(ANNA, "Anna")
            server.world.person(BEN, "Ben")
            server.world.group(GROUP, "Workshop", ANNA, BEN)
            server.moments = moments
            yield TelegramFront(server, unsure)

    return opens


def _telegram(unsure: str, calls: Sequence[str], *, repeats: bool) -> Platform:
    return Platform(
        name=f"telegram {unsure}",
        channel="telegram",
        account=str(BOT),
        people=(str(ANNA), str(BEN)),
        calls=calls,
        opens=telegram(unsure),
        repeats=repeats,
    )


class SlackFront:
    """Anna and Ben in direct messages, Anna in a thread of a channel."""

    def __init__(self, server: SlackServer) -> None:
        self._server = server

    @property
    def settings(self) -> dict[str, object]:
        """One socket: which of two gets an event is no matter here."""
        tokens = {"bot_token": BOT_TOKEN, "app_token": APP_TOKEN}
        return {**tokens, "api_url": self._server.api_url, "sockets": 1}

    async def talks(self) -> None:
        """All at once, as far as a conversation can."""
        people = self._server.people
        for words in zip(CONVERSATIONS["anna"], CONVERSATIONS["ben"], strict=True):
            await people.says("U0ANNA0001", "D0ANNA0001", words[0])
            await people.says("U0BEN00001", "D0BEN00001", words[1])
        first, *more = CONVERSATIONS["group"]
        root = await people.says("U0ANNA0001", "C0GENERAL1", f"<@{SLACK_BOT}> {first}")
        for word in more:
            await people.says("U0ANNA0001", "C0GENERAL1", f"<@{SLACK_BOT}> {word}", thread_ts=root)

    def shown(self) -> Mapping[str, Sequence[str]]:
        """By the app alone."""
        places = {"anna": "D0ANNA0001", "ben": "D0BEN00001", "group": "C0GENERAL1"}
        world = self._server.world
        return {name: [text_at(one, "text") for one in world.shown(channel)] for name, channel in places.items()}

    def quiet(self) -> bool:
        """Every envelope is acknowledged, or was given up."""
        return all(pending.settled.is_set() for pending in self._server.sockets.pendings)


async def slack(moments: Moments) -> AsyncIterator[Front]:
    """By sockets."""
    async with SlackServer(waits=(0.05, 0.5, 1.0)) as server:
        server.world.person("U0ANNA0001", "anna")
        server.world.person("U0BEN00001", "ben")
        server.world.conversation("D0ANNA0001", "U0ANNA0001", kind="im")
        server.world.conversation("D0BEN00001", "U0BEN00001", kind="im")
        server.world.conversation("C0GENERAL1", "U0ANNA0001", "U0BEN00001")
        server.moments = server.sockets.moments = moments
        yield SlackFront(server)


PLATFORMS = (
    _telegram("resend-after", ("getupdates", "sendmessage"), repeats=True),
    _telegram("placeholder-edit", ("getupdates", "sendmessage", "editmessagetext"), repeats=False),
    Platform(
        name="slack",
        channel="slack",
        account=TEAM,
        people=("U0ANNA0001", "U0BEN00001"),
        calls=("acknowledge", "chat.postMessage", "chat.update"),
        opens=slack,
        repeats=False,
    ),
)


@asynccontextmanager
async def opened(platform: Platform, moments: Moments) -> AsyncIterator[Front]:
    """The platform, until the block ends."""
    async for front in platform.opens(moments):
        yield front
