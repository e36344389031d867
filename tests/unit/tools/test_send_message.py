"""send_message: to this chat, or to the chats that the operator listed."""

import pytest

from core.domain.chat import ChatKey
from core.domain.message import Markdown, OutgoingFile, Reply
from core.tools.send_message import MOST_FILES, send_message
from tests.unit.tools.conftest import Room

TEAM = ChatKey(channel="radio", account="acme", chat_id="team")
OWN = ChatKey(channel="terminal", account="ada", chat_id="default")
TOOL = send_message({"radio:default:team": TEAM, "terminal:default:default": OWN})


async def test_without_a_target_it_is_said_here_and_marked_as_said(room: Room) -> None:
    result = await room.call(TOOL, text="**done**")
    assert room.mouth.said == [(Reply(fragments=(Markdown(source="**done**"),)), None)]
    assert result.said == "**done**"
    assert not result.files


async def test_files_go_with_the_message_and_not_with_the_answer(room: Room) -> None:
    room.file("data/plan.md", "x")
    result = await room.call(TOOL, files=["data/plan.md", "./data/plan.md"])
    assert room.mouth.said == [(Reply(fragments=(), files=(OutgoingFile(path="data/plan.md", name="plan.md"),)), None)]
    assert result.files == ()


async def test_a_listed_chat_is_written_to(room: Room) -> None:
    result = await room.call(TOOL, text="news", to="radio:default:team")
    assert room.mouth.said == [(Reply(fragments=(Markdown(source="news"),)), TEAM)]
    assert result.said is None
    assert "radio:default:team" in TOOL.spec.description


async def test_the_own_chat_by_its_name_is_this_chat(room: Room) -> None:
    result = await room.call(TOOL, text="here", to="terminal:default:default")
    assert room.mouth.said[0][1] is None
    assert result.said == "here"


@pytest.mark.parametrize("to", ["radio:default:other", "radio:acme:team", "team", " radio:default:team", "*", "a\x1bb"])
async def test_any_other_chat_is_refused_with_the_name_of_the_setting(room: Room, to: str) -> None:
    told = await room.refusal(TOOL, text="news", to=to)
    assert "[tools.send_message] send_to" in told
    assert "radio:default:team" in told
    assert "\x1b" not in told
    assert room.mouth.said == []


async def test_without_any_listed_chat_the_refusal_says_so(room: Room) -> None:
    assert "It lists none." in await room.refusal(send_message({}), text="news", to="radio:default:team")


async def test_nothing_is_not_sent(room: Room) -> None:
    assert "There is nothing to send" in await room.refusal(TOOL, text=" \n")
    assert "there is no such file" in await room.refusal(TOOL, text="see", files=["none.md"])
    assert "at most 10" in await room.refusal(TOOL, text="see", files=["a"] * (MOST_FILES + 1))
    room.file("uploads/other/secret.txt", "x")
    assert "there is no such file" in await room.refusal(TOOL, files=["uploads/other/secret.txt"])
    assert room.mouth.said == []
