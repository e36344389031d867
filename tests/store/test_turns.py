"""T3 to T-end: the log of a turn, its last commit, and what history is made of."""

import asyncio

import pytest
from sqlalchemy.exc import IntegrityError

from core.domain.history import Exchange
from core.domain.message import OutgoingFile, Reply, Text, plain
from core.domain.step import Call, CallId, ModelAnswered, Nudged, Stamped, Step, ToolFinished, ToolStarted
from core.domain.turn import Usage
from core.ports import Claim, Ending
from core.store.store import Store
from core.store.turns import HISTORY_TURNS
from tests.fakes.clock import FakeClock
from tests.store.desk import Desk, ending, new_key, receipt, words

CALL = CallId(step=1, index=0)
ROUND: tuple[Step, ...] = (
    ModelAnswered(
        text="I look",
        calls=(Call(name="search", arguments='{"q": "belt"}'), Call(name="write", arguments="not json")),
        cut=True,
        model="first",
        usage=Usage(prompt_tokens=7, completion_tokens=3, cost=0.25),
    ),
    ToolStarted(call=CallId(step=1, index=1)),
    ToolFinished(call=CALL, result="belt 42", files=(OutgoingFile(path="a/b.pdf", name="b.pdf", caption="c"),)),
    ToolFinished(call=CallId(step=1, index=1), result="", failed=True),
    Nudged(text="go on"),
)


def stamped(*steps: Step, start: int = 1) -> tuple[Stamped, ...]:
    return tuple(Stamped(seq=seq, step=step) for seq, step in enumerate(steps, start))


async def said(desk: Desk, claim: Claim, since: int = 0) -> list[str]:
    """What people said in the history of a claim."""
    return [one.content for exchange in await desk.turns.history(claim, since) for one in exchange.said]


async def test_steps_come_back_as_they_were_written(desk: Desk) -> None:
    claim = await desk.starts("go")
    assert await desk.turns.append(claim, stamped(*ROUND))
    (exchange,) = await desk.turns.history(claim, 0)
    assert exchange.steps == stamped(*ROUND)
    assert (exchange.turn, exchange.closed) == (claim.turn, False)


async def test_steps_are_added_all_or_none(desk: Desk) -> None:
    claim = await desk.starts("go")
    await desk.turns.append(claim, stamped(ROUND[0]))
    with pytest.raises(IntegrityError):
        await desk.turns.append(claim, (*stamped(ToolFinished(call=CALL, result="1"), start=2), *stamped(ROUND[0])))
    assert await desk.rows("SELECT count(*) FROM steps") == [(1,)]


async def test_a_call_gets_no_second_result(desk: Desk) -> None:
    claim = await desk.starts("go")
    await desk.turns.append(claim, stamped(ROUND[0], ToolFinished(call=CALL, result="1")))
    with pytest.raises(IntegrityError):
        await desk.turns.append(claim, stamped(ToolFinished(call=CALL, result="2"), start=3))


async def test_finishing_writes_answer_reply_and_end_in_one_commit(desk: Desk, clock: FakeClock) -> None:
    claim = await desk.starts("hello")
    await clock.advance(3)
    finished = await desk.turns.finish(claim, ending("hi there"), key="k1", send_now=False)
    assert (finished.lost, finished.changed, finished.waiting, finished.delivery) == (False, False, False, None)
    assert await desk.rows("SELECT state, cause, finished_at FROM turns") == [("done", None, clock.now())]
    assert await desk.rows("SELECT turn, seq, kind, at FROM steps") == [(1, 1, "model_answered", clock.now())]
    assert await desk.rows("SELECT chat, turn, inbound, key, state, attempt, created_at FROM outbox") == [
        (1, 1, None, "k1", "new", 0, clock.now())
    ]
    assert await desk.rows("SELECT live, ready, owner, until FROM chats") == [(0, None, None, None)]


async def test_a_reply_that_goes_out_at_once_is_already_marked_as_sending(desk: Desk, clock: FakeClock) -> None:
    claim = await desk.starts("hello")
    reply = Reply(fragments=(Text(text="hi"),), files=(OutgoingFile(path="a.pdf", name="a.pdf"),))
    finished = await desk.turns.finish(claim, Ending(reply=reply), key="k1", send_now=True)
    delivery = finished.delivery
    assert delivery is not None
    assert (delivery.id, delivery.chat, delivery.reply, delivery.key) == (1, claim.chat, reply, "k1")
    assert (delivery.part, delivery.attempt, delivery.turn, delivery.created_at) == (0, 1, claim.turn, clock.now())
    assert await desk.rows("SELECT state, attempt FROM outbox") == [("sending", 1)]
    assert await desk.outbox.next(claim.chat_row) is None


