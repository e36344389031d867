"""`parley run` builds its channels from the settings, and follows their changes."""

import pytest

from core.domain.chat import ChatKey
from core.domain.errors import SettingsError
from gateway.service import NoneStarts
from tests.fakes.waiting import until
from tests.service.station import Station

ONE = '[channels.fake]\ntoken = "one"\nallow_from = ["anna"]\n'
TWO = ONE + '[channels.fake.accounts.beta]\ntoken = "two"\nallow_from = ["ben"]\n'


async def test_a_message_on_a_configured_channel_is_answered(station: Station) -> None:
    station.writes(ONE + 'allow_bots = "mentions"\n')
    async with station.running():
        await station.until_built(1)
        anna = station.town.platforms["ACME"].person("anna")
        await anna.says("hello")
        await anna.hears("")
        context = station.town.contexts["ACME"]
        assert (context.account, context.name, context.bots) == ("ACME", "default", True)
        assert context.uploads is not None
        assert context.cursor is not None
        chat = ChatKey(channel="fake", account="ACME", chat_id="room")
        assert context.uploads(chat).parent == station.home / "workspace" / "uploads"
        assert await context.cursor("nothing yet") is None
    assert station.town.closed == ["ACME"]


async def test_accounts_inherit_from_their_section_and_have_lists_of_their_own(station: Station) -> None:
    station.writes(TWO.replace('token = "one"', 'token = "one"\ncolour = "blue"'))
    beta = station.reads().channels["fake"].accounts["beta"]
    assert beta.own is not None
    assert beta.own.model_dump() == {"token": "two", "colour": "blue"}
    async with station.running():
        await station.until_built(2)
        ben = station.town.platforms["BETA"].person("ben")
        await ben.says("hello")
        await ben.hears("")
        stranger = station.town.platforms["ACME"].person("ben")
        await stranger.says("hello")
        await stranger.hears("I do not know you yet.")


async def test_one_that_is_refused_says_why_and_the_other_runs(station: Station) -> None:
    station.writes(TWO.replace('"two"', '"wrong"'))
    async with station.running():
        await station.until_built(1)
        state = station.state("channels.fake.accounts.beta")
        assert (state["standing"], state["why"]) == ("wrong settings", "channels.fake.token is not known in town")
        anna = station.town.platforms["ACME"].person("anna")
        await anna.says("hello")
        await anna.hears("")


async def test_none_that_starts_is_said_with_the_reason(station: Station) -> None:
    station.writes(ONE.replace('"one"', '"wrong"'))
    with pytest.raises(NoneStarts, match=r"channels.fake.token is not known in town"):
        await station.serves()
    station.writes("")
    with pytest.raises(NoneStarts, match=r"No channel is configured"):
        await station.serves()


async def test_a_platform_out_of_reach_is_asked_again_until_it_answers(station: Station) -> None:
    station.writes(ONE)
    station.town.up = False
    async with station.running():
        await until(lambda: station.state("channels.fake").get("standing") == "unreachable")
        station.town.up = True
        await station.until_built(1)


async def test_who_an_account_was_the_last_time_is_used_while_its_platform_is_out_of_reach(station: Station) -> None:
    station.writes(ONE)
    async with station.running():
        await station.until_built(1)
        anna = station.town.platforms["ACME"].person("anna")
        await anna.says("hello")
        await anna.hears("")
    station.town.up = False
    async with station.running():
        await station.until_built(2)
        await anna.says("again")
        await anna.hears("")
    assert station.town.built == ["ACME", "ACME"]


async def test_an_account_that_turns_out_to_be_another_is_built_anew(station: Station) -> None:
    station.writes(ONE)
    async with station.running():
        await station.until_built(1)
        anna = station.town.platforms["ACME"].person("anna")
        await anna.says("hello")
        await anna.hears("")
    station.town.up = False
    station.writes(ONE.replace('"one"', '"two"'))
    async with station.running():
        await station.until_built(2)
        station.town.up = True
        await station.until_built(3)
        anna = station.town.platforms["BETA"].person("anna")
        await anna.says("hello")
        await anna.hears("")
    assert station.town.built == ["ACME", "ACME", "BETA"]


async def test_a_change_restarts_only_the_channel_that_changed(station: Station) -> None:
    station.writes(TWO)
    async with station.running():
        await station.until_built(2)
        station.writes(TWO.replace('token = "two"', 'token = "two"\ncolour = "green"'))
        told = await station.reloads()
        assert told["notes"] == ["channels.fake.accounts.beta: started anew"]
        assert sorted(station.town.built) == ["ACME", "BETA", "BETA"]
        assert station.town.closed == ["BETA"]
        ben = station.town.platforms["BETA"].person("ben")
        await ben.says("hello")
        await ben.hears("")


async def test_who_is_let_in_changes_without_a_restart(station: Station) -> None:
    station.writes(ONE)
    async with station.running():
        await station.until_built(1)
        station.writes(ONE.replace('"anna"', '"anna", "carl"') + "[limits]\nturns = 3\n")
        told = await station.reloads()
        assert told["notes"] == ["limits takes effect when parley run starts the next time"]
        carl = station.town.platforms["ACME"].person("carl")
        await carl.says("hello")
        await carl.hears("")
        assert station.town.built == ["ACME"]


async def test_wrong_settings_change_nothing_and_are_told_in_a_line(station: Station) -> None:
    station.writes(ONE)
    async with station.running():
        await station.until_built(1)
        station.writes(ONE + "colur = 3\n")
        told = await station.reloads()
        assert "parley.toml:4: channels.fake.colur is not known here; did you mean colour?" in str(told["problem"])
        anna = station.town.platforms["ACME"].person("anna")
        await anna.says("hello")
        await anna.hears("")
    assert station.town.built == ["ACME"]


async def test_a_channel_can_be_added_and_taken_away_while_the_others_run(station: Station) -> None:
    station.writes(ONE)
    async with station.running():
        await station.until_built(1)
        station.writes(TWO)
        await station.reloads()
        ben = station.town.platforms["BETA"].person("ben")
        await ben.says("hello")
        await ben.hears("")
        station.writes(ONE)
        told = await station.reloads()
        assert told["notes"] == ["channels.fake.accounts.beta: ended"]
        assert station.town.closed == ["BETA"]


async def test_two_sections_of_one_account_are_refused(station: Station) -> None:
    station.writes(TWO.replace('"two"', '"one"'))
    async with station.running():
        await station.until_built(1)
        keys = ("channels.fake", "channels.fake.accounts.beta")
        await until(lambda: any("same account" in str(station.state(key).get("why")) for key in keys))


def test_an_account_called_default_is_the_section_itself(station: Station) -> None:
    station.writes(ONE + '[channels.fake.accounts.default]\ntoken = "two"\n')
    with pytest.raises(SettingsError, match=r"parley.toml:4: channels.fake.accounts.default is the section"):
        station.reads()


async def test_a_secret_of_the_settings_never_leaves_in_a_reply_a_log_or_a_state(station: Station) -> None:
    canary = "canary-NOTREAL-4711"
    station.town.accounts[canary] = "ACME"
    station.writes(
        ONE.replace('"one"', f'"{canary}"')
        + f'dm_policy = "allowlist"\n[texts]\nrefusal = "The token is {canary}, go away."\n'
    )
    async with station.running():
        await station.until_built(1)
        stranger = station.town.platforms["ACME"].person("ben")
        await stranger.says("hello")
        await stranger.hears("The token is ***, go away.")
        assert canary not in str(station.told())
    for path in (station.home / "logs").rglob("*"):
        assert canary not in path.read_text()
