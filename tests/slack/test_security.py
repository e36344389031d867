"""What a stranger may try on Slack's way in."""

import json
from dataclasses import replace

import pytest

from channels.slack import SPEC, identify
from core.domain.errors import SettingsError
from core.domain.tool import Approval
from core.models.scripted import ScriptedModel, calls, says
from tests.contract.slack_rig import built, settings_of
from tests.fakes.slack import BOT, BOT_TOKEN, SignedPosts, SlackServer
from tests.fakes.slack.events import event_body
from tests.fakes.slack.signed import encoded
from tests.fakes.tools import answers
from tests.fakes.wire import Json, text_at
from tests.slack.conftest import ANNA, CARL, DIRECT, GENERAL, OLGA
from tests.slack.house import SlackHouse, Watcher, running


@pytest.fixture
def posted(house: SlackHouse) -> SlackHouse:
    return replace(house, more={"mode": "http"})


def hello(server: SlackServer, text: str = "hello") -> tuple[bytes, str]:
    """A body by Anna and its type."""
    ts = server.world.next_ts()
    message: Json = {"type": "message", "user": ANNA, "text": text, "ts": ts, "event_ts": ts}
    return encoded(event_body(message | {"channel": DIRECT, "channel_type": "im"}, f"Ev{ts}", server.world.now()))


def stored(house: SlackHouse) -> int:
    """Messages that somebody said."""
    return len(house.rows("SELECT 1 FROM inbound WHERE content != ''"))


async def test_a_signature_of_another_secret_is_refused_without_a_row(posted: SlackHouse, server: SlackServer) -> None:
    async with running(posted):
        assert server.signed
        stranger = SignedPosts(server.signed.url, secret="fake-other-secret")
        assert (await stranger.post(*hello(server))).status == 401
        forged = {"X-Slack-Signature": "v0=" + "0" * 64}
        assert (await server.signed.post(*hello(server), headers=forged)).status == 401
    assert stored(posted) == 0


@pytest.mark.parametrize("blank", ["", "  "])
def test_a_blank_secret_is_no_secret(blank: str) -> None:
    settings = {"mode": "http", "bot_token": BOT_TOKEN, "signing_secret": blank}
    with pytest.raises(ValueError, match="signing_secret is empty"):
        SPEC.settings.model_validate(settings)


async def test_posts_without_a_secret_are_refused_at_the_start(server: SlackServer, house: SlackHouse) -> None:
    given = settings_of(server, mode="http")
    del given["signing_secret"]
    with pytest.raises(SettingsError, match="SLACK_SIGNING_SECRET"):
        SPEC.build(SPEC.settings.model_validate(given), house.context())


@pytest.mark.parametrize("skew_s", [-301, 301])
async def test_a_signature_of_another_time_is_refused(posted: SlackHouse, server: SlackServer, skew_s: int) -> None:
    async with running(posted):
        assert server.signed
        assert (await server.signed.post(*hello(server), skew_s=skew_s + (2 if skew_s > 0 else -2))).status == 401
    assert stored(posted) == 0


@pytest.mark.parametrize("time", ["", "1_760_000_000", "٣", "-1", "1e9", "abc"])
async def test_a_time_has_digits_only(posted: SlackHouse, server: SlackServer, time: str) -> None:
    async with running(posted):
        assert server.signed
        headers = {"X-Slack-Request-Timestamp": time}
        assert (await server.signed.post(*hello(server), headers=headers)).status == 401
    assert stored(posted) == 0


async def test_the_same_post_after_a_restart_is_answered_and_stored_once(
    posted: SlackHouse, server: SlackServer, model: ScriptedModel, watcher: Watcher
) -> None:
    model.then(says("Hello."))
    body = hello(server)
    async with running(posted):
        assert server.signed
        assert (await server.signed.post(*body)).status == 200
        await watcher.hears(DIRECT, "Hello.")
    async with running(posted):
        assert server.signed
        assert (await server.signed.post(*body)).status == 200
    assert (stored(posted), model.asked) == (1, 1)


async def test_only_a_signed_challenge_is_echoed(posted: SlackHouse, server: SlackServer) -> None:
    async with running(posted):
        assert server.signed
        heard = await server.signed.verify("secret-word")
        assert (heard.status, json.loads(heard.body)) == (200, {"challenge": "secret-word"})
        stranger = SignedPosts(server.signed.url, secret="fake-other-secret")
        heard = await stranger.verify("secret-word")
        assert (heard.status, "secret-word" in heard.body) == (401, False)


async def test_a_body_that_says_it_is_a_check_of_the_certificate_does_nothing(
    posted: SlackHouse, server: SlackServer
) -> None:
    async with running(posted):
        assert server.signed
        stranger = SignedPosts(server.signed.url, secret="fake-other-secret")
        form = "application/x-www-form-urlencoded"
        body = b"ssl_check=1&command=%2Fparley&text=stop&user_id=U0OLGA0001&channel_id=D0ANNA0001"
        await stranger.post(body, form)
    assert stored(posted) == 0


