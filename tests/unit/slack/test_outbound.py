"""From a reply to what Slack's methods take."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from channels.slack.outbound import MOST_LABEL, MOST_TEXT, SlackPart, render
from core.domain.chat import Principal
from core.domain.message import Choice, Markdown, Mention, OutgoingFile, Reply, Text, says
from tests.fakes.slack.blocks import check_blocks

ANN = Principal(channel="slack", account="T1", user_id="U0ANNA0001", name="anna")
FORGED = Principal(channel="slack", account="T1", user_id="U1> <!channel", name="<!channel>")


def text_of(part: SlackPart) -> str:
    return part["text"]


@pytest.mark.parametrize("source", ["<!channel>", "<@U0OLGA0001>", "<https://evil.test|safe>", "a & b < c > d", "&lt;"])
def test_no_text_calls_anybody_or_becomes_a_link(source: str) -> None:
    for fragment in (Text(text=source), Markdown(source=source)):
        (part,) = render(Reply(fragments=(fragment,)))
        shown = json.dumps(part)
        assert "<!" not in shown
        assert "<@" not in shown
    (literal,) = render(says(source))
    assert "<http" not in json.dumps(literal)


def test_only_our_own_mention_calls_somebody() -> None:
    (part,) = render(Reply(fragments=(Mention(principal=ANN), Text(text=", look"))))
    assert part["text"] == "<@U0ANNA0001>, look"
    (forged,) = render(Reply(fragments=(Mention(principal=FORGED),)))
    assert "<" not in forged["text"]


@given(st.text(min_size=1, max_size=12_000))
def test_every_part_fits_and_no_entity_is_cut(text: str) -> None:
    for part in render(says(text)):
        assert len(part["text"]) <= MOST_TEXT
        assert not part["text"].endswith(("&", "&a", "&am", "&amp", "&l", "&lt", "&g", "&gt"))


def test_choices_stand_under_the_last_text_and_are_valid_blocks() -> None:
    choices = tuple(Choice(label=f"{n} {'long' * (20 if n else 1)}", token=f"token{n}") for n in range(8))
    parts = render(Reply(fragments=(Text(text="Which? " * 1_000),), choices=choices))
    assert ["actions" in json.dumps(part) for part in parts] == [False] * (len(parts) - 1) + [True]
    last = parts[-1]
    assert last["kind"] == "text"
    check_blocks(last["blocks"])
    buttons = last["blocks"][-1]["elements"]
    assert [one["value"] for one in buttons] == [f"token{n}" for n in range(8)]
    assert max(len(one["text"]["text"]) for one in buttons) <= MOST_LABEL
    assert choices[7].label in "".join(str(block) for block in last["blocks"])


def test_files_follow_the_text_each_as_a_part_of_its_own() -> None:
    files = (OutgoingFile(path="a.pdf", name="a.pdf", caption="the <plan>"), OutgoingFile(path="b", name="b\n"))
    parts = render(Reply(fragments=(Text(text="here"),), files=files))
    assert [(part["kind"], part["text"]) for part in parts] == [
        ("text", "here"),
        ("file", "the &lt;plan&gt;"),
        ("file", ""),
    ]


@pytest.mark.parametrize(
    ("answers", "only_for"),
    [
        ("slash:U0ANNA0001:C1:1.2.a", "U0ANNA0001"),
        ("press:U0ANNA0001:C1:1.2:3.4", "U0ANNA0001"),
        ("C1:1.2", ""),
        (None, ""),
    ],
)
def test_the_answer_to_a_command_or_a_press_is_for_whoever_made_it(answers: str | None, only_for: str) -> None:
    (part,) = render(Reply(fragments=(Text(text="x"),), answers=answers))
    assert part["kind"] == "text"
    assert part["only_for"] == only_for
