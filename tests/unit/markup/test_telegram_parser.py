"""Telegram's own parser is the referee: what we send it, it takes, and it sees what we meant."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st
from tdjson import td_execute

from channels.markup import telegram
from core.domain.message import Markdown
from tests.unit.markup.writing import ANYTHING


def parsed(text: str) -> dict[str, object]:
    """What Telegram makes of it."""
    asked = {"@type": "parseTextEntities", "text": text, "parse_mode": {"@type": "textParseModeHTML"}}
    told = td_execute(json.dumps(asked).encode())
    assert told is not None
    answer: dict[str, object] = json.loads(told)
    return answer


@settings(max_examples=500, deadline=None)
@given(source=ANYTHING, limit=st.integers(50, 4_096))
def test_every_message_is_taken_within_the_limit_and_reads_as_it_was_meant(source: str, limit: int) -> None:
    for part in telegram.parts([Markdown(source=source)], limit):
        answer = parsed(str(part.payload["text"]))
        assert answer["@type"] == "formattedText", answer
        assert telegram.units(str(answer["text"])) <= limit
        assert str(answer["text"]).strip() == part.visible.strip()
