"""What a reply looks like on Discord."""

import re

from channels.discord.outbound import MOST_TEXT, body, changed_body, form, render
from core.domain.chat import Principal
from core.domain.message import Choice, Markdown, Mention, OutgoingFile, Reply, Text, says
from tests.fakes.wire import at, objects_at, text_at

BEN = Principal(channel="discord", account="1", user_id="820000000000000002", name="Ben")


def asks(*labels: str) -> Reply:
    choices = tuple(Choice(label=label, token=f"t{n}") for n, label in enumerate(labels))
    return Reply(fragments=(Text(text="Which?"),), choices=choices)


def test_nobody_is_notified_but_whom_the_reply_itself_names() -> None:
    reply = Reply(fragments=(Mention(principal=BEN), Markdown(source=" @everyone @here <@&5> <@6> look")))
    (part,) = render(reply)
    content = body(part)
    assert content["allowed_mentions"] == {"parse": [], "users": [BEN.user_id], "replied_user": False}
    assert text_at(content, "content").startswith(f"<@{BEN.user_id}>")
    assert changed_body(part)["allowed_mentions"] == content["allowed_mentions"]


def test_no_link_unfolds() -> None:
    (part,) = render(Reply(fragments=(Markdown(source="[x](https://x.example/?q=secret)"),)))
    assert body(part)["flags"] == 4


def test_literal_text_is_read_by_nobody_as_markup() -> None:
    (part,) = render(says("2*3*4 <@U1> [x](y) ~~no~~ `c` # t\n> q\n- i"))
    assert re.sub(r"\\(.)", r"\1", part["text"]) == "2*3*4 <@U1> [x](y) ~~no~~ `c` # t\n> q\n- i"
    assert not re.search(r"(?<!\\)[*_~`|<>\[\]]|^[#-]", part["text"], re.MULTILINE)


def test_choices_are_numbered_lines_and_buttons_and_a_pen_for_other_words() -> None:
    (part,) = render(asks("Left", "Right"))
    assert part["text"] == "Which?\n1\\. Left\n2\\. Right"
    first, pen = objects_at(body(part), "components")
    assert [text_at(one, "custom_id") for one in objects_at(first, "components")] == ["t0", "t1"]
    assert at(pen, "components", 0, "custom_id") == "write"


def test_labels_that_no_button_holds_become_a_menu() -> None:
    (part,) = render(asks("Left", "x" * 81))
    (menu,) = objects_at(objects_at(body(part), "components")[0], "components")
    assert menu["type"] == 3
    assert [text_at(one, "value") for one in objects_at(menu, "options")] == ["t0", "t1"]
    assert all(len(text_at(one, "label")) <= 100 for one in objects_at(menu, "options"))


def test_a_card_that_is_closed_loses_its_buttons() -> None:
    (part,) = render(says("Which?: Left (Anna)"))
    assert changed_body(part)["components"] == []
    assert "components" not in body(part)


def test_more_files_than_a_message_takes_follow_in_others() -> None:
    files = tuple(OutgoingFile(path=f"{n}.txt", name=f"{n}.txt") for n in range(23))
    parts = render(Reply(fragments=(Text(text="here"),), files=files))
    assert [len(part["files"]) for part in parts] == [10, 10, 3]
    assert [file["name"] for part in parts for file in part["files"]] == [file.name for file in files]


def test_a_form_has_a_title_that_fits() -> None:
    assert len(text_at(form("What shall the " * 20), "data", "title")) <= 45
    assert text_at(form(""), "data", "title")


def test_a_long_reply_is_cut_at_what_a_message_holds_with_its_code_in_blocks_again() -> None:
    lines = [f"+line {n}" for n in range(500)]
    source = "\n".join(["Here:", "```diff", *lines, "```", "done"])
    parts = [part["text"] for part in render(Reply(fragments=(Markdown(source=source),)))]
    assert max(map(len, parts)) <= MOST_TEXT
    assert all(part.count("```") % 2 == 0 for part in parts)
    assert [line for part in parts for line in part.splitlines() if line.startswith("+")] == lines
