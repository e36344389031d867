"""Reading a command out of what a person wrote."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.decide.commands import Misspelt, distance, parse
from core.domain.command import COMMANDS, CommandCall, CommandSpec
from tests.unit.decide.logs import steady

words = st.text("abcdefgh", max_size=6)


@pytest.mark.parametrize(
    ("written", "name", "arguments"),
    [
        ("/stop", "stop", ""),
        ("!stop", "stop", ""),
        ("  /stop \n", "stop", ""),
        ("/STOP", "stop", ""),
        ("/Stop@parley_bot", "stop", ""),
        ("/model second", "model", "second"),
        ("/model@parley   second  one  ", "model", "second  one"),
        ("!model\tsecond", "model", "second"),
        ("/model second\nand more", "model", "second\nand more"),
        ("/new\n\nwhat I want now", "new", "what I want now"),
    ],
)
def test_a_command_is_read_with_its_arguments(written: str, name: str, arguments: str) -> None:
    assert parse(written, COMMANDS) == CommandCall(name=name, arguments=arguments)


@pytest.mark.parametrize(
    "written",
    [
        "",
        "/",
        "!",
        "stop",
        "please /stop",
        "//stop",
        "///stop",
        "!!stop",
        "/ stop",
        "/stop2",
        "/stop!",
        "/stop/now",
        "/etc/passwd",
        "/etc/passwd is a file",
        "/summarise this",
        "!important",
        "!stpo",
        "! stop",
        "hello\n/stop",
        "/" + "x" * 33,
        "/stöp",
    ],
)
def test_everything_else_is_a_message_for_the_agent(written: str) -> None:
    assert parse(written, COMMANDS) is None


@pytest.mark.parametrize(
    ("written", "nearest"), [("/stpo", "/stop"), ("/sto", "/stop"), ("/helpp now", "/help"), ("/STATSU", "/status")]
)
def test_a_word_within_two_edits_of_a_command_is_a_slip(written: str, nearest: str) -> None:
    assert parse(written, COMMANDS) == Misspelt(written=written.lower().split()[0], nearest=nearest)


def test_a_slip_is_one_at_two_edits_and_none_at_three() -> None:
    specs = [CommandSpec(name="status", summary="")]
    assert parse("/stat", specs) == Misspelt(written="/stat", nearest="/status")
    assert parse("/sta", specs) is None


def test_only_commands_that_are_offered_are_understood() -> None:
    specs = [spec for spec in COMMANDS if not spec.terminal_only]
    assert parse("/exit", COMMANDS) == CommandCall(name="exit")
    assert not isinstance(parse("/exit", specs), CommandCall)


def test_without_any_commands_a_slash_is_only_a_slash() -> None:
    assert parse("/help", []) is None


@steady
@given(st.text())
def test_no_text_is_too_odd_to_be_read(text: str) -> None:
    for written in (text, f"/{text}", f"!{text}", f"/stop {text}"):
        found = parse(written, COMMANDS)
        if isinstance(found, CommandCall):
            assert found.name in {spec.name for spec in COMMANDS}
            assert found.arguments == found.arguments.strip()


@steady
@given(st.text())
def test_two_slashes_always_go_to_the_agent(text: str) -> None:
    assert parse(f"//{text}", COMMANDS) is None


@steady
@given(words, words, words)
def test_a_distance_is_a_distance(one: str, two: str, three: str) -> None:
    assert (distance(one, two) == 0) == (one == two)
    assert distance(one, two) == distance(two, one)
    assert distance(one, three) <= distance(one, two) + distance(two, three)
    assert abs(len(one) - len(two)) <= distance(one, two) <= max(len(one), len(two))
