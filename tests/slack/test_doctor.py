"""What `parley doctor` says of an app, and the manifest that it is made from."""

import json

import pytest

from channels.contract import Checks, Finding, Health
from channels.slack import SPEC
from channels.slack.manifest import EVENTS, SCOPES, manifest
from channels.slack.settings import SlackSettings
from channels.slack.verbs import print_manifest
from core.domain.errors import SettingsError
from tests.contract.slack_rig import settings_of
from tests.fakes.slack import SlackServer
from tests.fakes.slack.world import SCOPES as GRANTED
from tests.fakes.wire import at
from tests.slack.conftest import GENERAL
from tests.slack.house import SlackHouse


async def found(server: SlackServer, house: SlackHouse, *, deep: bool = False, **more: object) -> dict[str, Finding]:
    """What was wrong or right, by its words."""
    channel = SPEC.build(SPEC.settings.model_validate(settings_of(server, **more)), house.context())
    assert isinstance(channel, Checks)
    return {one.what: one for one in await channel.check(deep=deep)}


def wrong(findings: dict[str, Finding]) -> list[str]:
    """What is not good; each says what to do."""
    bad = [one for one in findings.values() if one.health is not Health.GOOD]
    assert all(one.fix for one in bad)
    return [one.what for one in bad]


async def test_a_sound_app_has_nothing_to_complain_about(server: SlackServer, house: SlackHouse) -> None:
    findings = await found(server, house, deep=True, doctor_chat=GENERAL)
    assert wrong(findings) == []
    assert [one.method for one in server.world.ledger] == ["chat.postMessage", "chat.update", "chat.delete"]
    assert not list(server.world.shown(GENERAL))


async def test_each_missing_scope_is_named(server: SlackServer, house: SlackHouse) -> None:
    server.world.scopes = [one for one in server.world.scopes if one not in ("files:read", "chat:write")]
    findings = await found(server, house)
    missing = {what.split()[2]: findings[what].health for what in wrong(findings)}
    assert missing == {"chat:write": Health.FAULT, "files:read": Health.WARNING}


@pytest.mark.parametrize(
    ("more", "word"),
    [
        ({"bot_token": "xoxb-fake-other"}, "invalid_auth"),
        ({"app_token": "xapp-fake-other"}, "invalid_auth"),
        ({"app_token": None}, "SLACK_APP_TOKEN"),
    ],
)
async def test_a_wrong_token_is_named(
    server: SlackServer, house: SlackHouse, more: dict[str, str | None], word: str
) -> None:
    (what,) = wrong(await found(server, house, deep=False, **more))
    assert word in what


async def test_a_round_trip_that_fails_says_where(server: SlackServer, house: SlackHouse) -> None:
    server.world.conversation("C0FOREIGN1", bot=False)
    (what,) = wrong(await found(server, house, deep=True, doctor_chat="C0FOREIGN1"))
    assert "not_in_channel" in what
    (what,) = wrong(await found(server, house, deep=True))
    assert "doctor_chat" in what


def test_the_manifest_asks_for_what_is_used_and_for_nothing_else() -> None:
    printed = json.loads(print_manifest(None, ()))
    assert printed == manifest()
    assert at(printed, "oauth_config", "scopes", "bot") == list(SCOPES)
    assert set(SCOPES) <= set(GRANTED.split())
    assert at(printed, "settings", "event_subscriptions", "bot_events") == list(EVENTS)
    assert (at(printed, "settings", "socket_mode_enabled"), SPEC.verbs["manifest"]) == (True, print_manifest)


def test_a_manifest_for_posts_has_the_address_in_all_three_places() -> None:
    url = "https://parley.test/channels/slack/default"
    printed = json.loads(print_manifest(SlackSettings(mode="http"), ("Bot", url)))
    assert json.dumps(printed).count(url) == 3
    assert at(printed, "display_information", "name") == "Bot"
    with pytest.raises(SettingsError, match="address"):
        print_manifest(SlackSettings(mode="http"), ())
    with pytest.raises(SettingsError, match="nothing else"):
        print_manifest(None, ("a", "b"))
