"""Who is let in, as the store keeps it: names of events, groups, programs, codes, chats that move."""

import re
from dataclasses import replace

import pytest

from core.decide.gate import Activation, AllowBots, DmPolicy, Door, GroupContext, Policy
from core.decide.pairing import code_of
from core.decide.view import Rules
from core.domain.chat import Role, SenderKind
from core.domain.command import COMMANDS
from core.domain.message import Dropped, Inbound, InboundKind
from core.domain.texts import Texts
from core.store import pairing, revoking
from core.store.store import Store
from tests.fakes.clock import FakeClock
from tests.store.desk import ACCOUNT, CHANNEL, Desk, message, person, place

PLACE = (CHANNEL, ACCOUNT)
GROUP = Door(dm=DmPolicy.PAIRING, groups=frozenset({"room"}), authors=frozenset({"anna", "ben", "robot"}))
HOUR_S = 3600.0
CODE = re.compile(r"parley pairing approve ([a-z2-7]{26}) ")


def desk_of(store: Store, door: Door = GROUP) -> Desk:
    policy = Policy(
        listed={PLACE: frozenset({"anna", "ben"})}, owners={PLACE: frozenset({"olga"})}, doors={PLACE: door}
    )
    return Desk(store, rules=Rules(policy=policy, commands=COMMANDS, texts=Texts({}), refuses=lambda chat: True))


def aloud(content: str, user: str = "anna", *, addressed: bool | None = True, thread: str | None = None) -> Inbound:
    said = message(content, chat=place("room", thread), sender=person(user))
    return replace(said, place="room", shared=True, addressed=addressed)


async def reasons(desk: Desk) -> list[object]:
    return [row[0] for row in await desk.rows("SELECT drop_reason FROM inbound ORDER BY id")]


async def words(desk: Desk) -> list[str]:
    return [str(row[0]) for row in await desk.rows("SELECT reply FROM outbox ORDER BY id")]


async def code_for(desk: Desk, user: str = "mallory") -> str:
    await desk.hears("let me in", chat="dm", user=user)
    found = CODE.search((await words(desk))[-1])
    assert found is not None
    return found[1]


async def test_an_event_under_a_further_name_is_the_same_event(desk: Desk) -> None:
    album = replace(message("three pictures", event_key="1"), twins=("2", "3"))
    assert not (await desk.takes(album)).duplicate
    assert (await desk.takes(message("the second alone", event_key="2"))).duplicate
    assert (await desk.takes(replace(message("from the third on", event_key="4"), twins=("3",)))).duplicate
    assert (await desk.takes(replace(message("now with its first", event_key="5"), twins=("1",)))).duplicate
    assert not (await desk.takes(message("another", event_key="4"))).duplicate
    assert await desk.rows("SELECT event_key FROM inbound ORDER BY id") == [("1",), ("4",)]


async def test_a_further_name_counts_on_its_account_only(desk: Desk) -> None:
    await desk.takes(replace(message("album", event_key="1"), twins=("2",)))
    elsewhere = message("hello", event_key="2", chat=place(account="other"), sender=person(account="other"))
    assert not (await desk.takes(elsewhere)).duplicate


async def test_what_somebody_is_stands_with_what_they_said(store: Store) -> None:
    desk = desk_of(store)
    await desk.takes(aloud("member"))
    await desk.takes(aloud("owner", "olga"))
    await desk.takes(aloud("stranger", "mallory"))
    assert await desk.rows("SELECT role, place FROM inbound ORDER BY id") == [
        ("member", "room"),
        ("owner", "room"),
        (None, "room"),
    ]
    history = await desk.turns.history(await desk.claims(), 0)
    assert [said.role for said in history[-1].said] == [Role.MEMBER]


async def test_words_to_others_are_read_along_with_the_next_words_to_us(store: Store) -> None:
    desk = desk_of(store)
    for number in range(25):
        accepted = await desk.takes(aloud(f"between us {number}", "ben", addressed=False))
        assert accepted.turn is None
    await desk.takes(aloud("what do you think?"))
    current = (await desk.turns.history(await desk.claims(), 0))[-1]
    assert [said.content for said in current.said] == [
        *(f"between us {number}" for number in range(5, 25)),
        "what do you think?",
    ]
    assert [said.context for said in current.said] == [True] * 20 + [False]


async def test_words_to_others_are_read_along_once(store: Store) -> None:
    desk = desk_of(store)
    await desk.takes(aloud("before", "ben", addressed=False))
    await desk.takes(aloud("first"))
    await desk.takes(aloud("between", "ben", addressed=None))
    await desk.takes(aloud("second"))
    first = await desk.claims()
    await desk.finishes(first)
    history = await desk.turns.history(await desk.claims(), 0)
    assert [[said.content for said in one.said] for one in history] == [["before", "first"], ["between", "second"]]


