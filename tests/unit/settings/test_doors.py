"""Who is let in where nothing is said about it, and what no setting may open."""

from pathlib import Path

import pytest

from core.decide.gate import DmPolicy
from core.domain.errors import SettingsError
from gateway.doors import BOT_MAILS, BOT_TURNS, door_of
from gateway.sections import ChannelCommon
from gateway.settings import load


def test_strangers_get_a_code_in_chats_and_nothing_by_mail() -> None:
    chat, mail = door_of(ChannelCommon(), mail=False), door_of(ChannelCommon(), mail=True)
    assert (chat.dm, chat.bot_turns) == (DmPolicy.PAIRING, BOT_TURNS)
    assert (mail.dm, mail.bot_turns) == (DmPolicy.ALLOWLIST, BOT_MAILS)


def test_no_code_goes_out_by_mail_whatever_is_set() -> None:
    assert door_of(ChannelCommon(dm_policy=DmPolicy.PAIRING), mail=True).dm is DmPolicy.ALLOWLIST
    assert door_of(ChannelCommon(dm_policy=DmPolicy.OPEN), mail=True).dm is DmPolicy.OPEN


def test_pairing_by_mail_is_an_error_that_names_the_key_and_what_to_write(tmp_path: Path) -> None:
    (tmp_path / "parley.toml").write_text('[channels.email]\ndm_policy = "pairing"\n')
    with pytest.raises(
        SettingsError, match=r"parley\.toml:2: channels\.email\.dm_policy cannot be pairing .* allowlist"
    ):
        load(tmp_path, {})
