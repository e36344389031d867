"""What is shown of a turn while it runs."""

from dataclasses import replace

import pytest

from core.decide.presence import (
    Change,
    Line,
    Look,
    Phase,
    Post,
    Remove,
    Search,
    acks,
    fits_a_draft,
    last_reaction,
    line_of,
    next_move,
    streams,
    types,
)
from core.domain.message import Markdown, OutgoingFile, Reply, says
from core.domain.presence import Abilities, Ack, Outcome, Reaction, Rhythm, Streaming
from core.domain.texts import Texts

TEXTS = Texts({})
MESSAGES = Abilities(changes=True, removes=True, drafts=True)
LETTERS = Abilities(rhythm=Rhythm(notice_s=1_800))
BEGUN = Look(began=0, step="read_file", searched=True)
SHOWN = replace(BEGUN, posted=10_000, changed=10_000, shown=says("Working: read_file"))


@pytest.mark.parametrize(("now", "move"), [(9_999, None), (10_000, Post(reply=says("Working: read_file")))])
def test_a_turn_gets_its_message_after_ten_seconds(now: int, move: Post | None) -> None:
    assert next_move(BEGUN, MESSAGES, now, TEXTS) == move


def test_before_a_message_is_sent_it_is_looked_for_one_of_an_earlier_process() -> None:
    assert next_move(replace(BEGUN, searched=False), MESSAGES, 10_000, TEXTS) == Search()


@pytest.mark.parametrize(("now", "move"), [(12_999, None), (13_000, Change(reply=says("Working: fetch")))])
def test_the_message_is_changed_every_three_seconds_at_most(now: int, move: Change | None) -> None:
    assert next_move(replace(SHOWN, step="fetch"), MESSAGES, now, TEXTS) == move


def test_what_stands_there_already_is_not_said_again() -> None:
    assert next_move(SHOWN, MESSAGES, 100_000, TEXTS) is None


def test_the_newest_of_step_and_text_is_shown() -> None:
    drafting = replace(SHOWN, draft="It *is*", drafting=True)
    assert next_move(drafting, MESSAGES, 13_000, TEXTS) == Change(reply=Reply(fragments=(Markdown(source="It *is*"),)))
    assert next_move(replace(drafting, drafting=False), MESSAGES, 13_000, TEXTS) is None


def test_a_step_is_one_short_line() -> None:
    move = next_move(replace(BEGUN, step="a\nb  " + "c" * 500), MESSAGES, 10_000, TEXTS)
    assert move == Post(reply=says("Working: a b " + "c" * 196))


@pytest.mark.parametrize("phase", [Phase.HELD, Phase.OVER])
def test_nothing_is_sent_while_the_reply_is_on_its_way_or_after_it(phase: Phase) -> None:
    assert next_move(replace(SHOWN, step="fetch", phase=phase), MESSAGES, 100_000, TEXTS) is None


def test_what_was_stopped_is_taken_away_where_that_can_be_done() -> None:
    gone = replace(SHOWN, phase=Phase.GONE)
    assert next_move(gone, MESSAGES, 11_000, TEXTS) == Remove()
    assert next_move(replace(gone, posted=None, searched=False), MESSAGES, 11_000, TEXTS) == Search()
    assert next_move(replace(gone, posted=None), MESSAGES, 11_000, TEXTS) is None
    assert next_move(gone, replace(MESSAGES, removes=False), 11_000, TEXTS) is None


def test_nothing_is_tried_after_a_failure_or_before_the_platform_wants_it() -> None:
    assert next_move(replace(SHOWN, step="fetch", failed=True), MESSAGES, 100_000, TEXTS) is None
    assert next_move(replace(SHOWN, step="fetch", until=50_000), MESSAGES, 49_999, TEXTS) is None
    assert next_move(replace(SHOWN, step="fetch", until=50_000), MESSAGES, 50_000, TEXTS) is not None


@pytest.mark.parametrize(("now", "said"), [(1_799_999, None), (1_800_000, "Still working on this.")])
def test_where_messages_stay_as_they_are_there_is_one_notice(now: int, said: str | None) -> None:
    assert next_move(BEGUN, LETTERS, now, TEXTS) == (Post(reply=says(said)) if said else None)
    assert next_move(replace(BEGUN, posted=1), LETTERS, now, TEXTS) is None


def test_zero_seconds_mean_never() -> None:
    assert next_move(BEGUN, replace(MESSAGES, rhythm=Rhythm(progress_s=0)), 10**9, TEXTS) is None
    assert next_move(BEGUN, Abilities(), 10**9, TEXTS) is None


def test_a_place_of_its_own_shows_step_and_text_at_once_and_needs_no_message() -> None:
    able = Abilities(line=True, drafts=True, changes=True)
    look = replace(BEGUN, draft="It is")
    assert line_of(look, able) == Line(step="read_file", draft="It is")
    assert line_of(look, replace(able, drafts=False)) == Line(step="read_file")
    assert line_of(replace(look, phase=Phase.HELD, line=Line(step="old")), able) == Line(step="old")
    assert next_move(look, able, 10**9, TEXTS) is None


def test_typing_is_shown_again_before_it_fades_and_taken_away_at_the_end() -> None:
    able = Abilities(types=True, rhythm=Rhythm(typing_s=4))
    assert types(BEGUN, able, None, 0) is True
    assert types(BEGUN, able, 0, 3_999) is None
    assert types(BEGUN, able, 0, 4_000) is True
    assert types(BEGUN, replace(able, rhythm=Rhythm()), 0, 10**9) is None
    for phase in (Phase.OVER, Phase.GONE):
        assert types(replace(BEGUN, phase=phase), able, 0, 1) is False
        assert types(replace(BEGUN, phase=phase), able, None, 1) is None
    assert types(BEGUN, Abilities(), None, 0) is None


@pytest.mark.parametrize(
    ("ack", "shared", "wanted"),
    [
        *((Ack.OFF, shared, False) for shared in (True, False)),
        *((Ack.SHARED, True, True), (Ack.SHARED, False, False)),
        *((Ack.ALL, shared, True) for shared in (True, False)),
    ],
)
def test_reactions_are_where_the_operator_wants_them(ack: Ack, shared: bool, wanted: bool) -> None:
    assert acks(ack, shared=shared) is wanted


@pytest.mark.parametrize(
    ("streaming", "shared", "wanted"),
    [
        *((Streaming.OFF, shared, False) for shared in (True, False)),
        *((Streaming.DM, True, False), (Streaming.DM, False, True)),
        *((Streaming.ALL, shared, True) for shared in (True, False)),
    ],
)
def test_answers_are_streamed_where_the_operator_wants_them(streaming: Streaming, shared: bool, wanted: bool) -> None:
    assert streams(streaming, shared=shared) is wanted


def test_the_last_reaction_says_how_it_went() -> None:
    assert last_reaction(Outcome.ANSWERED) is Reaction.DONE
    assert last_reaction(Outcome.FAILED) is last_reaction(Outcome.STOPPED) is Reaction.FAILED
    assert last_reaction(Outcome.PARKED) is None


def test_files_come_as_a_message_of_their_own() -> None:
    assert fits_a_draft(says("done"))
    assert not fits_a_draft(Reply(fragments=(), files=(OutgoingFile(path="a.pdf", name="a.pdf"),)))
