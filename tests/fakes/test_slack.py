"""The fake Slack is spoken to by the real SDK."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from aiohttp import ClientError, ClientSession, web
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp
from slack_bolt.response import BoltResponse
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from tests.fakes.slack import APP_TOKEN, BOT, BOT_TOKEN, SECRET, SignedPosts, SlackServer
from tests.fakes.slack.events import Delivery, event_body
from tests.fakes.waiting import until
from tests.fakes.wire import Json, objects_at, text_at


class App:
    """An app on the real SDK that stores what comes in; `full` is a store that takes nothing."""

    def __init__(self, slack: SlackServer) -> None:
        self.client = AsyncWebClient(token=BOT_TOKEN, base_url=slack.api_url)
        self.seen: list[Json] = []
        self.full = False
        self.bolt = AsyncApp(client=self.client, signing_secret=SECRET, before_authorize=self._accept)

    async def _accept(self, body: dict[str, object]) -> BoltResponse:
        self.seen.append(body)
        return BoltResponse(status=503 if self.full else 200)

    @asynccontextmanager
    async def connected(self, slack: SlackServer) -> AsyncIterator[AsyncSocketModeHandler]:
        """With one socket."""
        handler = AsyncSocketModeHandler(self.bolt, app_token=APP_TOKEN, ping_interval=5)
        await handler.connect_async()  # type: ignore[no-untyped-call]
        try:
            await slack.sockets.connected()
            yield handler
        finally:
            await handler.close_async()  # type: ignore[no-untyped-call]


@asynccontextmanager
async def workspace(**more: float) -> AsyncIterator[SlackServer]:
    async with SlackServer(waits=(0.0, 0.05, 0.1), ack_within=more.get("ack_within", 3.0)) as slack:
        slack.world.person("U1", "anna")
        slack.world.conversation("C1", "U1")
        slack.world.conversation("D1", "U1", kind="im")
        yield slack


def refused(error: pytest.ExceptionInfo[SlackApiError]) -> str:
    return str(error.value.response["error"])


async def test_a_message_is_stored_with_its_metadata_and_read_back() -> None:
    async with workspace() as slack:
        client = App(slack).client
        meta = {"event_type": "sent", "event_payload": {"key": "k1"}}
        posted = await client.chat_postMessage(channel="C1", text="hello", metadata=meta)
        plain = await client.conversations_history(channel="C1")
        whole = await client.conversations_history(channel="C1", include_all_metadata=True)
        assert "metadata" not in plain["messages"][0]
        assert whole["messages"][0]["metadata"]["event_payload"] == {"key": "k1"}
        assert [one.ts for one in slack.world.ledger] == [posted["ts"]]
        assert "chat:write" in posted.headers["x-oauth-scopes"].split(",")


@pytest.mark.parametrize(
    ("channel", "text", "error"),
    [("C9", "x", "channel_not_found"), ("C2", "x", "not_in_channel"), ("C1", "x" * 40_001, "msg_too_long")],
)
async def test_what_cannot_be_posted_is_refused_by_name(channel: str, text: str, error: str) -> None:
    async with workspace() as slack:
        slack.world.conversation("C2", "U1", bot=False)
        with pytest.raises(SlackApiError) as raised:
            await App(slack).client.chat_postMessage(channel=channel, text=text)
        assert refused(raised) == error
        assert not slack.world.ledger


async def test_blocks_are_refused_one_past_each_limit() -> None:
    async with workspace() as slack:
        client = App(slack).client

        def section(length: int) -> Json:
            return {"type": "section", "text": {"type": "mrkdwn", "text": "x" * length}}

        await client.chat_postMessage(channel="C1", text="t", blocks=[section(3000)] * 50)
        for blocks in ([section(3001)], [section(1)] * 51, [{"type": "unheard of"}]):
            with pytest.raises(SlackApiError) as raised:
                await client.chat_postMessage(channel="C1", text="t", blocks=blocks)
            assert refused(raised) == "invalid_blocks"


async def test_a_scope_that_is_missing_is_named() -> None:
    async with workspace() as slack:
        slack.world.scopes.remove("channels:history")
        with pytest.raises(SlackApiError) as raised:
            await App(slack).client.conversations_history(channel="C1")
        assert (refused(raised), raised.value.response["needed"]) == ("missing_scope", "channels:history")


async def test_only_own_messages_change_and_signs_are_put_once() -> None:
    async with workspace() as slack:
        client = App(slack).client
        ts = await slack.people.says("U1", "C1", "mine")
        with pytest.raises(SlackApiError) as raised:
            await client.chat_update(channel="C1", ts=ts, text="yours")
        assert refused(raised) == "cant_update_message"
        await client.reactions_add(channel="C1", timestamp=ts, name="eyes")
        with pytest.raises(SlackApiError) as raised:
            await client.reactions_add(channel="C1", timestamp=ts, name="eyes")
        assert refused(raised) == "already_reacted"
        assert slack.world.reactions("C1", ts) == {"eyes"}


async def test_a_rate_limit_says_how_long_and_a_cut_leaves_the_message_there() -> None:
    async with workspace() as slack:
        client = App(slack).client
        slack.faults.limit("chat.postMessage", 7)
        with pytest.raises(SlackApiError) as raised:
            await client.chat_postMessage(channel="C1", text="a")
        assert (raised.value.response.status_code, raised.value.response.headers["Retry-After"]) == (429, "7")
        # The SDK tries a broken connection once more by itself, which is what makes such a cut dangerous.
        slack.faults.cut("chat.postMessage", after=True)
        client.retry_handlers.clear()
        with pytest.raises(ClientError):
            await client.chat_postMessage(channel="C1", text="b")
        assert [one.text for one in slack.world.ledger] == ["b"]


async def test_an_event_is_offered_until_it_is_acknowledged() -> None:
    async with workspace(ack_within=0.05) as slack:
        app = App(slack)
        app.full = True
        async with app.connected(slack):
            first = await slack.sockets.offer(_event(slack, "lost"))
            with pytest.raises(ConnectionError):
                await first.acknowledged()
            assert [one["retry_attempt"] for one in slack.sockets.offers] == [0, 1, 2, 3]
            assert len({text_at(one, "payload", "event_id") for one in slack.sockets.offers}) == 1
            app.full = False
            second = await slack.sockets.offer(_event(slack, "kept"))
            await second.acknowledged()


async def test_a_mention_comes_as_two_events_with_one_ts() -> None:
    async with workspace() as slack:
        app = App(slack)
        async with app.connected(slack):
            ts = await slack.people.says("U1", "C1", f"<@{BOT}> hi")
            await until(lambda: len(app.seen) == 2)
        assert {text_at(one, "event", "type") for one in app.seen} == {"message", "app_mention"}
        assert {text_at(one, "event", "ts") for one in app.seen} == {ts}


async def test_a_ticket_is_good_for_one_socket_and_a_dropped_socket_is_replaced() -> None:
    async with workspace() as slack:
        app = App(slack)
        used = (await AsyncWebClient(base_url=slack.api_url).apps_connections_open(app_token=APP_TOKEN))["url"]
        async with ClientSession() as session:
            async with session.ws_connect(used) as socket:
                assert (await socket.receive_json())["type"] == "hello"
            async with session.get(used.replace("ws", "http", 1)) as again:
                assert again.status == 403
        async with app.connected(slack):
            await slack.sockets.drop(reason="refresh_requested")
            await slack.sockets.connected()
            await slack.people.says("U1", "D1", "after")
            await until(lambda: bool(app.seen))


async def test_a_signed_event_is_taken_and_one_with_another_secret_is_not() -> None:
    async with workspace() as slack:
        app = App(slack)
        runner = web.AppRunner(app.bolt.web_app(path="/events"))
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        url = f"http://127.0.0.1:{runner.addresses[0][1]}/events"
        slack.signed = SignedPosts(url)
        await slack.people.says("U1", "D1", "hello")
        assert [one.status for one in slack.signed.answers] == [200]
        assert json.loads((await slack.signed.verify("abc")).body or "{}") in ({"challenge": "abc"}, {})
        forged = SignedPosts(url, secret="another-fake-secret")
        assert (await forged.deliver(_event(slack, "forged"))).status == 401
        assert (await slack.signed.post(b"{}", "application/json", skew_s=-301)).status == 401
        await runner.cleanup()
        assert [text_at(one, "event", "text") for one in app.seen if "event" in one] == ["hello"]


async def test_a_file_goes_up_and_comes_down_with_the_token_only() -> None:
    async with workspace() as slack:
        client = App(slack).client
        await client.files_upload_v2(channel="C1", filename="a.txt", content="inside", initial_comment="here")
        (sent,) = slack.world.ledger
        url = text_at(objects_at(sent.message, "files")[0], "url_private")
        async with ClientSession() as session:
            async with session.get(url, headers={"Authorization": f"Bearer {BOT_TOKEN}"}) as answer:
                assert await answer.read() == b"inside"
            async with session.get(url) as answer:
                assert answer.content_type == "text/html"


async def test_a_stream_grows_until_it_is_stopped() -> None:
    async with workspace() as slack:
        client = App(slack).client
        root = await slack.people.says("U1", "D1", "go")
        started = await client.chat_startStream(channel="D1", thread_ts=root, markdown_text="a")
        await client.chat_appendStream(channel="D1", ts=started["ts"], markdown_text="b")
        await client.chat_stopStream(channel="D1", ts=started["ts"], markdown_text="c")
        assert [text_at(one, "text") for one in slack.world.shown("D1")] == ["abc"]
        with pytest.raises(SlackApiError) as raised:
            await client.chat_appendStream(channel="D1", ts=started["ts"], markdown_text="d")
        assert refused(raised) == "message_not_in_streaming_state"


def _event(slack: SlackServer, text: str) -> Delivery:
    event: Json = {"type": "message", "channel": "C1", "user": "U1", "text": text, "ts": slack.world.next_ts()}
    return event_body(event, slack.world.next_id("Ev"), slack.world.now())