async def test_an_older_reply_that_still_waits_goes_before_one_that_could_go_out_at_once(desk: Desk) -> None:
    row = await desk.replies("older")
    finished = await desk.turns.finish(await desk.starts("again"), ending("newer"), key=new_key(), send_now=True)
    assert (finished.delivery, finished.lost) == (None, False)
    for answer in ("older", "newer"):
        delivery = await desk.next(row)
        assert (words(delivery), delivery.attempt) == (answer, 1)
        await desk.outbox.sent(delivery, receipt(), more=False, stored=False)
    finished = await desk.turns.finish(await desk.starts("more"), ending("at once"), key=new_key(), send_now=True)
    assert words(finished.delivery) == "at once"


async def test_a_broken_turn_keeps_its_cause_and_says_so(desk: Desk) -> None:
    claim = await desk.starts("hello")
    await desk.turns.finish(claim, ending("I could not", cause="an internal error"), key=new_key(), send_now=False)
    assert await desk.rows("SELECT state, cause FROM turns") == [("broken", "an internal error")]
    assert words(await desk.outbox.next(claim.chat_row)) == "I could not"


async def test_the_next_turn_is_ready_the_moment_the_one_before_it_ends(desk: Desk) -> None:
    claim = await desk.starts("first")
    for n in range(2):
        await desk.hears(f"later {n}")
    assert (await desk.finishes(claim)).waiting
    assert await desk.rows("SELECT live, ready, owner FROM chats") == [(2, 2, None)]
    claim = await desk.claims()
    assert claim.turn == 2
    assert (await desk.finishes(claim)).waiting
    assert not (await desk.finishes(await desk.claims())).waiting


async def test_a_message_that_arrives_while_a_turn_ends_is_not_overlooked(desk: Desk) -> None:
    for n in range(20):
        chat = f"c{n}"
        claim = await desk.starts("first", chat=chat)
        async with asyncio.TaskGroup() as group:
            ends = group.create_task(desk.turns.finish(claim, ending(), key=new_key(), send_now=False))
            comes = group.create_task(desk.hears("second", chat=chat, slot=True))
        assert ends.result().waiting != (comes.result().claim is not None)
        assert (await desk.rows("SELECT live, ready IS NULL FROM chats WHERE chat_id = :c", c=chat)) == [(1, 0)]


async def test_finishing_twice_changes_nothing(desk: Desk) -> None:
    claim = await desk.starts("hello")
    await desk.finishes(claim)
    await desk.hears("next")
    before = await desk.rows("SELECT * FROM chats, turns")
    await desk.turns.release(claim)
    assert await desk.rows("SELECT * FROM chats, turns") == before


async def test_a_signal_that_came_in_is_told_and_nothing_is_written(desk: Desk, store: Store) -> None:
    claim = await desk.starts("hello")
    await store.run(lambda conn: conn.exec_driver_sql("UPDATE chats SET signals = signals + 1"))
    finished = await desk.turns.finish(claim, ending("late"), key=new_key(), send_now=True)
    assert (finished.lost, finished.changed, finished.delivery) == (False, True, None)
    assert await desk.rows("SELECT state FROM turns") == [("running",)]
    assert await desk.rows("SELECT (SELECT count(*) FROM outbox), (SELECT count(*) FROM steps)") == [(0, 0)]
    assert await desk.turns.append(claim, stamped(Nudged(text="noticed")))


async def test_history_is_what_was_said_and_done_oldest_first(desk: Desk) -> None:
    for n in range(3):
        claim = await desk.starts(f"question {n}")
        await desk.finishes(claim, f"answer {n}")
    claim = await desk.starts("now")
    exchanges = await desk.turns.history(claim, 0)
    assert [(exchange.turn, exchange.said[0].content, exchange.closed) for exchange in exchanges] == [
        (1, "question 0", True),
        (2, "question 1", True),
        (3, "question 2", True),
        (4, "now", False),
    ]
    assert [answer_of(exchange) for exchange in exchanges] == ["answer 0", "answer 1", "answer 2", None]


async def test_history_after_a_turn_is_only_what_is_new(desk: Desk) -> None:
    for n in range(4):
        await desk.finishes(await desk.starts(f"{n}"))
    claim = await desk.starts("now")
    assert await said(desk, claim, since=3) == ["3", "now"]
    assert await said(desk, claim, since=4) == ["now"]


