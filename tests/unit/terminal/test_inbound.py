"""From a line to what it means."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from channels.terminal.inbound import chat_of, read
from core.domain.chat import ChatKey, Principal
from core.domain.message import Dropped, Inbound, InboundKind
from tests.unit.terminal.desk import NOON


def reading(line: str, *, limit: int = 100) -> Inbound | Dropped:
    """What the user ann says in the session work."""
    return read(line, session="work", user="ann", at=NOON, key="w.1", limit=limit)


def test_a_line_becomes_a_message_of_the_user_in_the_session() -> None:
    assert reading("hello") == Inbound(
        event_key="w.1",
        chat=ChatKey(channel="terminal", account="ann", chat_id="work"),
        sender=Principal(channel="terminal", account="ann", user_id="ann", name="ann"),
        content="hello",
        at=NOON,
    )


def test_a_command_is_a_message_like_any_other() -> None:
    event = reading("/stop")
    assert isinstance(event, Inbound)
    assert (event.kind, event.content) == (InboundKind.MESSAGE, "/stop")


@pytest.mark.parametrize("blank", ["", " ", "\t", "\n\n", "\r\n", "\u3000"])
def test_a_blank_line_is_noise(blank: str) -> None:
    assert reading(blank) == Dropped(reason="noise", event_key="w.1", chat=chat_of("ann", "work"), at=NOON)


@pytest.mark.parametrize(("length", "taken"), [(99, True), (100, True), (101, False)])
def test_a_message_past_the_limit_is_dropped_whole(length: int, taken: bool) -> None:
    event = reading("x" * length)
    assert isinstance(event, Inbound) == taken
    if isinstance(event, Dropped):
        assert event.reason == "too_long"


@pytest.mark.parametrize(
    ("typed", "stored"),
    [
        ("a\x00b", "a\ufffdb"),
        ("half \udcff pair", "half \ufffd pair"),
        ("one\r\ntwo\rthree", "one\ntwo\nthree"),
        ("  indented\n\n", "  indented"),
    ],
)
def test_what_no_store_can_hold_is_replaced(typed: str, stored: str) -> None:
    event = reading(typed)
    assert isinstance(event, Inbound)
    assert event.content == stored


@given(st.text(alphabet=st.characters(codec=None)))
def test_every_line_can_be_read_and_stored(line: str) -> None:
    event = reading(line, limit=10_000)
    if isinstance(event, Inbound):
        assert event.content.strip()
        assert "\x00" not in event.content.encode().decode()
