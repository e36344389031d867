"""What one window needs of its session."""

from core.domain.delivery import DeliveryState
from core.domain.message import Choice, Markdown, OutgoingFile, Reply, says
from core.ports import Ending
from core.store import session
from core.store.session import TRANSCRIPT_LINES
from tests.fakes.clock import FakeClock
from tests.store.desk import LANE, Desk, ending, new_key, person, place, receipt
from tests.store.desk import message as said


async def lines(desk: Desk, chat: str = "room") -> list[tuple[bool, str]]:
    return [(line.mine, line.text) for line in await desk.store.run(session.recall, place(chat))]


async def test_a_chat_that_nobody_spoke_in_has_nothing(desk: Desk) -> None:
    assert await lines(desk) == []
    assert await desk.store.read(session.under_way, place()) == 0
    assert await desk.store.read(session.broken_since, place(), 0) == 0


async def test_a_conversation_comes_back_in_order(desk: Desk, clock: FakeClock) -> None:
    claim = await desk.starts("question 0")
    await clock.advance(1)
    reply = Reply(fragments=(Markdown(source="**answer 0**"),))
    await desk.turns.finish(claim, Ending(reply=reply), key=new_key(), send_now=False)
    await desk.finishes(await desk.starts("question 1"), "answer 1")
    await desk.starts("question 2")
    found = await desk.store.run(session.recall, place())
    assert [(line.mine, line.text, line.markdown) for line in found] == [
        (True, "question 0", False),
        (False, "**answer 0**", True),
        (True, "question 1", False),
        (False, "answer 1", False),
        (True, "question 2", False),
    ]
    assert [line.at for line in found] == [clock.now() - 1000, *[clock.now()] * 4]


async def test_an_answer_stands_behind_its_question_though_others_were_asked_meanwhile(desk: Desk) -> None:
    claim = await desk.starts("first")
    await desk.hears("second")
    await desk.finishes(claim, "to the first")
    await desk.finishes(await desk.claims(), "to the second")
    assert await lines(desk) == [
        (True, "first"),
        (False, "to the first"),
        (True, "second"),
        (False, "to the second"),
    ]


async def test_commands_drops_and_other_chats_are_left_out(desk: Desk) -> None:
    await desk.finishes(await desk.starts("mine"), "yours")
    await desk.hears("/status")
    await desk.hears("let me in", user="mallory")
    await desk.finishes(await desk.starts("theirs", chat="other"), "not yours")
    assert await lines(desk) == [(True, "mine"), (False, "yours")]


async def test_a_conversation_begins_after_new(desk: Desk) -> None:
    await desk.finishes(await desk.starts("before"), "old")
    await desk.hears("/new")
    await desk.finishes(await desk.starts("after"), "fresh")
    assert await lines(desk) == [(True, "after"), (False, "fresh")]


