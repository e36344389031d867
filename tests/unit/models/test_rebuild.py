"""Streamed pieces of tool calls, put together without a provider."""

import json

from hypothesis import given
from hypothesis import strategies as st

from core.domain.step import Call
from core.models.rebuild import CallPieces, Piece

NAMES = st.sampled_from(["add", "list_jobs", "write_file"])
ARGUMENTS = st.dictionaries(st.text(max_size=5), st.integers() | st.text(max_size=8), max_size=3).map(json.dumps)


def together(*pieces: Piece) -> list[Call]:
    rebuilt = CallPieces()
    for piece in pieces:
        rebuilt.add(piece)
    return list(rebuilt.calls())


def cut_up(index: int, name: str, arguments: str, call_id: str, size: int) -> list[Piece]:
    parts = [arguments[at : at + size] for at in range(0, len(arguments), size)]
    head = Piece(index=index, id=call_id, name=name)
    return [head, *(Piece(index=index, arguments=part) for part in parts)]


@given(st.lists(st.tuples(NAMES, ARGUMENTS, st.sampled_from(["", "same"])), max_size=5), st.integers(1, 9))
def test_calls_at_their_own_index_come_back_whole_whatever_their_ids(
    wanted: list[tuple[str, str, str]], size: int
) -> None:
    pieces = [
        piece
        for index, (name, arguments, call_id) in enumerate(wanted)
        for piece in cut_up(index, name, arguments, call_id, size)
    ]
    assert together(*pieces) == [Call(name=name, arguments=arguments) for name, arguments, _ in wanted]


@given(st.lists(st.tuples(NAMES, ARGUMENTS), max_size=5), st.integers(1, 9))
def test_calls_that_all_stand_at_index_0_are_told_apart_by_their_ids(wanted: list[tuple[str, str]], size: int) -> None:
    pieces = [
        piece for n, (name, arguments) in enumerate(wanted) for piece in cut_up(0, name, arguments, f"id{n}", size)
    ]
    assert together(*pieces) == [Call(name=name, arguments=arguments) for name, arguments in wanted]


def test_pieces_of_two_calls_may_come_mixed() -> None:
    calls = together(
        Piece(index=0, name="add", id="x", arguments='{"a":'),
        Piece(index=1, name="add", id="y", arguments='{"a":'),
        Piece(index=0, arguments="1}"),
        Piece(index=1, arguments="2}"),
    )
    assert [call.arguments for call in calls] == ['{"a":1}', '{"a":2}']


def test_whole_calls_at_one_index_without_ids_are_told_apart_by_their_names() -> None:
    calls = together(Piece(name="add", arguments='{"a":1}'), Piece(name="add", arguments='{"a":2}'))
    assert [call.arguments for call in calls] == ['{"a":1}', '{"a":2}']


def test_a_name_that_comes_with_every_piece_begins_no_other_call() -> None:
    calls = together(Piece(name="add", arguments='{"a"'), Piece(name="add", arguments=":1}"))
    assert calls == [Call(name="add", arguments='{"a":1}')]


def test_the_whole_arguments_sent_once_more_are_taken_once() -> None:
    calls = together(
        Piece(name="add", id="x", arguments='{"a":'),
        Piece(arguments="1}"),
        Piece(name="add", id="x", arguments='{"a":1}'),
    )
    assert calls == [Call(name="add", arguments='{"a":1}')]


def test_an_id_that_changes_with_every_piece_begins_no_other_call() -> None:
    calls = together(Piece(name="add", id="x", arguments='{"a":'), Piece(id="y", arguments="1}"))
    assert calls == [Call(name="add", arguments='{"a":1}')]


def test_a_name_that_comes_late_belongs_to_its_call() -> None:
    assert together(Piece(arguments="{"), Piece(name="add", arguments="}")) == [Call(name="add", arguments="{}")]


def test_a_piece_of_nothing_is_no_call() -> None:
    assert together(Piece(), Piece(id="x")) == []