async def test_history_knows_nothing_of_other_chats_commands_drops_and_what_waits(desk: Desk) -> None:
    await desk.finishes(await desk.starts("elsewhere", chat="other"))
    await desk.hears("/help")
    await desk.hears("let me in", user="mallory")
    claim = await desk.starts("here")
    await desk.hears("waits")
    assert await said(desk, claim) == ["here"]


async def test_history_reaches_back_so_many_turns_and_no_further(desk: Desk, store: Store) -> None:
    for n in range(HISTORY_TURNS + 3):
        await desk.turns.finish(await desk.starts(f"{n}"), ending(), key=new_key(), send_now=False)
    claim = await desk.starts("now")
    found = await said(desk, claim)
    assert len(found) == HISTORY_TURNS
    assert (found[0], found[-1]) == ("4", "now")


async def test_history_starts_after_new(desk: Desk) -> None:
    await desk.finishes(await desk.starts("before"))
    await desk.hears("/new")
    claim = await desk.starts("after")
    assert await said(desk, claim) == ["after"]
    assert claim.epoch == 1


async def test_history_leaves_out_what_was_undone(desk: Desk, store: Store) -> None:
    for n in range(3):
        await desk.finishes(await desk.starts(f"{n}"))
    await store.run(lambda conn: conn.exec_driver_sql("UPDATE turns SET undone = 1 WHERE id = 2"))
    assert await said(desk, await desk.starts("now")) == ["0", "2", "now"]


async def test_history_keeps_stopped_and_broken_turns(desk: Desk) -> None:
    claim = await desk.starts("stopped")
    await desk.turns.append(claim, stamped(*ROUND[:3]))
    await desk.hears("/stop")
    claim = await desk.starts("broken")
    await desk.turns.finish(claim, ending(cause="an internal error"), key=new_key(), send_now=False)
    claim = await desk.starts("now")
    exchanges = await desk.turns.history(claim, 0)
    assert [(exchange.said[0].content, len(exchange.steps)) for exchange in exchanges] == [
        ("stopped", 3),
        ("broken", 0),
        ("now", 0),
    ]


async def test_history_keeps_steps_of_other_frames_out(desk: Desk, store: Store) -> None:
    claim = await desk.starts("go")
    await desk.turns.append(claim, stamped(Nudged(text="root"), Nudged(text="child")))
    await store.run(lambda conn: conn.exec_driver_sql("UPDATE steps SET frame = 7 WHERE seq = 2"))
    (exchange,) = await desk.turns.history(claim, 0)
    assert [one.seq for one in exchange.steps] == [1]


async def test_texts_of_every_alphabet_and_size_come_back_whole(desk: Desk) -> None:
    texts = ["", "\u0000", "ünï", "漢字", "👩‍👩‍👧", "\u202e", "a\r\nb\tc", "x" * 1_000_000, '"\\', "\ufffe\uffff"]
    claim = await desk.starts("go")
    await desk.turns.append(claim, stamped(*(Nudged(text=text) for text in texts)))
    (exchange,) = await desk.turns.history(claim, 0)
    assert [one.step.text for one in exchange.steps if isinstance(one.step, Nudged)] == texts
    await desk.turns.finish(
        claim, Ending(reply=Reply(fragments=tuple(Text(text=text) for text in texts))), key=new_key(), send_now=False
    )
    assert plain((await desk.next(claim.chat_row)).reply) == "".join(texts)


async def test_half_a_surrogate_pair_of_a_model_costs_no_turn(desk: Desk) -> None:
    half = "half \ud83d a pair"
    claim = await desk.starts()
    assert await desk.turns.append(
        claim,
        stamped(
            ModelAnswered(text=half, calls=(Call(name=half, arguments=half),)),
            ToolFinished(call=CALL, result=half, files=(OutgoingFile(path=half, name=half),)),
        ),
    )
    assert not (await desk.finishes(claim, half)).lost
    assert words(await desk.outbox.next(claim.chat_row)) == "half \ufffd a pair"
    (exchange, _) = await desk.turns.history(await desk.starts("next"), 0)
    assert answer_of(exchange) == "half \ufffd a pair"


def answer_of(exchange: Exchange) -> str | None:
    step = exchange.steps[-1].step if exchange.steps else None
    return step.text if isinstance(step, ModelAnswered) else None
