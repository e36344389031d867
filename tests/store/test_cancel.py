"""Stopping and beginning anew, applied in the commit that takes the command."""

import asyncio

import pytest

from core.domain.message import plain
from core.domain.step import Nudged, Stamped
from tests.store.desk import Desk, ending, new_key, words

NUDGE = (Stamped(seq=1, step=Nudged(text="go on")),)


async def test_stop_ends_everything_that_lives_in_the_chat(desk: Desk) -> None:
    await desk.starts("running")
    await desk.hears("waits 1")
    await desk.hears("waits 2")
    accepted = await desk.hears("/stop")
    assert sorted(accepted.stopped) == [1, 2, 3]
    assert (accepted.replies, accepted.command, accepted.claim) == (True, False, None)
    assert await desk.rows("SELECT DISTINCT state FROM turns") == [("stopped",)]
    assert await desk.rows("SELECT live, ready, owner, until FROM chats") == [(0, None, None, None)]
    assert words(await desk.outbox.next(1)) == "Stopped. 2 waiting messages dropped."


async def test_stop_takes_the_chat_away_from_whoever_works_on_it(desk: Desk) -> None:
    claim = await desk.starts("running")
    await desk.hears("/stop")
    assert not await desk.turns.append(claim, NUDGE)
    finished = await desk.turns.finish(claim, ending("too late"), key=new_key(), send_now=True)
    assert (finished.lost, finished.delivery) == (True, None)
    await desk.turns.release(claim)
    assert await desk.rows("SELECT state FROM turns") == [("stopped",)]
    assert await desk.rows("SELECT count(*) FROM steps") == [(0,)]
    assert await desk.rows("SELECT fence, signals, epoch, session FROM chats") == [(2, 1, 0, 0)]


@pytest.mark.parametrize("text", ["/stop", "!stop", "  /STOP  ", "/stop@parley please"])
async def test_stop_may_be_written_in_several_ways(desk: Desk, text: str) -> None:
    await desk.starts("running")
    assert (await desk.hears(text)).stopped == (1,)


async def test_stop_with_nothing_running_says_so_and_changes_nothing(desk: Desk) -> None:
    await desk.finishes(await desk.starts("done"))
    before = await desk.rows("SELECT * FROM chats")
    accepted = await desk.hears("/stop")
    assert (accepted.stopped, accepted.replies) == ((), True)
    assert await desk.rows("SELECT * FROM chats") == before
    assert words(await desk.outbox.next(1)) == "done"


async def test_stop_says_so_once_however_often_it_is_delivered(desk: Desk) -> None:
    await desk.starts("running")
    await desk.hears("/stop")
    await desk.hears("/stop")
    said = await desk.rows("SELECT reply FROM outbox ORDER BY id")
    assert [("Stopped." in str(row[0]), "Nothing" in str(row[0])) for row in said] == [(True, False), (False, True)]


async def test_stop_leaves_other_chats_and_threads_alone(desk: Desk) -> None:
    claim = await desk.starts("here", chat="here")
    await desk.hears("queued", chat="there")
    await desk.hears("/stop", chat="there")
    assert not (await desk.finishes(claim)).lost


async def test_stop_leaves_finished_turns_and_their_replies_alone(desk: Desk) -> None:
    await desk.replies("kept")
    await desk.starts("running")
    await desk.hears("/stop")
    assert await desk.rows("SELECT state FROM turns ORDER BY id") == [("done",), ("stopped",)]
    assert words(await desk.outbox.next(1)) == "kept"


async def test_after_stop_the_next_message_is_answered_at_once(desk: Desk) -> None:
    await desk.starts("running")
    await desk.hears("/stop")
    claim = await desk.starts("again")
    assert (claim.turn, claim.fence, claim.signals) == (3, 3, 1)
    assert not (await desk.finishes(claim)).lost


async def test_new_stops_cuts_the_history_and_says_only_that(desk: Desk) -> None:
    await desk.finishes(await desk.starts("before"))
    await desk.starts("running")
    await desk.hears("waits")
    accepted = await desk.hears("/new")
    assert sorted(accepted.stopped) == [2, 3]
    assert await desk.rows("SELECT epoch, session, live, signals FROM chats") == [(1, 4, 0, 1)]
    said = await desk.rows("SELECT reply FROM outbox WHERE inbound = 4")
    assert len(said) == 1
    assert "New conversation." in str(said[0][0])


async def test_new_in_an_idle_chat_cuts_too(desk: Desk) -> None:
    await desk.finishes(await desk.starts("before"))
    await desk.hears("/new")
    claim = await desk.starts("after")
    assert [exchange.said[0].content for exchange in await desk.turns.history(claim, 0)] == ["after"]


async def test_new_as_the_very_first_thing_is_fine(desk: Desk) -> None:
    accepted = await desk.hears("/new")
    assert (accepted.stopped, accepted.replies) == ((), True)
    assert await desk.rows("SELECT epoch, session, live FROM chats") == [(1, 1, 0)]


async def test_new_keeps_the_chosen_model(desk: Desk) -> None:
    await desk.hears("hello")
    await desk.chats.set_model(1, "second")
    await desk.hears("/new")
    assert (await desk.starts("after")).choice.names == ("second", "first")


async def test_a_stopped_turn_that_nobody_had_claimed_is_never_claimed(desk: Desk) -> None:
    await desk.hears("queued")
    await desk.hears("/stop")
    assert await desk.turns.claim(5) == []


async def test_stop_and_finish_at_the_same_moment_agree_on_one_outcome(desk: Desk) -> None:
    for n in range(20):
        chat = f"c{n}"
        claim = await desk.starts("work", chat=chat)
        async with asyncio.TaskGroup() as group:
            stops = group.create_task(desk.hears("/stop", chat=chat))
            ends = group.create_task(desk.turns.finish(claim, ending(), key=new_key(), send_now=False))
        answered = not ends.result().lost
        assert answered == (stops.result().stopped == ())
        said = []
        while delivery := await desk.outbox.next(claim.chat_row):
            said.append(plain(delivery.reply))
            await desk.outbox.dead(delivery, "read")
        assert said == (["done", "Nothing is running here."] if answered else ["Stopped."])


async def test_a_history_read_with_a_cut_away_claim_is_empty_or_its_own(desk: Desk) -> None:
    claim = await desk.starts("work")
    await desk.hears("/new")
    assert [exchange.turn for exchange in await desk.turns.history(claim, 0)] in ([], [claim.turn])
