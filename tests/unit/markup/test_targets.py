"""What particular texts become: the faults that others are known for, and what nobody may smuggle in."""

import re
from collections.abc import Sequence

import pytest

from channels.markup import discord, email, plain, slack, telegram
from channels.markup.email import TAGS
from core.domain.chat import Principal
from core.domain.message import Fragment, Markdown, Mention, Text

VALVE = "The valve is *nearly* shut, **not** open, and ***very*** hot."
STOCK = "Stock:\n```text\n| part | left |\n|------|------|\n| bolt | 12   |\n```"
GEAR = "[Gear ratio](https://example.com/wiki/Gear_(mechanics)) and **<https://example.com/pull/12>** done"


def on_slack(source: str) -> str:
    """The text of one message."""
    (part,) = slack.parts([Markdown(source=source)])
    return str(part.payload["text"])


def on_discord(source: str) -> str:
    (part,) = discord.parts([Markdown(source=source)])
    return str(part.payload["content"])


def on_telegram(source: str) -> str:
    (part,) = telegram.parts([Markdown(source=source)])
    return str(part.payload["text"])


def test_slacks_marks_are_not_those_of_markdown() -> None:
    assert on_slack(VALVE) == "The valve is _nearly_ shut, *not* open, and *_very_* hot."


def test_code_that_looks_like_a_table_stays_as_it_is() -> None:
    table = "| part | left |\n|------|------|\n| bolt | 12   |"
    assert on_slack(STOCK) == f"Stock:\n\n```\n{table}\n```"
    assert on_discord(STOCK) == f"Stock:\n\n```text\n{table}\n```"


def test_digits_beside_code_stay_where_they_are() -> None:
    assert on_slack("Step 1: use `pin 7` or `pin 0`? Choose 0, 1 or 2.") == (
        "Step 1: use `pin 7` or `pin 0`? Choose 0, 1 or 2."
    )


def test_parentheses_belong_to_the_address_and_marks_do_not() -> None:
    assert on_slack(GEAR) == (
        "<https://example.com/wiki/Gear_(mechanics)|Gear ratio> and *<https://example.com/pull/12>* done"
    )
    assert on_discord(GEAR) == (
        "[Gear ratio](<https://example.com/wiki/Gear_(mechanics)>) and **<https://example.com/pull/12>** done"
    )


def test_only_what_slack_reads_is_escaped() -> None:
    assert on_slack('Don\'t "guess": a < b && b > c, café ©') == (
        'Don\'t "guess": a &lt; b &amp;&amp; b &gt; c, café ©'
    )


@pytest.mark.parametrize(
    "source", ["<!channel>", "<@U024BE7LH>", "<#C1|x>", "@everyone", "@here", "<@&42>", "<https://a.example|b>"]
)
def test_text_calls_nobody(source: str) -> None:
    fragments: list[Fragment] = [Text(text=source), Markdown(source=source)]
    (on_one,) = slack.parts(fragments)
    assert not re.search(r"<[!@#]", str(on_one.payload["text"]))
    (on_other,) = discord.parts(fragments)
    assert not re.search(r"(?<!\\)<[@#]|@everyone|@here", str(on_other.payload["content"]))


def test_a_person_is_named_by_our_own_data_only() -> None:
    anna = Principal(channel="any", account="acme", user_id="42", name="Anna")
    uma = Principal(channel="any", account="acme", user_id="U024BE7LH", name="Uma")
    fragments: list[Fragment] = [Markdown(source="Ask"), Text(text=" "), Mention(principal=anna)]
    assert telegram.parts(fragments)[0].payload["text"] == 'Ask <a href="tg://user?id=42">Anna</a>'
    assert discord.parts(fragments)[0].payload["content"] == "Ask <@42>"
    assert slack.parts([Mention(principal=uma)])[0].payload["text"] == "<@U024BE7LH>"


@pytest.mark.parametrize(
    "source",
    [
        "![plan](https://evil.example/canary.png)",
        "![plan][1]\n\n[1]: https://evil.example/canary.png",
        "![plan](data:image/png;base64,canary)",
        "[plan](https://good.example@evil.example/canary)",
        "[plan](javascript:canary)",
        "see https://good.example@evil.example/canary",
        '<img src="https://evil.example/canary.png">',
    ],
)
def test_nothing_that_a_reader_would_load_or_mistake_is_a_link(source: str) -> None:
    assert not re.search(r"<a [^>]*(evil|data:|javascript:)", on_telegram(source))
    assert not re.search(
        r"(?<!\\)\]\(<?(https?://[^)]*evil|data:|javascript:)|(?<!\\)<http[^>]*evil", on_discord(source)
    )
    assert not re.search(r"<[^>|]*(evil|data:|javascript:)", on_slack(source))
    (mail,) = email.parts([Markdown(source=source)])
    assert not re.search(r"<[a-z]+ [^>]*(evil|data:|javascript:)", str(mail.payload["html"]))


