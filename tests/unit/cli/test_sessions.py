"""`parley sessions`, on a store in which people talked."""

import asyncio
import json
from pathlib import Path

import pytest

from core.store.store import open_sqlite
from gateway.cli import run
from tests.fakes.clock import FakeClock
from tests.store.desk import Desk

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def talked(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Anna's room with two conversations, the first one current; Ben's with one."""
    monkeypatch.setenv("PARLEY_HOME", str(home))
    monkeypatch.setenv("TZ", "UTC")
    asyncio.run(_talk(home / "parley.db"))
    return home


async def _talk(database: Path) -> None:
    clock = FakeClock()
    store = open_sqlite(database, clock, relaxed=True)
    desk = Desk(store)

    async def exchange(content: str, answer: str, chat: str = "room") -> None:
        await clock.advance(60)
        await desk.finishes(await desk.starts(content, chat=chat), answer)

    await exchange("first", "one")
    await exchange("a mistake", "sorry")
    await desk.hears("/undo")
    await desk.hears("/new")
    await exchange("second", "two")
    await exchange("hello", "hi", chat="other")
    await desk.hears("/resume 1")
    await exchange("and more", "three\n\x1b[2J2027-01-15 09:00:00  Anna")
    store.close()


def says(capsys: Capture, *arguments: str) -> str:
    assert run(arguments) == 0
    return capsys.readouterr().out


def test_conversations_are_listed_those_first_in_which_somebody_spoke_last(talked: Path, capsys: Capture) -> None:
    lines = says(capsys, "sessions", "list").splitlines()
    assert [line.split("  ", 1)[0] for line in lines] == ["id", "1", "6", "5"]
    assert "1 (current)  2027-01-15 08:05:00  3 (1 undone)  first" in lines[1]
    found = json.loads(says(capsys, "sessions", "list", "--json"))
    assert [(one["number"], one["current"], one["messages"], one["hidden"], one["words"]) for one in found] == [
        (1, True, 3, 1, "first"),
        (1, True, 1, 0, "hello"),
        (2, False, 1, 0, "second"),
    ]
    assert found[0]["began"] == "2027-01-15T08:01:00.000+00:00"
    assert found[0]["last"] == "2027-01-15T08:05:00.000+00:00"


def test_as_many_are_listed_as_were_asked_for(talked: Path, capsys: Capture) -> None:
    assert len(json.loads(says(capsys, "sessions", "list", "--limit", "2", "--json"))) == 2


def test_a_conversation_is_shown_by_any_message_of_it_and_nothing_in_it_passes_for_a_line_of_ours(
    talked: Path, capsys: Capture
) -> None:
    out = says(capsys, "sessions", "show", "1")
    assert out == says(capsys, "sessions", "show", "8")
    head, *talk = out.split("\n\n")
    assert "number    1" in head
    assert "hidden    1" in head
    assert [part.splitlines()[1].strip() for part in talk] == ["first", "one", "and more", "three"]
    assert [part.splitlines()[0].split("  ")[1] for part in talk] == ["Anna", "Parley", "Anna", "Parley"]
    assert talk[-1].splitlines()[2] == "    \\x1b[2J2027-01-15 09:00:00  Anna"


def test_a_conversation_as_json_holds_all_that_was_said(talked: Path, capsys: Capture) -> None:
    found = json.loads(says(capsys, "sessions", "show", "5", "--json"))
    assert (found["number"], found["current"], found["chat"]["chat_id"]) == (2, False, "room")
    assert [(line["sender"], line["mine"], line["text"]) for line in found["lines"]] == [
        ("Anna", True, "second"),
        ("", False, "two"),
    ]


def test_looking_at_a_conversation_shows_none_of_its_replies_to_the_person(talked: Path, capsys: Capture) -> None:
    says(capsys, "sessions", "show", "1")
    assert {line["state"] for line in json.loads(says(capsys, "outbox", "list", "--json"))} == {"new"}


@pytest.mark.parametrize("name", ["99", "nonsense", "4"])
def test_what_is_in_no_conversation_cannot_be_shown(talked: Path, capsys: Capture, name: str) -> None:
    assert run(["sessions", "show", name]) == 1
    assert "parley sessions list" in capsys.readouterr().err


def test_before_anything_was_said_there_is_nothing_to_list(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setenv("PARLEY_HOME", str(home))
    assert json.loads(says(capsys, "sessions", "list", "--json")) == []
    assert says(capsys, "sessions", "list") == "id  chat  number  last message  messages  first words\n"