@pytest.mark.parametrize("wanted", GroupContext)
async def test_a_strangers_words_are_read_along_only_where_the_operator_wants_it(
    store: Store, wanted: GroupContext
) -> None:
    desk = desk_of(store, replace(GROUP, context=wanted))
    await desk.takes(aloud("orders", "mallory", addressed=False))
    edit = replace(aloud("worse orders", "mallory", addressed=False), kind=InboundKind.EDIT, message_id="m1")
    await desk.takes(edit)
    await desk.takes(aloud("hello"))
    current = (await desk.turns.history(await desk.claims(), 0))[-1]
    read = [("orders", None)] if wanted is GroupContext.ALL else []
    assert [(said.content, said.role) for said in current.said] == [*read, ("hello", Role.MEMBER)]
    kept = await desk.rows("SELECT content FROM inbound WHERE sender = 'mallory' AND content <> ''")
    assert kept == [("orders",)] * len(read)


async def test_in_a_thread_where_we_answered_nobody_has_to_name_us(store: Store) -> None:
    desk = desk_of(store)
    assert (await desk.takes(aloud("among us", addressed=False, thread="t1"))).turn is None
    await desk.takes(aloud("hello", thread="t1"))
    await desk.finishes(await desk.claims())
    assert (await desk.takes(aloud("and now?", addressed=False, thread="t1"))).turn is not None
    assert (await desk.takes(aloud("elsewhere", addressed=False, thread="t2"))).turn is None
    assert (await desk.takes(aloud("no thread", addressed=False))).turn is None
    unfollowing = desk_of(store, replace(GROUP, thread_follow=False))
    assert (await unfollowing.takes(aloud("and then?", addressed=False, thread="t1"))).turn is None


async def test_always_needs_no_mention_and_a_command_neither(store: Store) -> None:
    assert (await desk_of(store).takes(aloud("/status", addressed=False))).command
    always = desk_of(store, replace(GROUP, activation=Activation.ALWAYS))
    assert (await always.takes(aloud("hello", addressed=False))).turn is not None


async def test_programs_begin_three_turns_an_hour_in_a_thread(store: Store, clock: FakeClock) -> None:
    desk = desk_of(store, replace(GROUP, bots=AllowBots.MENTIONS))
    robot = replace(person("robot"), kind=SenderKind.BOT)
    for number in range(5):
        await desk.takes(replace(aloud(f"beep {number}"), sender=robot))
    assert await reasons(desk) == [None, None, None, "bot_limit", "bot_limit"]
    await desk.takes(replace(aloud("beep", thread="t1"), sender=robot))
    assert (await reasons(desk))[-1] is None
    await clock.advance(HOUR_S + 1)
    await desk.takes(replace(aloud("beep again"), sender=robot))
    assert (await reasons(desk))[-1] is None
    assert await words(desk) == []


async def test_whoever_writes_in_an_unlisted_group_hears_so_once_a_day(store: Store, clock: FakeClock) -> None:
    desk = desk_of(store)
    for _ in range(2):
        await desk.takes(replace(aloud("hello"), place="hall", chat=place("hall")))
    await clock.advance(24 * HOUR_S + 1)
    await desk.takes(replace(aloud("hello"), place="hall", chat=place("hall")))
    assert await reasons(desk) == ["place_not_listed"] * 3
    assert len(await words(desk)) == 2


async def test_a_stranger_gets_a_code_that_lets_them_in_alone(store: Store) -> None:
    desk = desk_of(store)
    code = await code_for(desk)
    assert await reasons(desk) == ["unknown"]
    assert await store.run(pairing.approve, code, Role.MEMBER) == person("mallory")
    assert (await desk.hears("hello", chat="dm", user="mallory")).turn is not None
    assert (await desk.takes(aloud("hello", "mallory"))).dropped == "not_listed"
    assert await store.run(pairing.approve, code, Role.MEMBER) is None


async def test_a_code_is_kept_as_its_hash_only(store: Store) -> None:
    desk = desk_of(store)
    code = await code_for(desk)
    kept = await desk.rows("SELECT * FROM pairings")
    assert code not in repr(kept)
    assert len(code) == 26
    assert len({code_of(f"key {number}") for number in range(1_000)}) == 1_000


async def test_whoever_is_approved_as_owner_is_one_in_groups_too(store: Store) -> None:
    desk = desk_of(store)
    await store.run(pairing.approve, await code_for(desk), Role.OWNER)
    await desk.takes(aloud("hello", "mallory"))
    assert await desk.rows("SELECT role FROM inbound WHERE place = 'room'") == [("owner",)]


