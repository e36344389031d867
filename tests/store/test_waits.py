"""Questions to people in the store: asked, shown, answered once, run out."""

import asyncio
from dataclasses import replace

import pytest

from core.decide.waits import question_of
from core.domain.message import Attachment, Inbound, InboundKind, plain
from core.domain.step import Asked, Call, CallId, ModelAnswered, Stamped, ToolFinished
from core.domain.texts import Texts
from core.domain.wait import Answered, Ask
from core.ports import Claim
from core.store.waits_port import StoredWaits
from tests.fakes.clock import FakeClock
from tests.store.desk import Desk, ending, message, new_key, person, place, receipt, words

HOUR = 3_600_000
WISH = Ask(question="For how many?", choices=("Two", "Four"), lasts=HOUR, default="Two")
CALLS = ModelAnswered(text="", calls=tuple(Call(name="ask_user", arguments="{}") for _ in range(3)))


async def begins(desk: Desk, *, chat: str = "room") -> Claim:
    """A running turn whose model made three calls."""
    claim = await desk.starts("book a table", chat=chat)
    await desk.turns.append(claim, [Stamped(seq=1, step=CALLS)])
    return claim


async def asks(desk: Desk, claim: Claim, index: int = 0, *, user: str = "anna", wish: Ask = WISH) -> bool:
    """A call of the turn asks somebody."""
    question = question_of(
        wish,
        call=CallId(step=1, index=index),
        asked=person(user),
        tokens=[f"{index}-{n}" for n in range(len(wish.choices))],
        shared=False,
    )
    asked = Stamped(seq=2 + index, step=Asked(call=question.call))
    return await desk.asks.ask(claim, 0, asked, question, key=new_key())


async def waits_for_anna(desk: Desk, *, chat: str = "room") -> Claim:
    """A parked turn, its question shown and read."""
    claim = await begins(desk, chat=chat)
    assert await asks(desk, claim)
    assert not (await desk.turns.park(claim)).changed
    await read_all(desk, claim.chat_row)
    return claim


async def read_all(desk: Desk, chat_row: int) -> list[str]:
    """Everything that goes out in a chat now."""
    found = []
    while delivery := await desk.outbox.next(chat_row):
        found.append(plain(delivery.reply))
        await desk.outbox.sent(delivery, receipt(delivery.id), more=False, stored=False)
    return found


def press(token: str, user: str = "anna") -> Inbound:
    """A button."""
    return replace(message(token, sender=person(user)), kind=InboundKind.BUTTON)


@pytest.fixture
def clockwork(desk: Desk) -> StoredWaits:
    """What runs out."""
    return StoredWaits(desk.store, Texts({}))


