"""From a reply to what a terminal shows."""

import json
from pathlib import Path

from channels.terminal.outbound import render, words
from core.domain.chat import Principal
from core.domain.message import Choice, Markdown, Mention, OutgoingFile, Reply, Text

ANN = Principal(channel="terminal", account="ann", user_id="ann", name="Ann\x1b[31m\nLee")


def test_a_reply_is_one_part_however_long() -> None:
    reply = Reply(fragments=(Markdown(source="x" * 1_000_000),))
    assert [len(part["text"][0]["text"]) for part in render(reply)] == [1_000_000]


def test_an_empty_reply_is_a_part_too() -> None:
    assert render(Reply(fragments=())) == [{"text": [], "files": [], "choices": []}]


def test_literal_text_stays_apart_from_markup() -> None:
    reply = Reply(fragments=(Text(text="2*3*4 is "), Mention(principal=ANN), Markdown(source="**24**")))
    assert render(reply)[0]["text"] == [
        {"kind": "literal", "text": "2*3*4 is Ann Lee"},
        {"kind": "markdown", "text": "**24**"},
    ]


def test_a_pipe_gets_the_words_then_the_files_then_the_numbered_choices() -> None:
    reply = Reply(
        fragments=(Markdown(source="Which **one**?\n"),),
        files=(OutgoingFile(path="data/a b.pdf", name="a b.pdf", caption="the plan"),),
        choices=(Choice(label="Left", token="t1"), Choice(label="Right\x1b]0;x\x07", token="t2")),
    )
    assert words(render(reply)[0], Path("/w s")).split("\n") == [
        "Which **one**?",
        "[file] a b.pdf: /w s/data/a b.pdf (the plan)",
        "1. Left",
        "2. Right",
    ]


def test_no_field_of_a_part_keeps_a_control_character() -> None:
    hostile = "a\x1b]0;owned\x07\x1b[2J\u202eb\nc"
    reply = Reply(
        fragments=(Markdown(source=hostile), Text(text=hostile)),
        files=(OutgoingFile(path=hostile, name=hostile, caption=hostile),),
        choices=(Choice(label=hostile, token="t"),),
    )
    part = render(reply)[0]
    assert "\\u001b" not in json.dumps(part)
    assert "owned" not in json.dumps(part)
    assert part["files"] == [{"path": "ab c", "name": "ab c", "caption": "ab c"}]
