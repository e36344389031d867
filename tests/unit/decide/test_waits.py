"""Questions to people: how they read, what counts as an answer, how long they last."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.decide.waits import by_text, by_token, closed_card, question_of, question_reply, result_of
from core.domain.chat import Principal
from core.domain.message import Choice, plain
from core.domain.step import CallId
from core.domain.texts import Texts
from core.domain.wait import Answered, Ask, Given, Question, Wait
from tests.unit.decide.logs import steady

ANNA = Principal(channel="fake", account="acme", user_id="anna", name="Anna")
BEN = Principal(channel="fake", account="acme", user_id="ben")
CALL = CallId(step=3, index=1)
DAY = 86_400_000
TEXTS = Texts({})


def question(*labels: str, allow_empty: bool = False, default: str | None = None) -> Question:
    choices = tuple(Choice(label=label, token=f"t{n}") for n, label in enumerate(labels))
    return Question(
        call=CALL, asked=ANNA, text="Which?", choices=choices, lasts=1, default=default, allow_empty=allow_empty
    )


def wait(number: int, asked: Question, deadline: int | None = 5) -> Wait:
    return Wait(id=number, turn=1, question=asked, deadline=deadline)


@pytest.mark.parametrize(
    ("lasts", "shared", "expected"),
    [
        (None, False, DAY),
        (None, True, 3_600_000),
        (60_000, True, 60_000),
        (0, False, 10_000),
        (-5, False, 10_000),
        (365 * DAY, False, 30 * DAY),
    ],
)
def test_a_question_lasts_as_long_as_was_asked_for_within_bounds(
    lasts: int | None, shared: bool, expected: int
) -> None:
    asked = question_of(Ask(question="Which?", lasts=lasts), call=CALL, asked=ANNA, tokens=[], shared=shared)
    assert asked.lasts == expected


def test_a_wish_becomes_a_question_to_somebody_with_a_token_for_each_choice() -> None:
    wish = Ask(question="Which?", choices=("Red", "Blue"), default="Red", allow_empty=True)
    asked = question_of(wish, call=CALL, asked=ANNA, tokens=["a", "b"], shared=False)
    assert (asked.call, asked.asked, asked.text, asked.default, asked.allow_empty) == (
        CALL,
        ANNA,
        "Which?",
        "Red",
        True,
    )
    assert asked.choices == (Choice(label="Red", token="a"), Choice(label="Blue", token="b"))


@pytest.mark.parametrize(
    ("said", "text", "shown"),
    [
        ("Red", "Red", "Red"),
        ("  rEd\n", "Red", "Red"),
        ("1", "Red", "Red"),
        ("2", "Blue", "Blue"),
        (" 2 ", "Blue", "Blue"),
        ("STRASSE", "Straße", "Straße"),
        ("4", "(not among the choices) 4", "4"),
        ("0", "(not among the choices) 0", "0"),
        ("-1", "(not among the choices) -1", "-1"),
        ("1.", "(not among the choices) 1.", "1."),
        ("²", "(not among the choices) ²", "²"),
        ("1" * 5000, "(not among the choices) " + "1" * 5000, "1" * 5000),
        ("green", "(not among the choices) green", "green"),
    ],
)
def test_a_typed_answer_is_a_choice_by_its_words_or_number_or_free_text(said: str, text: str, shown: str) -> None:
    labels = ("Red", "Blue", "Straße")
    choice = labels.index(text) if text in labels else None
    assert by_text(question(*labels), said) == Given(text=text, shown=shown, choice=choice)


def test_the_words_of_a_choice_go_before_its_number() -> None:
    assert by_text(question("2", "1"), "1") == Given(text="1", shown="1", choice=1)


def test_without_choices_whatever_is_said_is_the_answer() -> None:
    assert by_text(question(), " four, please ") == Given(text="four, please", shown="four, please")
    assert by_text(question(), "1") == Given(text="1", shown="1")


def test_nothing_said_is_an_answer_only_where_that_was_allowed() -> None:
    assert by_text(question("Red"), "  ") is None
    assert by_text(question(allow_empty=True), "  ") == Given(text="", shown="")


@steady
@given(st.text(), st.lists(st.text(min_size=1, max_size=5), max_size=4))
def test_every_text_is_some_answer_and_a_choice_only_when_it_names_one(said: str, labels: list[str]) -> None:
    found = by_text(question(*labels, allow_empty=True), said)
    assert found is not None
    assert found.text in labels or not labels or found.text == f"(not among the choices) {said.strip()}"


def test_a_button_stands_for_one_choice_of_one_question() -> None:
    first, second = wait(1, question("Red")), wait(2, question("Blue", "Green"))
    second = replace(second, question=replace(second.question, choices=(Choice(label="Green", token="g"),)))
    assert by_token([first, second], "g") == (second, Given(text="Green", shown="Green", choice=0))
    assert by_token([first, second], "t0") == (first, Given(text="Red", shown="Red", choice=0))
    assert by_token([first, second], "Green") is None
    assert by_token([], "g") is None


def test_a_question_says_until_when_and_what_else_happens() -> None:
    reply = question_reply(question("Red", default="Red"), 7, 1_800_000_000_000, TEXTS)
    assert plain(reply).startswith("Which?\n\nAnswer until 2027-01-1")
    assert plain(reply).endswith(". Otherwise: Red.")
    assert reply.choices == question("Red").choices
    assert plain(question_reply(question(), 7, 1_800_000_000_000, TEXTS)).endswith(".")
    assert "Otherwise" not in plain(question_reply(question(), 7, 1_800_000_000_000, TEXTS))


def test_a_closed_card_names_the_answer_and_who_gave_it() -> None:
    given_ = Given(text="Red", shown="Red")
    assert closed_card(question("Red"), given_, ANNA, TEXTS) == "Which?: Red (Anna)"
    assert closed_card(question("Red"), given_, BEN, TEXTS) == "Which?: Red (ben)"


def test_braces_in_a_question_or_an_answer_are_only_braces() -> None:
    odd = replace(question(), text="{default} {0}")
    assert closed_card(odd, Given(text="{x}", shown="{x}"), ANNA, TEXTS) == "{default} {0}: {x} (Anna)"


def test_a_model_reads_the_answer_or_that_there_was_none() -> None:
    assert result_of(Answered(text="four")) == "User reply: four"
    assert result_of(Answered(text="")) == "User reply: "
    assert result_of(Answered(text=None, in_time=False)) == "no answer in time"
    assert result_of(Answered(text="Two", in_time=False)) == "no answer in time; the default applies: Two"