async def test_the_newest_lines_are_kept_when_there_are_too_many(desk: Desk) -> None:
    for n in range(TRANSCRIPT_LINES // 2 + 2):
        claim = await desk.starts(f"question {n}")
        await desk.turns.finish(claim, ending(f"answer {n}"), key=new_key(), send_now=False)
    found = await lines(desk)
    assert len(found) == TRANSCRIPT_LINES
    assert (found[0], found[-1]) == ((True, "question 2"), (False, "answer 101"))


async def test_what_was_recalled_is_not_shown_a_second_time(desk: Desk, clock: FakeClock) -> None:
    await desk.replies("answer")
    await desk.store.run(session.recall, place())
    assert await desk.outbox.due(LANE) == []
    assert await desk.rows("SELECT state, closed_at FROM outbox") == [("sent", clock.now())]
    assert await desk.store.read(session.under_way, place()) == 0


async def test_files_and_choices_are_recalled_with_their_answer(desk: Desk) -> None:
    """Recalling counts as showing, so nothing that belongs to the answer may be missing."""
    claim = await desk.starts("make me a report")
    reply = Reply(
        fragments=(Markdown(source="Here it is."),),
        files=(OutgoingFile(path="out/report.txt", name="report.txt"),),
        choices=(Choice(label="Again", token="1"), Choice(label="Enough", token="2")),
    )
    await desk.turns.finish(claim, Ending(reply=reply), key=new_key(), send_now=False)
    assert (await lines(desk))[-1] == (
        False,
        "Here it is.\n\n[file: report.txt, out/report.txt]\n\n1. Again\n\n2. Enough",
    )


async def test_recalling_leaves_other_chats_and_answers_of_commands_to_their_senders(desk: Desk) -> None:
    await desk.replies("answer", chat="other")
    await desk.hears("/stop")
    await desk.store.run(session.recall, place())
    states = await desk.rows("SELECT state FROM outbox")
    assert states == [(DeliveryState.NEW.value,), (DeliveryState.NEW.value,)]


async def test_recalling_twice_shows_the_same(desk: Desk) -> None:
    await desk.replies("answer")
    assert await lines(desk) == await lines(desk)


async def test_turns_replies_and_commands_are_under_way_until_they_end(desk: Desk) -> None:
    async def under_way() -> int:
        return await desk.store.read(session.under_way, place())

    claim = await desk.starts("one")
    await desk.hears("two")
    await desk.hears("/help")
    assert await under_way() == 3
    await desk.finishes(claim)
    assert await under_way() == 3
    await desk.outbox.sent(await desk.next(claim.chat_row), receipt(), more=False, stored=False)
    assert await under_way() == 2
    (command,) = await desk.inbox.commands()
    await desk.outbox.answer(command, says("help"), key=new_key())
    assert await under_way() == 2
    await desk.hears("/stop")
    assert await under_way() == 2
    for _ in range(2):
        await desk.outbox.sent(await desk.next(claim.chat_row), receipt(), more=False, stored=False)
    assert await under_way() == 0


async def test_a_turn_that_waits_for_the_person_is_not_under_way(desk: Desk) -> None:
    await desk.hears("one")
    await desk.store.run(lambda conn: conn.exec_driver_sql("UPDATE turns SET state = 'waiting'"))
    assert await desk.store.read(session.under_way, place()) == 0


async def test_turns_that_broke_are_counted_from_a_time_on(desk: Desk, clock: FakeClock) -> None:
    for _ in range(3):
        claim = await desk.starts("breaks")
        await desk.turns.finish(claim, ending(cause="an internal error"), key=new_key(), send_now=False)
        await clock.advance(10)
    await desk.finishes(await desk.starts("works"))
    counted = [await desk.store.read(session.broken_since, place(), clock.now() - back) for back in (40_000, 20_000, 0)]
    assert counted == [3, 2, 0]


async def test_a_session_is_one_account_and_one_thread(desk: Desk) -> None:
    await desk.takes(said("in the thread", chat=place("room", "t1"), sender=person()))
    assert await lines(desk) == []
    found = await desk.store.run(session.recall, place("room", "t1"))
    assert [line.text for line in found] == ["in the thread"]


async def test_a_reply_that_is_not_recalled_is_still_to_be_shown(desk: Desk) -> None:
    """A killed window left it unshown, and another one began anew."""
    await desk.replies("never shown")
    await desk.hears("/new")
    assert await lines(desk) == []
    assert await desk.outbox.due(LANE) == [1]
    assert await desk.rows("SELECT state FROM outbox WHERE turn IS NOT NULL") == [("new",)]


async def test_replies_beyond_the_lines_of_a_recall_are_still_to_be_shown(desk: Desk) -> None:
    for n in range(110):
        claim = await desk.starts(f"question {n}")
        await desk.turns.finish(claim, ending(f"answer {n}"), key=new_key(), send_now=False)
    shown = {line.text for line in await desk.store.run(session.recall, place())}
    marked = await desk.rows("SELECT count(*) FROM outbox WHERE state = 'sent'")
    assert marked == [(sum(text.startswith("answer") for text in shown),)]
