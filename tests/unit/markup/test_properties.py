"""Whatever is written: each target shows all of it, in order, within its limits."""

from collections.abc import Sequence
from typing import Protocol

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from channels.markup import discord, email, plain, slack, telegram
from channels.markup.parse import document
from channels.markup.sheet import Part
from channels.markup.tree import words_of
from core.domain.message import Fragment, Markdown, Text
from tests.unit.markup.writing import ANYTHING


class Parts(Protocol):
    """What every target has."""

    def __call__(self, fragments: Sequence[Fragment], limit: int, *, last: int = 0) -> Sequence[Part]: ...


TARGETS: dict[str, Parts] = {
    "telegram": telegram.parts,
    "discord": discord.parts,
    "slack": slack.parts,
    "email": email.parts,
    "terminal": plain.parts,
}
LIMITS = st.integers(50, 400) | st.just(0) | st.just(4_000)
EXAMPLES = settings(max_examples=60, deadline=None)


def size(target: str, part: Part) -> int:
    """As the platform counts."""
    match target:
        case "telegram":
            return telegram.units(part.visible)
        case "discord":
            return len(str(part.payload["content"]))
        case _:
            return len(str(part.payload["text"]))


@pytest.mark.parametrize("target", TARGETS)
@EXAMPLES
@given(source=ANYTHING, limit=LIMITS)
def test_no_word_is_lost_added_or_moved(target: str, source: str, limit: int) -> None:
    fragments = [Markdown(source=source)]
    content = "".join(words_of(piece) for piece in document(fragments))
    parts = TARGETS[target](fragments, limit)
    assert parts
    assert "".join(part.content for part in parts).replace("\n", " ") == content.replace("\n", " ")


@pytest.mark.parametrize("target", TARGETS)
@EXAMPLES
@given(source=ANYTHING, limit=st.integers(50, 400))
def test_no_message_is_longer_than_the_limit(target: str, source: str, limit: int) -> None:
    for part in TARGETS[target]([Markdown(source=source)], limit):
        assert size(target, part) <= limit


@pytest.mark.parametrize("target", TARGETS)
@EXAMPLES
@given(text=st.text(max_size=300) | ANYTHING)
def test_literal_text_is_shown_as_it_is(target: str, text: str) -> None:
    shown = "".join(part.visible for part in TARGETS[target]([Text(text=text)], 0))
    kept = "".join(words_of(piece) for piece in document([Text(text=text)]))
    assert shown.replace("\u200b", "") == kept.replace("\u200b", "")


@pytest.mark.parametrize("target", TARGETS)
@EXAMPLES
@given(source=ANYTHING, limit=st.integers(120, 400), last=st.integers(1, 60))
def test_room_that_is_kept_for_what_comes_behind_is_kept(target: str, source: str, limit: int, last: int) -> None:
    parts = TARGETS[target]([Markdown(source=source)], limit, last=last)
    content = "".join(words_of(piece) for piece in document([Markdown(source=source)]))
    assert "".join(part.content for part in parts).replace("\n", " ") == content.replace("\n", " ")
    assert size(target, parts[-1]) <= limit - last
