"""Telegram's own parser is the referee: what we send it, it takes, and it sees what we meant."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st
from tdjson import td_execute

from channels.markup import telegram
from channels.markup.parse import document
from channels.markup.tree import Words
from core.domain.message import Markdown
from tests.unit.markup.meaning import Seen, counts, meant, of_the_author
from tests.unit.markup.writing import ANYTHING, CALM, DOCUMENTS

OF_ENTITY = {
    "textEntityTypeBold": "bold",
    "textEntityTypeItalic": "italic",
    "textEntityTypeStrikethrough": "strike",
    "textEntityTypeCode": "code",
    "textEntityTypePre": "block",
    "textEntityTypePreCode": "block",
    "textEntityTypeTextUrl": "link",
    "textEntityTypeUrl": "link",
    "textEntityTypeEmailAddress": "link",
}


def parsed(text: str) -> dict[str, object]:
    """What Telegram makes of it."""
    asked = {"@type": "parseTextEntities", "text": text, "parse_mode": {"@type": "textParseModeHTML"}}
    told = td_execute(json.dumps(asked).encode())
    assert told is not None
    answer: dict[str, object] = json.loads(told)
    return answer


@settings(max_examples=DOCUMENTS, deadline=None)
@given(source=ANYTHING, limit=st.integers(50, 4_096))
def test_every_message_is_taken_within_the_limit_and_reads_as_it_was_meant(source: str, limit: int) -> None:
    for part in telegram.parts([Markdown(source=source)], limit):
        answer = parsed(str(part.payload["text"]))
        assert answer["@type"] == "formattedText", answer
        assert telegram.units(str(answer["text"])) <= limit
        assert str(answer["text"]).strip() == part.visible.strip()


def _shown(answer: dict[str, object]) -> list[Seen]:
    """Each character with its looks; entities count in UTF-16 units."""
    units = [c for c in str(answer["text"]) for _ in range(1 + (c > "\uffff"))]
    looks: list[set[str]] = [set() for _ in units]
    entities = answer["entities"]
    assert isinstance(entities, list)
    for entity in entities:
        name = OF_ENTITY.get(entity["type"]["@type"])
        for index in range(entity["offset"], entity["offset"] + entity["length"]):
            looks[index] |= {name} if name else set()
    at, seen = 0, list[Seen]()
    for character in str(answer["text"]):
        if counts(character):
            seen.append((character, frozenset(looks[at])))
        at += 1 + (character > "\uffff")
    return seen


def _heads(words: Words) -> bool:
    return bool(words.level)


@settings(max_examples=DOCUMENTS, deadline=None)
@given(source=CALM)
def test_telegram_sees_the_looks_and_links_that_were_meant(source: str) -> None:
    seen: list[Seen] = []
    for part in telegram.parts([Markdown(source=source)]):
        seen.extend(of_the_author(part, _shown(parsed(str(part.payload["text"])))))
    assert seen == list(meant(document([Markdown(source=source)]), _heads))