async def test_nothing_of_somebody_who_is_not_let_in_reaches_the_model(
    house: SlackHouse, server: SlackServer, model: ScriptedModel, watcher: Watcher
) -> None:
    """By every kind of event: a message, a mention, a broadcast, an edit, a delete, a file, a command, a program."""
    people = server.people
    model.then(says("Hello Anna."))
    async with running(house):
        ts = await people.says(CARL, GENERAL, f"<@{BOT}> canary one")
        await people.broadcasts(CARL, GENERAL, ts, f"<@{BOT}> canary two")
        await people.edits(CARL, GENERAL, ts, f"<@{BOT}> canary three")
        await people.deletes(CARL, GENERAL, ts)
        await people.uploads(CARL, GENERAL, "canary.txt", b"canary four", f"<@{BOT}> canary four")
        await people.commands(CARL, GENERAL, "/parley", "canary five")
        await people.says("U0OTHERBOT", GENERAL, f"<@{BOT}> canary six", bot_id="B0OTHER001")
        root = await people.says(ANNA, GENERAL, f"<@{BOT}> hello")
        await people.reacts(CARL, GENERAL, root, "white_check_mark")
        await watcher.hears(GENERAL, "Hello Anna.", thread=root)
    assert model.asked == 1
    assert "canary" not in str(model.prompts)
    refused = house.rows("SELECT 1 FROM inbound WHERE sender = ? AND drop_reason IS NOT NULL", CARL)
    assert len(refused) >= 5


async def test_in_a_conversation_of_several_only_who_is_let_in_is_heard(
    house: SlackHouse, server: SlackServer, model: ScriptedModel, watcher: Watcher
) -> None:
    server.world.conversation("G0SEVERAL1", ANNA, CARL, kind="mpim")
    model.then(says("Yes, Anna."))
    async with running(house):
        await server.people.says(CARL, "G0SEVERAL1", f"<@{BOT}> canary")
        root = await server.people.says(ANNA, "G0SEVERAL1", f"<@{BOT}> are you there?")
        await watcher.hears("G0SEVERAL1", "Yes, Anna.", thread=root)
    assert "canary" not in str(model.prompts)
    assert house.rows("SELECT 1 FROM inbound WHERE sender = ? AND drop_reason IS NOT NULL", CARL)


async def test_a_press_counts_for_whoever_may_and_only_once(
    house: SlackHouse, server: SlackServer, model: ScriptedModel, watcher: Watcher
) -> None:
    pay = answers("pay", "paid", replayable=False, approval=Approval.ASK)
    model.then(calls("pay", amount=5), says("It is paid."))
    async with running(replace(house, tools={"pay": pay})):
        root = await server.people.says(ANNA, GENERAL, f"<@{BOT}> pay Ben 5")
        card = await watcher.card(GENERAL, "May I run pay", thread=root)
        ts, once = text_at(card, "ts"), watcher.buttons(card)["Once"]
        before = len(server.world.ledger)
        await server.people.presses(CARL, GENERAL, ts, once)
        forged = server.world.conversations[GENERAL].messages[ts]
        guessed = {**forged, "blocks": [{"type": "actions", "elements": [_button("approve:17")]}]}
        server.world.conversations[GENERAL].messages[ts] = guessed
        await server.people.presses(OLGA, GENERAL, ts, "parley:1")
        server.world.conversations[GENERAL].messages[ts] = forged
        assert not [one for one in server.world.ledger[before:] if "It is paid." in one.text]
        await server.people.presses(OLGA, GENERAL, ts, once)
        await watcher.hears(GENERAL, "It is paid.", thread=root)
    assert model.asked == 2


async def test_the_token_goes_to_nobody_but_slack(
    house: SlackHouse, server: SlackServer, model: ScriptedModel, watcher: Watcher
) -> None:
    """A file that lies elsewhere, or an address that only looks like Slack's, is not fetched."""
    model.then(says("I cannot see it."))
    async with SlackServer() as elsewhere:
        urls = [elsewhere.url, "https://files.slack.com.evil.test", "http://files.slack.com", "file:///etc/passwd"]
        files = [{"id": f"F{n}", "name": "x.png", "url_private": f"{url}/x.png"} for n, url in enumerate(urls)]
        async with running(house):
            await server.people.says(ANNA, DIRECT, "look", subtype="file_share", files=files)
            await watcher.hears(DIRECT, "I cannot see it.")
        assert elsewhere.calls == []
    assert not list((house.folder / "workspace").rglob("*x.png"))


async def test_a_name_out_of_a_message_is_one_component_of_a_path(
    house: SlackHouse, server: SlackServer, model: ScriptedModel, watcher: Watcher
) -> None:
    model.then(says("I have it."))
    async with running(house):
        await server.people.uploads(ANNA, DIRECT, "../../evil .txt", b"data", "look")
        await watcher.hears(DIRECT, "I have it.")
    (found,) = (house.folder / "workspace" / "uploads" / DIRECT).iterdir()
    assert found.read_bytes() == b"data"
    assert found.name.endswith("evil_.txt")


async def test_a_token_of_another_kind_is_named(server: SlackServer, house: SlackHouse) -> None:
    with pytest.raises(SettingsError, match="bot_token is another kind"):
        built(server, house.folder, bot_token="xapp-fake")
    with pytest.raises(SettingsError, match="bot_token is refused by Slack: invalid_auth"):
        await identify(SPEC.settings.model_validate(settings_of(server, bot_token="xoxb-fake-other")), house.context())


def _button(value: str) -> Json:
    return {"type": "button", "action_id": "parley:1", "text": {"type": "plain_text", "text": "x"}, "value": value}
