"""The Slack channel in front of a Slack on loopback, with sockets and with posts."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, nullcontext
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from channels.contract import ChannelContext, Serves
from channels.slack import SPEC
from channels.slack.channel import SlackChannel
from channels.slack.outbound import SlackPart
from core.bus import Accept
from core.domain.chat import ChatKey
from core.domain.command import COMMANDS
from core.domain.message import Dropped, Inbound, says
from core.domain.texts import Texts
from core.ports import Accepted, Clock
from core.runtime.ambient import SystemClock
from gateway.web.routes import Routes
from gateway.web.server import Bind, Binds, listening
from tests.fakes.slack import APP_TOKEN, BOT_TOKEN, SECRET, TEAM, SignedPosts, SlackServer
from tests.fakes.waiting import until
from tests.fakes.wire import Json

ANN, DM = "U0ANNA0001", "D0ANNA0001"
AT_HOME = Binds(own=Bind(host="127.0.0.1", port=0))


def settings_of(server: SlackServer, **more: object) -> Json:
    """An app that speaks to this server."""
    tokens: Json = {"bot_token": BOT_TOKEN, "app_token": APP_TOKEN, "signing_secret": SECRET}
    return tokens | {"api_url": server.api_url} | more


class Cursors:
    """Stands where the store keeps them: they move with the events."""

    def __init__(self) -> None:
        self.values: dict[str, str] = {}

    async def read(self, scope: str) -> str | None:
        """What the channel asks for."""
        return self.values.get(scope)

    def moved_by(self, accept: Accept) -> Accept:
        """Moves them once an event is stored."""

        async def accepted(event: Inbound | Dropped) -> Accepted:
            stored = await accept(event)
            if event.cursor is not None:
                self.values[event.cursor.scope] = event.cursor.value
            return stored

        return accepted


def built(
    server: SlackServer,
    workspace: Path,
    *,
    cursors: Cursors | None = None,
    clock: Clock | None = None,
    bots: bool = False,
    **more: object,
) -> SlackChannel:
    """The channel; nobody listens yet."""
    context = ChannelContext(
        account=TEAM,
        workspace=workspace,
        clock=clock or SystemClock(),
        commands=COMMANDS,
        texts=Texts({}),
        env=lambda name: None,
        bots=bots,
        cursor=(cursors or Cursors()).read,
        uploads=lambda chat: workspace / "uploads" / chat.chat_id,
    )
    channel = SPEC.build(SPEC.settings.model_validate(settings_of(server, **more)), context)
    assert isinstance(channel, SlackChannel)
    return channel


@asynccontextmanager
async def posting(server: SlackServer, channel: Serves) -> AsyncIterator[None]:
    """Events go to the channel through the real web server, signed."""

    async def well() -> list[str]:
        return []

    routes = Routes(lambda name, account: channel if (name, account) == ("slack", "default") else None, well)
    async with listening(AT_HOME, routes) as (port,):
        server.signed = SignedPosts(f"http://127.0.0.1:{port}/channels/slack/default", waits=(0.05, 0.2, 1.0))
        yield


class SlackRig:
    """An app, and Ann in a DM with it."""

    def __init__(self, server: SlackServer, workspace: Path, mode: str) -> None:
        self.server = server
        self.chat = ChatKey(channel="slack", account=TEAM, chat_id=DM)
        server.world.person(ANN, "anna")
        server.world.conversation(DM, ANN, kind="im")
        cursors = Cursors()
        # Nothing in this world is older than that: catching up has its own tests.
        cursors.values["connected"] = "9999999999.000000"
        self.channel = built(server, workspace, cursors=cursors, mode=mode, sockets=1)
        self._doings: asyncio.Queue[Callable[[], Awaitable[object]]] = asyncio.Queue()

    async def does(self) -> None:
        """Does what is asked for, one after the other, until cancelled."""
        while True:
            doing = await self._doings.get()
            await doing()

    def says(self, text: str) -> None:
        """By Ann."""
        self._doings.put_nowait(lambda: self.server.people.says(ANN, DM, _sent(text)))

    def babbles(self) -> None:
        """Something that no app of ours asks for."""
        self._doings.put_nowait(lambda: self.server.people.sends({"type": "user_huddle_changed"}, ANN))

    def echoes(self, text: str) -> None:
        """By the app itself."""
        self._doings.put_nowait(partial(self._echoes, text))

    async def _echoes(self, text: str) -> None:
        await self.server.sockets.connected()
        await self.channel.send(self.chat, self.channel.render(says(text))[0], "echo")

    def text_of(self, part: SlackPart) -> str:
        """What stands in it."""
        return part["text"]

    async def left(self, wanted: str) -> str:
        """The ledger."""
        await until(lambda: wanted in self._ledger())
        return self._ledger()

    def faults(self) -> list[Callable[[], None]]:
        """What Slack can answer, and no answer at all."""
        post, faults = "chat.postMessage", self.server.faults
        errors = ("channel_not_found", "msg_too_long", "invalid_auth", "fatal_error", "missing_scope")
        refusals = [partial(faults.refuse, post, error) for error in errors]
        cuts = [partial(faults.cut, post, after=False), partial(faults.cut, post, after=True)]
        return [*refusals, *cuts, partial(faults.refuse, post, "x", status=502), partial(faults.limit, post, 1)]

    async def knows_that_it_was_not_stored(self) -> bool:
        """It comes again."""
        signed = self.server.signed
        await until(lambda: len(signed.answers if signed else self.server.sockets.offers) > 1)
        return True

    def acknowledged(self) -> int:
        """Those that were answered with yes."""
        signed = self.server.signed
        if signed:
            return sum(1 for one in signed.answers if one.status == 200)
        return self.server.sockets.acknowledged

    def redelivers(self) -> None:
        """The platform does by itself."""

    def _ledger(self) -> str:
        return "".join(f"{one.text}\n" for one in self.server.world.ledger)


def _sent(text: str) -> str:
    """As Slack sends what was typed."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


@asynccontextmanager
async def opened(mode: str) -> AsyncIterator[SlackRig]:
    """In one of its modes."""
    with TemporaryDirectory() as folder:
        workspace = Path(folder).resolve()
        (workspace / "data").mkdir()
        (workspace / "data" / "a.pdf").write_bytes(b"%PDF-1.4 fake")
        async with SlackServer(waits=(0.02, 0.05, 0.1)) as server, asyncio.TaskGroup() as group:
            rig = SlackRig(server, workspace, mode)
            doing = group.create_task(rig.does())
            async with posting(server, rig.channel) if mode == "http" else nullcontext():
                yield rig
            doing.cancel()
