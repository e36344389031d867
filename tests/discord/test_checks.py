"""What `doctor` finds out about a bot, and who the bot is."""

from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from channels.contract import Checks, Health
from channels.discord import SPEC, identify, own
from channels.discord.checks import RIGHTS, THREADS, effective, invite
from channels.discord.settings import DiscordSettings, bot_of
from core.domain.errors import SettingsError
from core.domain.secret import Secret
from tests.contract.discord_rig import DiscordRig, settings_of
from tests.contract.intake import Intake
from tests.fakes.discord import BOT, TOKEN, DiscordServer
from tests.fakes.wire import Json

VIEW, SEND = RIGHTS["View Channels"], RIGHTS["Send Messages"]


@pytest.fixture
async def rig(server: DiscordServer, tmp_path: Path) -> AsyncIterator[DiscordRig]:
    made = DiscordRig(server, tmp_path)
    yield made
    await made.channel.close()


async def test_a_bot_that_is_set_up_right_has_no_fault(rig: DiscordRig) -> None:
    assert isinstance(rig.channel, Checks)
    findings = await rig.channel.check(deep=True)
    assert {one.health for one in findings} == {Health.GOOD}
    assert any("discord.com/oauth2/authorize" in one.what for one in findings)
    assert not rig.server.gateway.sessions


async def test_a_token_that_is_wrong_and_an_intent_that_is_missing_are_named(
    rig: DiscordRig, server: DiscordServer, tmp_path: Path
) -> None:
    server.world.content_intent = False
    (fault,) = [one for one in await rig.channel.check(deep=False) if one.health is Health.FAULT]
    assert "message content intent" in fault.what
    assert "developer portal" in fault.fix
    rig.token = "NDI.not.it"
    wrong = rig.built(tmp_path)
    (only,) = await wrong.check(deep=False)
    await wrong.close()
    assert (only.health, "bot_token" in only.fix) == (Health.FAULT, True)
    assert TOKEN not in only.what + only.fix


async def test_a_channel_where_something_is_not_allowed_is_named_with_it(
    rig: DiscordRig, server: DiscordServer
) -> None:
    room = server.world.channel("quiet")
    everyone: Json = {"id": "70000000000000000", "type": 0, "allow": "0", "deny": str(SEND)}
    server.world.places[room].data["permission_overwrites"] = [everyone]
    (warning,) = [one for one in await rig.channel.check(deep=False) if one.health is Health.WARNING]
    assert "#quiet: not allowed to Send Messages" in warning.what


def test_rights_in_a_channel_are_everyones_then_the_roles_then_our_own() -> None:
    def over(who: str, allow: int = 0, deny: int = 0) -> Json:
        return {"id": who, "allow": str(allow), "deny": str(deny)}

    both = VIEW | SEND
    assert effective(both, [], "me", ["g"]) == both
    assert effective(both, [over("g", deny=SEND)], "me", ["g", "r"]) == VIEW
    assert effective(both, [over("g", deny=SEND), over("r", allow=SEND)], "me", ["g", "r"]) == both
    assert effective(both, [over("r", deny=both), over("s", allow=SEND)], "me", ["g", "r", "s"]) == SEND
    assert effective(both, [over("r", allow=SEND), over("me", deny=SEND)], "me", ["g", "r"]) == VIEW
    assert effective(1 << 3, [over("g", deny=both)], "me", ["g"]) & both == both


def test_the_invitation_asks_for_what_is_used_and_nothing_else() -> None:
    plain = parse_qs(urlsplit(invite("42", DiscordSettings())).query)
    assert int(plain["permissions"][0]) == sum(RIGHTS.values())
    threads = parse_qs(urlsplit(invite("42", DiscordSettings(auto_thread=True))).query)
    assert int(threads["permissions"][0]) - int(plain["permissions"][0]) == sum(THREADS.values())
    assert plain["scope"] == ["bot applications.commands"]


def test_the_bots_id_stands_in_its_token() -> None:
    assert bot_of(Secret(TOKEN)) == BOT
    for wrong in ("", "x", "%%%.a.b", "aGVsbG8.a.b", "\u00e9.a.b"):
        assert bot_of(Secret(wrong)) is None
    assert own(DiscordSettings.model_validate({"bot_token": TOKEN})) == {"id": BOT}


async def test_without_an_id_in_the_token_discord_is_asked(rig: DiscordRig, server: DiscordServer) -> None:
    settings = DiscordSettings.model_validate(settings_of(server))
    context = rig.context(Path())
    assert await identify(settings, context) == BOT
    with pytest.raises(SettingsError, match="bot_token"):
        await identify(DiscordSettings.model_validate(settings_of(server, bot_token="odd")), context)
    with pytest.raises(SettingsError, match="DISCORD_BOT_TOKEN"):
        await identify(DiscordSettings(), context)


@pytest.mark.parametrize(("code", "words"), [(4014, "message content intent"), (4004, "bot_token")])
async def test_what_only_the_operator_can_change_ends_listening_with_what_to_change(
    rig: DiscordRig, server: DiscordServer, code: int, words: str
) -> None:
    server.gateway.closing = code
    with pytest.raises(SettingsError, match=words):
        await rig.channel.listen(Intake().accept)
    assert len(server.gateway.heard) == 1


def test_a_setting_that_is_unknown_or_no_address_is_refused() -> None:
    for wrong in ({"tokn": "x"}, {"api_url": "discord.com"}, {"gateway_url": "https://x"}):
        with pytest.raises(ValueError, match="1 validation error"):
            SPEC.settings.model_validate(wrong)
