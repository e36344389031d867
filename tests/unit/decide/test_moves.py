"""The transitions of a turn."""

from itertools import product

import pytest

from core.domain.turn import MOVES, TurnEvent, TurnState, after

Q, R, W = TurnState.QUEUED, TurnState.RUNNING, TurnState.WAITING
DONE, BROKEN, STOPPED = TurnState.DONE, TurnState.BROKEN, TurnState.STOPPED
FINAL = (DONE, BROKEN, STOPPED)

ALLOWED = {
    (Q, TurnEvent.CLAIMED): R,
    (Q, TurnEvent.CANCELLED): STOPPED,
    (R, TurnEvent.PARKED): W,
    (R, TurnEvent.ANSWERED): R,
    (R, TurnEvent.FINISHED): DONE,
    (R, TurnEvent.FAILED): BROKEN,
    (R, TurnEvent.LEASE_LOST): Q,
    (R, TurnEvent.CANCELLED): STOPPED,
    (W, TurnEvent.ANSWERED): Q,
    (W, TurnEvent.EXPIRED): Q,
    (W, TurnEvent.CANCELLED): STOPPED,
}


@pytest.mark.parametrize(("state", "event"), [pair for pair in product(TurnState, TurnEvent) if pair in ALLOWED])
def test_a_turn_moves(state: TurnState, event: TurnEvent) -> None:
    assert after(state, event) is ALLOWED[state, event]


@pytest.mark.parametrize(("state", "event"), [pair for pair in product(TurnState, TurnEvent) if pair not in ALLOWED])
def test_a_turn_does_not_move(state: TurnState, event: TurnEvent) -> None:
    with pytest.raises(KeyError):
        after(state, event)


def test_every_state_stands_in_the_table() -> None:
    assert set(MOVES) == set(TurnState)


def test_nothing_leads_out_of_a_final_state() -> None:
    assert [state for state in TurnState if not MOVES[state]] == list(FINAL)


def test_every_live_state_can_be_cancelled_and_can_reach_every_end() -> None:
    for state in (Q, R, W):
        assert MOVES[state][TurnEvent.CANCELLED] is STOPPED
        assert reach(state) >= set(FINAL)


def test_the_table_cannot_be_changed() -> None:
    with pytest.raises(TypeError):
        MOVES[Q] = {}  # type: ignore[index]


def reach(state: TurnState) -> set[TurnState]:
    """Every state that can follow, by any way."""
    found: set[TurnState] = set()
    waiting = [state]
    while waiting:
        for following in MOVES[waiting.pop()].values():
            if following not in found:
                found.add(following)
                waiting.append(following)
    return found
