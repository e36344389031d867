"""What the settings are when they are right."""

import dataclasses
from dataclasses import replace

import pytest
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from core.domain.chat import ChatKey, QueueMode
from core.domain.secret import Secret
from core.ports import Lane
from gateway import by_chat
from gateway.roster import Roster
from gateway.sections import Limits, WebFetchSettings
from gateway.settings import load
from gateway.toolbox import place_of
from tests.unit.settings.place import Place


class RadioSettings(BaseModel):
    """A channel that only this test has."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    frequency: float = Field(gt=0, examples=[99.5])


def test_without_a_file_every_value_is_the_documented_default(place: Place) -> None:
    found = place.loads()
    assert (found.model, found.agent, dict(found.models), dict(found.channels)) == (None, "main", {}, {})
    assert found.limits == Limits(
        queued_chat=50,
        queued_person=20,
        collect_s=2,
        collect_messages=20,
        turns=32,
        model_calls=50,
        turn_hours=2,
        turn_tokens=5_000_000,
        tool_s=120,
        reply_parts=8,
    )
    assert (found.store.durability, found.logs.level, found.logs.conversation) == ("full", "info", True)
    assert (found.logs.max_mb, found.logs.rotations) == (20, 2)
    assert found.web_fetch == WebFetchSettings()


def test_a_whole_file_is_read(place: Place) -> None:
    found = place.writes(
        """
        model = "slow"
        agent = "helper"
        [models.fast]
        model = "openai/small"
        api_key_env = "FAST_KEY"
        window = 16000
        output = 2000
        price_in = 0.25
        vision = true
        [models.slow]
        model = "anthropic/large"
        api_key = "canary-key-2"
        strength = "very_high"
        scope = "coding"
        priority = 5
        first_byte_s = 90
        [channels.terminal]
        agent = "typist"
        session = "desk"
        [texts]
        stopped = "Halt."
        queue_full = "{n} wait. {{later}}"
        [store]
        path = "data/other.db"
        [tools.write_file]
        approval = "deny"
        [tools.web_fetch]
        max_bytes = 100
        """
    ).loads(FAST_KEY="canary-key-1")
    slow, fast = found.model_entries()
    assert (slow.name, slow.strength, slow.scope) == ("slow", "very_high", "coding")
    assert (slow.priority, slow.first_byte_s) == (5, 90)
    assert (fast.name, fast.window, fast.output, fast.price_in, fast.price_out) == ("fast", 16_000, 2_000, 0.25, None)
    assert (fast.api_key, slow.api_key) == (Secret("canary-key-1"), Secret("canary-key-2"))
    assert fast.vision
    assert found.database == place.home / "data" / "other.db"
    assert found.tools["write_file"].approval == "deny"
    assert (found.web_fetch.max_bytes, found.web_fetch.redirects) == (100, 5)
    assert dict(found.texts) == {"stopped": "Halt.", "queue_full": "{n} wait. {{later}}"}


def test_tools_that_act_have_settings_of_their_own(place: Place) -> None:
    found = place.loads()
    assert (found.run_command.sandbox, found.run_command.longest_s, found.send_to) == ("bubblewrap", 600, ())
    found = place.writes(
        "[tools.run_command]\nsandbox = 'none'\n[tools.send_message]\nsend_to = ['radio:default:1', 'radio:a:1:2']\n"
    ).loads()
    assert (found.run_command.sandbox, found.send_to) == ("none", ("radio:default:1", "radio:a:1:2"))
    for wrong in ("sandbox = 'off'", "longest_s = 0", "sandboxed = true"):
        assert "tools.run_command" in place.writes(f"[tools.run_command]\n{wrong}\n").refuses()
    for wrong in ("radio", "radio:1", "radio::1", ":a:1", "a:b:c:d:e"):
        told = place.writes(f"[tools.send_message]\nsend_to = ['{wrong}']\n").refuses()
        assert "write channel:account:chat" in told


def test_a_chat_in_a_setting_is_found_on_the_account_that_is_served() -> None:
    lanes = [Lane(channel="radio", account="7"), Lane(channel="post", account="box")]
    key = ChatKey(channel="radio", account="7", chat_id="1")
    assert place_of("radio:default:1", lanes) == key
    assert place_of("radio:7:1", lanes) == key
    assert place_of("radio:default:1:2", lanes) == replace(key, thread_id="2")
    assert place_of("radio:8:1", lanes) == replace(key, account="8")


def test_a_channel_has_its_own_agent_or_the_general_one(place: Place) -> None:
    agent = by_chat.agent(Roster(place.writes('agent = "helper"\n[channels.terminal]\nagent = "typist"\n').loads()))
    assert agent(ChatKey(channel="terminal", account="ann", chat_id="1")) == "typist"
    assert agent(ChatKey(channel="another", account="ann", chat_id="1")) == "helper"


def test_a_channel_has_its_own_queue_mode_start_and_age(place: Place) -> None:
    found = place.writes('[channels.terminal]\nqueue = "steer"\nstart = "unread"\nmax_age = 0.5\n').loads()
    common = found.channels["terminal"].common
    assert (common.queue, common.start, common.max_age) == (QueueMode.STEER, "unread", 0.5)
    common = place.writes("[channels.terminal]\n").loads().channels["terminal"].common
    assert (common.queue, common.start, common.max_age) == (QueueMode.QUEUE, "now", None)


def test_a_channel_is_checked_by_its_own_model_in_the_same_words(place: Place) -> None:
    radio = {"radio": lambda: RadioSettings}
    place.writes("[channels.radio]\nfrequency = 101.7\nallow_from = [7]\n")
    channel = load(place.home, {}, radio).channels["radio"]
    assert channel.own == RadioSettings(frequency=101.7)
    assert channel.common.allow_from == ("7",)
    place.writes("[channels.radio]\nallow_from = [7]\n")
    with pytest.raises(Exception, match=r"parley\.toml:1: channels\.radio\.frequency is missing, .* frequency = 99\.5"):
        load(place.home, {}, radio)


def test_a_key_that_is_not_set_is_a_notice_and_stops_nothing(place: Place) -> None:
    found = place.writes('[models.fast]\nmodel = "openai/x"\napi_key_env = "FAST_KEY"\n').loads()
    assert found.model_entries()[0].api_key is None
    assert found.notices == ("models.fast.api_key_env names FAST_KEY, which is not set: this model has no key",)


def test_settings_never_print_a_secret(place: Place) -> None:
    place.writes(
        '[models.fast]\nmodel = "openai/x"\napi_key = "canary-key-3"\n'
        "[channels.terminal]\nenabled = false\nbot_token = 'canary-token-4'\nother_env = 'PLAIN_NAME'\n"
    )
    found = place.loads(SOME_TOKEN="canary-token-5", PLAIN_NAME="canary-value-6", HARMLESS="shown")
    assert "canary" not in f"{found!r} {found} {found.models} {found.model_entries()}"
    known = {secret.reveal() for secret in found.secrets}
    assert known == {"canary-key-3", "canary-token-4", "canary-token-5", "canary-value-6"}


def test_settings_cannot_be_changed(place: Place) -> None:
    found = place.writes('[models.fast]\nmodel = "openai/x"\n').loads()
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.agent = "other"  # type: ignore[misc]
    with pytest.raises(ValidationError):
        found.limits.turns = 3
    with pytest.raises(TypeError):
        found.models["other"] = found.models["fast"]  # type: ignore[index]


def test_a_secret_shows_nothing_of_itself_and_compares_by_value() -> None:
    secret = Secret("canary-7")
    assert "canary" not in f"{secret} {secret!r} {[secret]}"
    assert secret == Secret("canary-7")
    assert secret != Secret("canary-8")
    assert not Secret("")
    assert {secret: 1}[Secret("canary-7")] == 1