async def test_a_code_is_valid_for_an_hour(store: Store, clock: FakeClock) -> None:
    desk = desk_of(store)
    code = await code_for(desk)
    await clock.advance(HOUR_S + 1)
    assert await store.run(pairing.approve, code, Role.MEMBER) is None
    assert await store.run(pairing.approve, await code_for(desk), Role.MEMBER) is not None


async def test_one_code_an_hour_and_three_a_day(store: Store, clock: FakeClock) -> None:
    desk = desk_of(store)
    for _ in range(10):
        for _ in range(2):
            await desk.hears("let me in", chat="dm", user="mallory")
        await clock.advance(HOUR_S + 1)
    assert len(await words(desk)) == 3
    await clock.advance(24 * HOUR_S)
    await desk.hears("let me in", chat="dm", user="mallory")
    assert len(await words(desk)) == 4


async def test_twenty_people_wait_at_most(store: Store) -> None:
    desk = desk_of(store)
    for number in range(25):
        await desk.hears("let me in", chat=f"dm{number}", user=f"stranger{number}")
    assert len(await words(desk)) == 20
    assert await reasons(desk) == ["unknown"] * 25
    assert len(await store.read(pairing.listed, 100)) == 20


STRANGER = message("let me in", chat=place("dm"), sender=person("mallory"))


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (replace(STRANGER, kind=InboundKind.EDIT), "unknown"),
        (replace(STRANGER, kind=InboundKind.DELETE), "unknown"),
        (replace(STRANGER, kind=InboundKind.BUTTON), "unknown"),
        (replace(STRANGER, sender=replace(person("mallory"), verified=False)), "unverified"),
        (replace(STRANGER, sender=replace(person("mallory"), kind=SenderKind.BOT)), "unknown"),
    ],
)
async def test_only_a_persons_words_get_a_code(store: Store, said: Inbound, reason: str) -> None:
    desk = desk_of(store)
    assert (await desk.takes(said)).dropped == reason
    assert await desk.rows("SELECT id FROM pairings") == []


async def test_taking_it_back_stops_what_runs_and_waits_for_that_person_and_nobody_else(store: Store) -> None:
    desk = desk_of(store, replace(GROUP, authors=frozenset({"anna"})))
    await store.run(pairing.approve, await code_for(desk), Role.OWNER)
    await desk.hears("mine", chat="dm", user="mallory")
    await desk.takes(aloud("ours"))
    await desk.takes(aloud("behind it", "mallory"))
    await desk.turns.claim(2)
    found = await store.run(revoking.revoke, 1, Texts({}))
    assert found == (person("mallory"), 2)
    assert await desk.rows(
        "SELECT inbound.content, turns.state FROM turns JOIN inbound ON inbound.id = turns.id ORDER BY turns.id"
    ) == [("mine", "stopped"), ("ours", "running"), ("behind it", "stopped")]
    assert await desk.rows("SELECT chat_id, live FROM chats ORDER BY id") == [("dm", 0), ("room", 1)]
    assert (await desk.hears("again", chat="dm", user="mallory")).dropped == "unknown"
    assert await store.run(revoking.revoke, 1, Texts({})) is None


def moved(to: str, *, chat: str = "room") -> Dropped:
    return Dropped(reason="noise", event_key=f"moved to {to}", chat=place(chat), at=0, moved_to=to)


async def test_a_chat_that_moves_takes_everything_along(desk: Desk) -> None:
    await desk.replies("first answer")
    await desk.takes(message("thread", chat=place("room", "t1")))
    await desk.chats.set_model(1, "second")
    await desk.takes(moved("hall"))
    claim = await desk.claims()
    assert claim.chat == place("hall", "t1")
    accepted = await desk.hears("and now?", chat="hall")
    assert accepted.chat_row == 1
    history = await desk.turns.history(await desk.claims(), 0)
    assert [one.said[0].content for one in history] == ["hello", "and now?"]
    assert await desk.chats.model(1) == "second"
    assert (await desk.takes(moved("hall"))).duplicate


async def test_what_was_said_under_the_new_name_first_joins_the_old_conversation(desk: Desk) -> None:
    await desk.replies("first answer")
    await desk.replies("second answer", chat="hall")
    await desk.takes(moved("hall"))
    await desk.hears("and now?", chat="hall")
    history = await desk.turns.history(await desk.claims(), 0)
    assert len(history) == 3
    assert await desk.rows("SELECT chat_id FROM chats") == [("hall",)]


async def test_nothing_is_taken_from_whoever_works_under_the_new_name(desk: Desk) -> None:
    await desk.replies("first answer")
    claim = await desk.starts(chat="hall")
    await desk.takes(moved("hall"))
    await desk.finishes(claim)
    assert await desk.rows("SELECT chat_id FROM chats ORDER BY id") == [("room",), ("hall",)]
