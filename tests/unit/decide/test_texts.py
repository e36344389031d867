"""The fixed sentences."""

from string import Formatter

import pytest

from core.domain.texts import TEXTS, Texts

# What the code fills in; a text that names another place could not be said.
PLACES = {
    "queue_full": {"n"},
    "stopped_dropped": {"n"},
    "resumed": {"n", "words"},
    "resumed_already": {"n"},
    "session_unknown": {"n"},
    "undone": {"words"},
    "failed": {"cause", "id"},
    "cause_limit": {"what"},
    "cause_no_progress": {"n"},
    "stop_not_yours": {"name"},
    "working": {"step"},
    "queued": {"n"},
    "away": {"a", "b", "n"},
    "interrupted": {"tool"},
    "approval": {"tool", "name"},
    "approval_how": {"id"},
    "pairing": {"code"},
    "file_too_large": {"name"},
    "file_not_sent": {"name", "why"},
    "file_missing": {"name"},
    "unknown_command": {"command", "nearest"},
    "command_broke": {"command"},
    "undelivered": {"n"},
    "answer_until": {"time"},
    "answer_otherwise": {"default"},
    "question_reminder": {"question"},
    "question_answered": {"question", "answer", "name"},
    "question_cancelled": {"question"},
    "question_expired": {"question", "default"},
    "question_expired_bare": {"question"},
    "question_not_yours": {"name"},
    "waiting_for": {"name", "n"},
    "queue_unknown": {"name"},
    "queue_set": {"name"},
    "model_unknown": {"name"},
    "model_set": {"name"},
    "model_default": {"name"},
}


@pytest.mark.parametrize("name", TEXTS)
def test_every_text_has_the_places_that_are_filled_and_no_others(name: str) -> None:
    assert {place for _, place, _, _ in Formatter().parse(TEXTS[name]) if place} == PLACES.get(name, set())


@pytest.mark.parametrize("name", TEXTS)
def test_every_text_can_be_said(name: str) -> None:
    said = Texts({}).say(name, **dict.fromkeys(PLACES.get(name, set()), "this"))
    assert said.strip()
    assert "{" not in said


def test_every_cause_is_said_inside_a_failure() -> None:
    causes = [name for name in TEXTS if name.startswith("cause_")]
    assert len(causes) == 7
    for cause in causes:
        said = Texts({}).say("failed", cause=Texts({}).say(cause, what="9 model calls", n=9), id=7)
        assert said.startswith("I could not answer this: ")
        assert said.endswith(". /retry tries again. (7)")


def test_an_operators_text_takes_the_place_of_ours() -> None:
    texts = Texts({"stopped": "Halt.", "stopped_dropped": "Halt, {n} gone."})
    assert texts.say("stopped") == "Halt."
    assert texts.say("stopped_dropped", n=2) == "Halt, 2 gone."
    assert texts.say("new") == "New conversation."


def test_what_is_filled_in_is_never_read_as_a_place() -> None:
    assert Texts({}).say("model_set", name="{name} {0} %s") == "This chat now uses {name} {0} %s."


def test_a_text_that_there_is_not_is_a_bug_of_the_caller() -> None:
    with pytest.raises(KeyError):
        Texts({}).say("nonsense")
