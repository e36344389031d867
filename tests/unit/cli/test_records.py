"""What the store remembers, as people and programs read it."""

import json
from datetime import UTC
from pathlib import Path

import pytest

from core.domain.chat import ChatKey
from core.domain.step import Call, CallId, ModelAnswered, Nudged, Stamped, Step, ToolFinished, ToolStarted
from core.domain.turn import Usage
from core.store.listing import InboxLine, OutboxLine, Overview, PartLine, StepLine, Trace
from gateway.cli import run
from gateway.cli.records import (
    age,
    facts,
    going_text,
    inbox_text,
    outbox_text,
    overview_record,
    overview_text,
    record,
    trace_record,
    trace_text,
)

CHAT = ChatKey(channel="fake", account="a", chat_id="c", thread_id="t")
AT = 1_700_000_000_000

SAID = InboxLine(
    id=3,
    chat=CHAT,
    event_key="ev-1",
    sender="U1",
    sender_name="Anna\x1b[2J",
    received_at=AT,
    at=AT - 5,
    lane="turn",
    state="broken",
    turn=3,
    attempt=1,
    cause="the model is not reachable",
    drop_reason=None,
    content="dear\ndiary " + "x" * 100,
)
SENT = OutboxLine(
    id=9,
    chat=CHAT,
    turn=3,
    inbound=None,
    state="dead",
    part=1,
    attempt=4,
    not_before=0,
    error="blocked",
    receipt=None,
    created_at=AT + 4_000,
    closed_at=AT + 9_000,
    text="Hello.",
)
STEPS: tuple[Step, ...] = (
    ModelAnswered(
        text="hm", calls=(Call(name="read_file", arguments="{}"),), model="fast", usage=Usage(prompt_tokens=5)
    ),
    ToolStarted(call=CallId(step=1, index=0)),
    ToolFinished(call=CallId(step=1, index=0), result="secret words", failed=True),
    Nudged(text="go on"),
)
TRACE = Trace(
    said=(SAID,),
    steps=tuple(StepLine(stamped=Stamped(seq=n, step=step), at=AT + n * 1_000) for n, step in enumerate(STEPS)),
    deliveries=(SENT,),
    parts=(PartLine(delivery=9, n=0, payload={"text": "Hello."}, receipt="r", error=None),),
)


def test_the_inbox_is_a_table_that_no_name_can_break() -> None:
    header, row = inbox_text([SAID], UTC).splitlines()
    assert header.split() == ["id", "received", "chat", "from", "state", "text"]
    start = "3   2023-11-14 22:13:20  fake/a/c/t  Anna\\x1b[2J  broken (the model is not reachable)  "
    assert row == f"{start}dear\\ndiary {'x' * 48}..."


def test_the_outbox_is_a_table_with_the_reason_of_a_dead_letter() -> None:
    assert outbox_text([SENT], UTC).splitlines() == [
        "id  made                 chat        state  part  attempt  error    text",
        "9   2023-11-14 22:13:24  fake/a/c/t  dead   1     4        blocked  Hello.",
    ]


def test_one_row_in_full_leaves_out_what_is_not_known() -> None:
    lines = facts(record(SENT)).splitlines()
    assert "chat        fake/a/c/t" in lines
    assert "created_at  2023-11-14T22:13:24.000+00:00" in lines
    assert not any(line.startswith(("receipt", "not_before")) for line in lines)


def test_a_trace_is_a_life_in_order_without_the_words() -> None:
    text = trace_text(TRACE, UTC)
    whats = [line[21:36].strip() for line in text.splitlines()[1:-2]]
    assert whats == [
        "received",
        "model answered",
        "tool started",
        "tool finished",
        "model nudged",
        "reply made",
        "reply dead",
    ]
    assert "fast: 5 tokens read, 0 written, calls read_file" in text
    assert "call 1.0 failed, 12 characters" in text
    assert "secret words" not in text
    assert text.endswith("now: broken (the model is not reachable)")


def test_a_trace_for_programs_is_complete() -> None:
    found = json.loads(json.dumps(trace_record(TRACE)))
    assert [step["kind"] for step in found["steps"]] == ["model_answered", "tool_started", "tool_finished", "nudged"]
    assert found["steps"][2]["result"] == "secret words"
    assert found["said"][0]["received_at"] == "2023-11-14T22:13:20.000+00:00"
    assert found["parts"][0]["receipt"] == "r"


def test_the_overview_counts_and_names_the_last_troubles() -> None:
    overview = Overview(
        chats=2,
        queued=1,
        running=1,
        waiting=0,
        oldest_live=AT,
        undelivered=3,
        oldest_undelivered=AT,
        dead=1,
        broken=(SAID,),
        dead_letters=(SENT,),
    )
    lines = overview_text(overview, AT + 125_000, UTC).splitlines()
    assert lines[:3] == [
        "chats     2",
        "turns     1 running, 1 queued, 0 waiting for an answer; the oldest for 2 min",
        "replies   3 on their way, 1 given up; the oldest for 2 min",
    ]
    assert "3   2023-11-14 22:13:20  fake/a/c/t  the model is not reachable" in lines
    assert "9   2023-11-14 22:13:24  fake/a/c/t  blocked" in lines
    assert json.loads(json.dumps(overview_record(overview)))["oldest_live"] == "2023-11-14T22:13:20.000+00:00"


def test_messages_that_may_have_come_twice_are_counted() -> None:
    overview = Overview(
        chats=1,
        queued=0,
        running=0,
        waiting=0,
        oldest_live=None,
        undelivered=0,
        oldest_undelivered=None,
        dead=2,
        broken=(),
        dead_letters=(),
        repeated=3,
    )
    assert going_text(overview, AT) == "0 on their way, 2 given up, 3 messages perhaps sent twice"
    assert overview_record(overview)["repeated"] == 3


@pytest.mark.parametrize(
    ("seconds", "shown"), [(-5, "0 s"), (59, "59 s"), (60, "1 min"), (3_600, "1 h"), (86_399, "23 h"), (86_400, "1 d")]
)
def test_an_age_is_told_in_its_largest_unit(seconds: int, shown: str) -> None:
    assert age(AT, AT + seconds * 1_000) == shown
    assert age(None, AT) == ""


def test_before_anything_was_said_the_verbs_say_so_and_make_no_store(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PARLEY_HOME", str(home))
    assert run(["inbox", "list", "--json"]) == 0
    assert capsys.readouterr().out == "[]\n"
    assert run(["status"]) == 0
    assert "nothing was ever said" in capsys.readouterr().out
    assert run(["trace", "7"]) == 1
    assert capsys.readouterr().err == "parley: there is no message 7: parley inbox list shows the newest\n"
    assert run(["outbox", "retry", "7"]) == 1
    assert not (home / "parley.db").exists()
