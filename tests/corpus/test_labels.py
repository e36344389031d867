"""The labelled mails themselves: complete, of many kinds, invented, and judged neither too strictly nor too kindly."""

import re
from collections import Counter

import pytest

from tests.corpus.labels import MAILS, Label, labels, own_addresses

ALL = labels()
SOFT_BREAK = re.compile(rb"=\r?\n")
DOMAINS = re.compile(rb"[\w.+-]@([A-Za-z][A-Za-z0-9.-]*\.[A-Za-z]{2,})\b")
RESERVED = re.compile(rb"(?:.*\.)?example\.(?:com|org|net)|.*\.test", re.IGNORECASE)


def label(visible: str | None, **more: list[str]) -> Label:
    return Label(
        file="none.eml",
        client="any",
        language="en",
        sender="a@example.org",
        kind="message",
        thread="t",
        visible=visible,
        optional=more.get("optional", []),
        also=more.get("also", []),
        contains=more.get("contains", []),
        attachments=None,
        about=None,
        note="",
    )


def test_every_mail_has_a_label_and_every_label_a_mail() -> None:
    assert sorted(path.name for path in MAILS.glob("*.eml")) == [one.file for one in ALL]


def test_there_are_many_mails_of_many_clients_and_languages_and_of_every_kind() -> None:
    assert len(ALL) >= 150
    assert len({one.client for one in ALL}) >= 12
    assert len({one.language for one in ALL}) >= 8
    assert {one.kind for one in ALL} == {"message", "automatic", "bounce", "list", "own"}


def test_what_is_not_judged_word_by_word_is_rare() -> None:
    judged = [one for one in ALL if one.kind == "message" and one.visible is not None]
    assert len(judged) >= 0.95 * sum(one.kind == "message" for one in ALL)


def test_git_kept_the_line_ends_of_both_kinds() -> None:
    ends = Counter(b"\r\n" in one.raw for one in ALL)
    assert ends[True] >= 100
    assert ends[False] >= 10


def test_all_addresses_are_of_domains_that_nobody_can_own() -> None:
    found = {domain for one in ALL for domain in DOMAINS.findall(SOFT_BREAK.sub(b"", one.raw))}
    assert found
    assert not [domain for domain in found if not RESERVED.fullmatch(domain)]


def test_own_mails_come_from_our_address_and_bounces_are_about_a_mail() -> None:
    assert all((one.sender in own_addresses()) == (one.kind == "own") for one in ALL)
    assert all((one.about is not None) == (one.kind == "bounce") for one in ALL)


def test_only_a_bounce_may_be_without_a_conversation() -> None:
    assert {one.kind for one in ALL if one.thread is None} <= {"bounce"}


@pytest.mark.parametrize("one", [one for one in ALL if one.visible is not None], ids=lambda one: one.file)
def test_a_label_agrees_with_its_own_text_and_with_nothing_longer(one: Label) -> None:
    assert one.visible is not None
    assert one.agrees(one.visible)
    assert not one.agrees(one.visible + "\n\nOn Friday somebody else wrote this.")


@pytest.mark.parametrize(
    ("one", "text"),
    [
        (label("Yes.\nTomorrow."), " Yes. \r\n\r\nTomorrow.\n"),
        (label("> Which?\nThe blue one."), "Which?\n\nThe blue one."),
        (label("- a\n- b"), "* a\n* b"),
        (label("Yes.\nKind regards", optional=["Kind regards"]), "Yes."),
        (label("On Friday wrote:\n> A?\nB.", optional=["On Friday wrote:", "> A?"]), "B."),
        (label("See below.", also=["See below.\nText."]), "See below.\n> Text."),
        (label(None, contains=["Board"]), "Invitation: Board, at ten"),
        (label("Gruß"), "Gru\u00df\u200b"),
    ],
)
def test_what_a_reader_does_not_tell_apart_agrees(one: Label, text: str) -> None:
    assert one.agrees(text)


@pytest.mark.parametrize(
    ("one", "text"),
    [
        (label("Yes."), "Yes.\n> No?"),
        (label("Yes.\nTomorrow."), "Yes."),
        (label("Yes.", optional=["Kind regards"]), "Kind regards"),
        (label("-20 nuts"), "20 nuts"),
        (label(None, contains=["Board"]), "Invitation"),
        (label("See below.", also=["See below.\nText."]), "Text."),
    ],
)
def test_a_word_too_many_or_too_few_does_not_agree(one: Label, text: str) -> None:
    assert not one.agrees(text)
