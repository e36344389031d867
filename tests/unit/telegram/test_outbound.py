"""Replies as messages of Telegram."""

import os
import re
from pathlib import Path

import pytest

from channels.telegram.outbound import NOTHING_SAID, placeholder, render, shown
from channels.telegram.uploads import contents
from core.domain.chat import Principal
from core.domain.errors import Unacceptable
from core.domain.message import Choice, Markdown, Mention, OutgoingFile, Reply, Text, says

ANNA = Principal(channel="telegram", account="7", user_id="11", name="Anna <b>")


def units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def test_literal_text_stays_literal() -> None:
    (part,) = render(says("a < b & c > d <b>x</b> &amp;"))
    assert part["text"] == "a &lt; b &amp; c &gt; d &lt;b&gt;x&lt;/b&gt; &amp;amp;"
    assert shown(part["text"]) == "a < b & c > d <b>x</b> &amp;"


def test_a_person_is_named_by_number_so_that_the_phone_rings() -> None:
    (part,) = render(Reply(fragments=(Mention(principal=ANNA), Text(text=", look"))))
    assert part["text"] == '<a href="tg://user?id=11">Anna &lt;b&gt;</a>, look'


def test_who_has_no_number_is_named_by_name_alone() -> None:
    other = Principal(channel="telegram", account="7", user_id='1"><b>', name="Ben")
    assert render(Reply(fragments=(Mention(principal=other),)))[0]["text"] == "Ben"


@pytest.mark.parametrize("word", ["word ", "x", "👩‍👩‍👧 ", "<&> ", "line\n", "e\u0301"])
def test_parts_are_full_and_lose_nothing(word: str) -> None:
    text = word * 6_000
    parts = [shown(part["text"]) for part in render(says(text))]
    assert max(units(part) for part in parts) <= 4_096
    assert re.sub(r"\s", "", "".join(parts)) == re.sub(r"\s", "", text)
    assert all(units(part) > 2_000 for part in parts[:-1])
    assert not any(part.startswith(("\u200d", "\u0301")) for part in parts)


def test_buttons_stand_below_the_last_words_one_a_line() -> None:
    choices = tuple(Choice(label=f"Choice {n}", token=f"t{n}") for n in range(8))
    parts = render(Reply(fragments=(Text(text="word " * 2_000),), choices=choices))
    assert [len(part["buttons"]) for part in parts] == [0, 0, 8]


def test_a_question_without_words_still_has_its_buttons() -> None:
    (part,) = render(Reply(fragments=(), choices=(Choice(label="", token="t"),)))
    assert (part["text"], part["buttons"]) == (NOTHING_SAID, [{"label": "…", "token": "t"}])


def test_a_file_is_a_message_of_its_own_with_as_much_caption_as_fits() -> None:
    file = OutgoingFile(path="a/b.pdf", name="b.pdf", caption="word " * 300)
    words, whole, rest = render(Reply(fragments=(Text(text="here"),), files=(file,)))
    assert (words["text"], words["file"]) == ("here", None)
    assert whole["file"] == {"path": "a/b.pdf", "name": "b.pdf"}
    assert units(shown(whole["text"])) <= 1_024
    assert f"{whole['text']} {rest['text']}".split() == ["word"] * 300


def test_words_begin_as_a_placeholder_and_files_do_not() -> None:
    words, file = render(Reply(fragments=(Text(text="here"),), files=(OutgoingFile(path="a", name="a"),)))
    begun = placeholder(words, "a < b")
    assert begun is not None
    assert (begun["text"], begun["buttons"]) == ("a &lt; b", [])
    assert placeholder(file, "...") is None


def test_a_plain_file_of_the_workspace_is_read(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "b.txt").write_bytes(b"abc")
    assert contents(tmp_path, "a/b.txt", 3) == b"abc"


@pytest.mark.parametrize(
    "path",
    ["link", "dir/link", "linked/x", "pipe", "dir", "hard", "../x", "/etc/hostname", "", "a\0b", "nowhere", "big"],
)
def test_what_is_no_plain_file_of_the_workspace_does_not_leave(tmp_path: Path, path: str) -> None:
    inside, outside = tmp_path / "w", tmp_path / "out"
    for folder in (inside / "dir", outside):
        folder.mkdir(parents=True)
    (outside / "x").write_bytes(b"secret")
    (inside / "link").symlink_to(outside / "x")
    (inside / "dir" / "link").symlink_to(outside / "x")
    (inside / "linked").symlink_to(outside)
    (inside / "hard").hardlink_to(outside / "x")
    os.mkfifo(inside / "pipe")
    (inside / "big").write_bytes(b"x" * 101)
    with pytest.raises(Unacceptable):
        contents(inside, path, 100)


@pytest.mark.parametrize(
    ("source", "sent"),
    [
        ("**Offer:** a <RFQ> in a `Set<str>`", "<b>Offer:</b> a &lt;RFQ&gt; in a <code>Set&lt;str&gt;</code>"),
        ("my_var_name plus a lonely * star", "my_var_name plus a lonely * star"),
        ("```py\na < b\n```", '<pre><code class="language-py">a &lt; b</code></pre>'),
    ],
)
def test_what_a_model_writes_is_drawn_and_angle_brackets_stay_words(source: str, sent: str) -> None:
    (part,) = render(Reply(fragments=(Markdown(source=source),)))
    assert part["text"] == sent


def test_code_that_is_cut_is_code_in_every_message() -> None:
    source = "```py\n" + "x = 1  # and so on\n" * 600 + "```"
    parts = [part["text"] for part in render(Reply(fragments=(Markdown(source=source),)))]
    assert len(parts) > 2
    assert all(part.startswith("<pre>") and part.endswith("</pre>") for part in parts)