def test_words_that_are_an_address_lead_to_that_address() -> None:
    source = "[https://good.example/a](https://evil.example/b)"
    assert on_slack(source) == "<https://good.example/a>"
    assert on_discord(source) == "<https://good.example/a>"
    assert on_telegram(source) == '<a href="https://good.example/a">https://good.example/a</a>'


def test_a_code_block_that_is_cut_is_closed_and_opened_again_with_its_language() -> None:
    source = "```python\n" + "\n".join(f"print({number})" for number in range(40)) + "\n```"
    texts = [str(part.payload["content"]) for part in discord.parts([Markdown(source=source)], 200)]
    assert len(texts) > 2
    assert all(text.startswith("```python\n") and text.endswith("```") for text in texts)
    assert "".join(text[10:-3] for text in texts).split() == [f"print({number})" for number in range(40)]


def test_a_table_that_is_cut_has_its_header_again() -> None:
    rows = "\n".join(f"| {number} | row |" for number in range(60))
    texts = [part.visible for part in telegram.parts([Markdown(source=f"| n | what |\n|--:|---|\n{rows}")], 200)]
    assert len(texts) > 2
    assert all(text.split()[:2] == ["n", "what"] for text in texts)


def test_numbers_of_a_list_go_on_in_the_next_message() -> None:
    source = "\n".join(f"{number}. " + "word " * 20 for number in range(7, 12))
    texts = [part.visible for part in telegram.parts([Markdown(source=source)], 250)]
    assert re.findall(r"(?m)^(\d+)\.", "\n".join(texts)) == ["7", "8", "9", "10", "11"]


@pytest.mark.parametrize("text", ["👩‍👩‍👧" * 40, "🇩🇪" * 60, "e\u0301" * 90, "👍🏽" * 50])
def test_what_a_reader_sees_as_one_character_is_never_cut(text: str) -> None:
    whole = {"👩‍👩‍👧", "🇩🇪", "e\u0301", "👍🏽"}
    for part in telegram.parts([Text(text=text)], 50):
        assert any(part.visible == one * (len(part.visible) // len(one)) for one in whole)


def test_a_mail_has_the_tags_that_every_reader_knows_and_no_others() -> None:
    pieces = ("# A", VALVE, "- [x] done\n- <script>alert(1)</script>", "> q", STOCK, GEAR, "---", "|a|b|\n|-|-|\n|1|2|")
    source = "\n\n".join(pieces)
    (part,) = email.parts([Markdown(source=source)])
    html = str(part.payload["html"])
    assert set(re.findall(r"</?([a-z0-9]+)", html)) <= TAGS
    assert max(len(line.encode()) for line in html.split("\n")) < 998


def test_the_plain_half_of_a_mail_has_its_links_below() -> None:
    (part,) = email.parts(
        [Markdown(source="See [the plan](https://example.com/plan) and [that](https://example.com/b).")]
    )
    assert part.payload["text"] == (
        "See the plan [1] and that [2].\n\n[1] https://example.com/plan\n[2] https://example.com/b"
    )


def test_literal_text_is_no_markup_anywhere() -> None:
    text = Text(text="*a* _b_ `c` # d\n1. e [f](https://g.example)")
    fragments: Sequence[Fragment] = [text]
    assert plain.parts(fragments)[0].payload["text"] == text.text
    assert telegram.parts(fragments)[0].payload["text"] == text.text
    assert discord.parts(fragments)[0].visible == text.text
    (part,) = slack.parts(fragments)
    assert part.payload["blocks"] == [
        {
            "type": "rich_text",
            "elements": [{"type": "rich_text_section", "elements": [{"type": "text", "text": text.text}]}],
        }
    ]


@pytest.mark.parametrize("cut", range(1, 60))
def test_an_answer_that_is_still_being_written_is_drawn_at_every_letter(cut: int) -> None:
    source = "A **bold** word, `code`, [link](https://e.example)\n```py\nx=1\n```\n"[:cut]
    for draw in (telegram.parts, discord.parts, slack.parts, plain.parts):
        assert draw([Markdown(source=source)])