async def test_a_question_goes_out_with_its_choices_and_its_end(desk: Desk, clock: FakeClock) -> None:
    claim = await begins(desk)
    assert await asks(desk, claim)
    delivery = await desk.next(claim.chat_row)
    assert plain(delivery.reply).startswith("For how many?\n\nAnswer until ")
    assert plain(delivery.reply).endswith(" Otherwise: Two.")
    assert [(choice.label, choice.token) for choice in delivery.reply.choices] == [("Two", "0-0"), ("Four", "0-1")]
    assert await desk.rows("SELECT asked, deadline, remind_at, state, turn FROM waits") == [
        ("anna", clock.now() + HOUR, clock.now() + HOUR // 2, "open", claim.turn)
    ]
    assert await desk.rows("SELECT asks FROM chats") == [(1,)]
    (exchange,) = await desk.turns.history(claim, 0)
    assert exchange.steps[-1].step == Asked(call=CallId(step=1, index=0))


async def test_a_parked_turn_holds_no_worker_and_nothing_overtakes_it(desk: Desk, clock: FakeClock) -> None:
    await waits_for_anna(desk)
    assert await desk.rows("SELECT owner, until, ready, live FROM chats") == [(None, None, None, 1)]
    assert await desk.rows("SELECT state, attempt FROM turns") == [("waiting", 0)]
    queued = await desk.hears("me too", user="ben", slot=True)
    assert (queued.claim, queued.queued_before) == (None, 1)
    await clock.advance(1_000_000)
    assert await desk.turns.claim(5) == []


@pytest.mark.parametrize(
    ("said", "result"),
    [("Four", "Four"), ("four", "Four"), (" 2 ", "Four"), ("five", "(not among the choices) five")],
)
async def test_the_next_text_of_the_person_asked_is_the_answer(desk: Desk, said: str, result: str) -> None:
    claim = await waits_for_anna(desk)
    accepted = await desk.hears(said, slot=True)
    assert (accepted.resumed, accepted.claim, accepted.dropped) == (True, None, None)
    again = await desk.claims()
    assert (again.turn, again.attempt, again.fence) == (claim.turn, 1, claim.fence + 1)
    assert await desk.asks.answers(again) == {2: Answered(text=result, choice=1 if result == "Four" else None)}
    assert await desk.rows("SELECT asks, live FROM chats") == [(0, 1)]
    assert await desk.rows("SELECT lane, turn FROM inbound WHERE id = 2") == [("control", claim.turn)]


async def test_an_answer_is_not_a_message_of_the_history(desk: Desk) -> None:
    await waits_for_anna(desk)
    await desk.hears("Four")
    again = await desk.claims()
    await desk.turns.append(again, [Stamped(seq=3, step=ToolFinished(call=CallId(step=1, index=0), result="Four"))])
    await desk.finishes(again)
    exchanges = await desk.turns.history(await desk.starts("next"), 0)
    assert [one.said[0].content for one in exchanges] == ["book a table", "next"]


async def test_the_card_of_an_answered_question_is_changed(desk: Desk) -> None:
    claim = await waits_for_anna(desk)
    await desk.hears("Four")
    card = await desk.next(claim.chat_row)
    assert words(card) == "For how many?: Four (Anna)"
    assert card.edits == receipt(1)


async def test_a_button_answers_and_only_once(desk: Desk) -> None:
    claim = await waits_for_anna(desk)
    assert (await desk.takes(press("0-1"))).resumed
    again = await desk.takes(press("0-0"))
    assert (again.resumed, again.dropped) == (False, "question_closed")
    assert await desk.asks.answers(claim) == {2: Answered(text="Four", choice=1)}
    assert await read_all(desk, claim.chat_row) == ["For how many?: Four (Anna)", "This question is closed."]


async def test_the_same_answer_delivered_twice_is_one(desk: Desk) -> None:
    await waits_for_anna(desk)
    event = message("Four")
    assert (await desk.takes(event)).resumed
    assert (await desk.takes(event)).duplicate
    assert await desk.rows("SELECT signals, asks, live FROM chats") == [(1, 0, 1)]


async def test_nobody_else_can_answer(desk: Desk) -> None:
    claim = await waits_for_anna(desk)
    assert (await desk.takes(press("0-1", user="ben"))).dropped == "wrong_person"
    assert (await desk.takes(press("0-1", user="mallory"))).dropped == "not_listed"
    assert (await desk.hears("Four", user="mallory")).dropped == "not_listed"
    assert not (await desk.hears("Four", user="ben")).resumed
    assert await desk.asks.answers(claim) == {}
    assert await read_all(desk, claim.chat_row) == [
        "This question is for Anna.",
        "I am waiting for Anna's answer first; your message is number 1.",
    ]


async def test_a_bystander_is_told_once_a_question(desk: Desk) -> None:
    claim = await waits_for_anna(desk)
    for n in range(3):
        await desk.hears(f"hello? {n}", user="ben")
    assert len(await read_all(desk, claim.chat_row)) == 1


async def test_the_same_person_elsewhere_answers_nothing(desk: Desk) -> None:
    claim = await waits_for_anna(desk)
    assert (await desk.hears("Four", chat="elsewhere", slot=True)).claim is not None
    assert await desk.asks.answers(claim) == {}


async def test_commands_of_the_person_asked_are_commands(desk: Desk) -> None:
    claim = await waits_for_anna(desk)
    assert (await desk.hears("/help")).command
    assert await desk.asks.answers(claim) == {}


async def test_one_question_at_a_time_is_shown_to_a_person(desk: Desk) -> None:
    claim = await begins(desk)
    for index, question in enumerate(("First?", "Second?", "Third?")):
        await asks(desk, claim, index, wish=Ask(question=question, lasts=HOUR))
    await desk.turns.park(claim)
    for question in ("First?", "Second?", "Third?"):
        said = await read_all(desk, claim.chat_row)
        assert said[-1].startswith(question)
        assert (await desk.hears(f"to {question}")).resumed
    assert list((await desk.asks.answers(claim)).values()) == [
        Answered(text=f"to {question}") for question in ("First?", "Second?", "Third?")
    ]


async def test_two_people_are_asked_side_by_side(desk: Desk) -> None:
    claim = await begins(desk)
    await asks(desk, claim, 0)
    await asks(desk, claim, 1, user="ben")
    await desk.turns.park(claim)
    assert len(await read_all(desk, claim.chat_row)) == 2
    assert (await desk.hears("Four", user="ben")).resumed
    resumed = await desk.claims()
    assert await desk.asks.answers(resumed) == {3: Answered(text="Four", choice=1)}
    assert not (await desk.turns.park(resumed)).changed
    assert (await desk.hears("Two")).resumed
    assert len(await desk.asks.answers(await desk.claims())) == 2


async def test_an_answer_that_comes_before_the_turn_parks_keeps_it_running(desk: Desk) -> None:
    claim = await begins(desk)
    await asks(desk, claim)
    assert (await desk.hears("Four")).resumed
    parked = await desk.turns.park(claim)
    assert (parked.changed, parked.lost) == (True, False)
    assert await desk.turns.signals(claim) == claim.signals + 1
    assert await desk.rows("SELECT state FROM turns") == [("running",)]
    fresh = replace(claim, signals=claim.signals + 1)
    assert not (await desk.finishes(fresh)).changed


async def test_an_answer_and_a_park_at_the_same_moment_lose_nothing(desk: Desk) -> None:
    for n in range(20):
        chat = f"c{n}"
        claim = await begins(desk, chat=chat)
        await asks(desk, claim)
        async with asyncio.TaskGroup() as group:
            parks = group.create_task(desk.turns.park(claim))
            group.create_task(desk.hears("Four", chat=chat))
        claimed = await desk.turns.claim(5)
        assert [one.turn for one in claimed] == ([] if parks.result().changed else [claim.turn])


async def test_giving_back_a_turn_that_has_parked_leaves_it_waiting(desk: Desk) -> None:
    # As when the process ends between the commit that parks the turn and the moment in which the worker hears of it.
    claim = await waits_for_anna(desk)
    await desk.turns.release(claim)
    assert await desk.turns.claim(1) == []
    await desk.hears("Four")
    assert (await desk.claims()).turn == claim.turn
    await desk.turns.release(claim)
    assert await desk.rows("SELECT state FROM turns") == [("running",)]


async def test_a_lost_lease_neither_asks_nor_parks(desk: Desk) -> None:
    claim = await begins(desk)
    await desk.hears("/stop")
    assert not await asks(desk, claim)
    assert (await desk.turns.park(claim)).lost
    assert await desk.turns.signals(claim) is None
    assert await desk.rows("SELECT count(*) FROM waits") == [(0,)]


@pytest.mark.parametrize("command", ["/stop", "/new"])
async def test_stopping_cancels_questions_and_says_so_on_their_cards(desk: Desk, command: str) -> None:
    claim = await waits_for_anna(desk)
    await desk.hears("queued", user="ben")
    await read_all(desk, claim.chat_row)
    assert sorted((await desk.hears(command)).stopped) == [1, 2]
    assert await desk.rows("SELECT state, answer FROM waits") == [("cancelled", None)]
    assert await desk.rows("SELECT asks, live, ready FROM chats") == [(0, 0, None)]
    assert "For how many?: cancelled" in await read_all(desk, claim.chat_row)
    assert (await desk.takes(press("0-1"))).dropped == "question_closed"
    assert (await desk.hears("Four", slot=True)).claim is not None


async def test_a_question_that_nobody_answers_goes_on_with_its_default(
    desk: Desk, clock: FakeClock, clockwork: StoredWaits
) -> None:
    claim = await waits_for_anna(desk)
    await clock.advance(HOUR / 1000 - 1)
    await clockwork.tick()
    await read_all(desk, claim.chat_row)
    await clock.advance(1)
    assert await clockwork.tick() == [(claim.chat_row, place())]
    assert await clockwork.tick() == ()
    assert await read_all(desk, claim.chat_row) == ["For how many?: no answer in time, went on with Two"]
    assert await desk.asks.answers(await desk.claims()) == {2: Answered(text="Two", choice=0, in_time=False)}


async def test_a_question_without_a_default_ends_with_no_answer(
    desk: Desk, clock: FakeClock, clockwork: StoredWaits
) -> None:
    claim = await begins(desk)
    await asks(desk, claim, wish=Ask(question="Really?", lasts=HOUR))
    await desk.turns.park(claim)
    await read_all(desk, claim.chat_row)
    await clock.advance(HOUR / 1000)
    await clockwork.tick()
    assert await desk.asks.answers(await desk.claims()) == {2: Answered(text=None, in_time=False)}
    assert (await read_all(desk, claim.chat_row))[0] == "Really?: no answer in time"


async def test_a_reminder_comes_once_at_half_the_time(desk: Desk, clock: FakeClock, clockwork: StoredWaits) -> None:
    claim = await waits_for_anna(desk)
    assert await clockwork.tick() == ()
    await clock.advance(HOUR / 2000)
    assert await clockwork.tick() == [(claim.chat_row, place())]
    await clock.advance(60)
    assert await clockwork.tick() == ()
    assert await read_all(desk, claim.chat_row) == ["Still waiting for your answer: For how many?"]


async def test_an_answered_question_reminds_nobody(desk: Desk, clock: FakeClock, clockwork: StoredWaits) -> None:
    await waits_for_anna(desk)
    await desk.hears("Four")
    await clock.advance(HOUR / 1000 * 2)
    assert await clockwork.tick() == ()


async def test_a_question_that_was_not_shown_yet_does_not_run_out(
    desk: Desk, clock: FakeClock, clockwork: StoredWaits
) -> None:
    claim = await begins(desk)
    await asks(desk, claim, 0, wish=Ask(question="First?", lasts=HOUR * 9))
    await asks(desk, claim, 1, wish=Ask(question="Second?", lasts=HOUR))
    await desk.turns.park(claim)
    await clock.advance(HOUR / 1000 * 2)
    await clockwork.tick()
    await desk.hears("to the first")
    assert await desk.rows("SELECT state, deadline FROM waits ORDER BY id") == [
        ("answered", clock.now() + HOUR * 7),
        ("open", clock.now() + HOUR),
    ]


async def test_leases_voided_at_a_start_leave_parked_turns_alone(desk: Desk, other: Desk) -> None:
    await waits_for_anna(desk)
    assert await other.turns.void_leases() == 0
    assert await other.turns.claim(5) == []
    await other.hears("Four")
    assert (await other.claims()).turn == 1


async def test_a_finished_turn_is_not_answered_any_more(desk: Desk) -> None:
    claim = await waits_for_anna(desk)
    await desk.hears("Four")
    again = await desk.claims()
    await desk.finishes(again)
    assert (await desk.hears("Five", slot=True)).claim is not None
    assert await desk.rows("SELECT state FROM turns WHERE id = :t", t=claim.turn) == [("done",)]


async def test_the_person_asked_is_not_told_to_wait_for_herself(desk: Desk) -> None:
    """A file without words is an answer too."""
    claim = await waits_for_anna(desk)
    await desk.takes(replace(message(""), attachments=(Attachment(name="a.pdf", media_type="a/b", size=1),)))
    assert not any("waiting for Anna" in said for said in await read_all(desk, claim.chat_row))
    assert (await desk.claims()).turn == claim.turn


async def test_a_turn_that_breaks_takes_its_open_questions_with_it(desk: Desk) -> None:
    claim = await begins(desk)
    await asks(desk, claim)
    await desk.turns.finish(claim, ending("sorry", cause="an internal error"), key=new_key(), send_now=False)
    assert (await desk.hears("hello?", slot=True)).claim is not None


async def test_the_card_of_a_broken_turns_question_is_closed(desk: Desk) -> None:
    claim = await begins(desk)
    await asks(desk, claim)
    await desk.turns.finish(claim, ending("sorry", cause="an internal error"), key=new_key(), send_now=False)
    assert await desk.rows("SELECT asks FROM chats") == [(0,)]
    assert await desk.rows("SELECT state FROM waits") == [("cancelled",)]
    assert any("cancelled" in said for said in await read_all(desk, claim.chat_row))
