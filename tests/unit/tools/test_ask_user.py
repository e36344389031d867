"""The tool that asks."""

import pytest

from core.domain.errors import ToolError
from core.domain.wait import Ask
from core.tools.ask_user import ask_user
from tests.unit.tools.conftest import Room


async def asks(room: Room, arguments: str) -> Ask:
    result = await ask_user.run(arguments, room.context)
    assert isinstance(result, Ask)
    return result


async def test_a_question_needs_nothing_else(room: Room) -> None:
    assert await asks(room, '{"question": "Which hall?"}') == Ask(question="Which hall?")


async def test_time_is_given_in_seconds_and_an_empty_default_is_none(room: Room) -> None:
    ask = await asks(room, '{"question": "Now?", "deadline": 60, "default": "", "choices": ["yes", "no"]}')
    assert (ask.lasts, ask.default, ask.choices) == (60_000, None, ("yes", "no"))


@pytest.mark.parametrize(
    "arguments",
    [
        "{}",
        '{"question": ""}',
        '{"question": "x", "deadline": 9}',
        '{"question": "x", "deadline": 2592001}',
        '{"question": "x", "choices": ["1", "2", "3", "4", "5", "6", "7", "8", "9"]}',
        '{"question": "x", "choices": ["Yes", "yes"]}',
        '{"question": "x", "choices": [""]}',
    ],
)
async def test_what_cannot_be_asked_is_told_to_the_model(room: Room, arguments: str) -> None:
    with pytest.raises(ToolError):
        await ask_user.run(arguments, room.context)
