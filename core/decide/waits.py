"""Questions to people: how they read, what counts as an answer, how long they last."""

from collections.abc import Sequence
from datetime import datetime

from core.domain.chat import Principal
from core.domain.message import Choice, Markdown, Reply, Text
from core.domain.step import CallId
from core.domain.texts import Texts
from core.domain.wait import Answered, Ask, Given, Question, Wait, WaitKind

SECOND = 1000
SHORTEST = 10 * SECOND
LONGEST = 30 * 24 * 3600 * SECOND
USUAL = 24 * 3600 * SECOND
USUAL_SHARED = 3600 * SECOND
MOST_CHOICES = 8

# The places of an approval's choices.
ONCE, ALWAYS, DENY = range(3)

NO_ANSWER = "no answer in time"
FREE_TEXT = "(not among the choices) "


def question_of(ask: Ask, *, call: CallId, asked: Principal, tokens: Sequence[str], shared: bool) -> Question:
    """Make a tool's wish concrete. Without a time it lasts a day, in a shared chat an hour."""
    lasts = ask.lasts if ask.lasts is not None else (USUAL_SHARED if shared else USUAL)
    return Question(
        call=call,
        asked=asked,
        text=ask.question,
        choices=tuple(Choice(label=label, token=token) for label, token in zip(ask.choices, tokens, strict=False)),
        lasts=min(max(lasts, SHORTEST), LONGEST),
        default=ask.default,
        allow_empty=ask.allow_empty,
    )


def question_reply(question: Question, wait_id: int, deadline: int, texts: Texts) -> Reply:
    """How a question goes out: its text, its choices, and until when it can be answered."""
    until = texts.say("answer_until", time=moment(deadline))
    if question.default is not None:
        until += " " + texts.say("answer_otherwise", default=question.default)
    if question.kind is WaitKind.APPROVAL:
        return _approval_card(question, wait_id, until, texts)
    return Reply(fragments=(Markdown(source=question.text), Text(text=f"\n\n{until}")), choices=question.choices)


def _approval_card(question: Question, wait_id: int, until: str, texts: Texts) -> Reply:
    """Exactly what would run stands on it, never cut: in a code block, or in a file with its hash."""
    fragments = (
        Text(text=f"{question.text}\n\n"),
        Markdown(source=fenced(question.shown)),
        Text(text=f"\n\n{until} {texts.say('approval_how', id=wait_id)}"),
    )
    files = () if question.file is None else (question.file,)
    return Reply(fragments=fragments, files=files, choices=question.choices)


def fenced(text: str) -> str:
    """A code block that nothing in the text can close."""
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}\n{text}\n{fence}"


def moment(at: int) -> str:
    """A time as people here read it, with its zone."""
    return datetime.fromtimestamp(at / 1000).astimezone().strftime("%Y-%m-%d %H:%M %Z")


def by_text(question: Question, text: str) -> Given | None:
    """A typed answer: a choice's exact words, else its number, else free text, marked so. None for an empty one."""
    said = text.strip()
    if not said and not question.allow_empty:
        return None
    for place, choice in enumerate(question.choices):
        if said.casefold() == choice.label.casefold():
            return taken(question, place)
    if said.isascii() and said.isdigit() and len(said) < 4 and 1 <= int(said) <= len(question.choices):
        return taken(question, int(said) - 1)
    return Given(text=f"{FREE_TEXT}{said}" if question.choices else said, shown=said)


def by_token(waits: Sequence[Wait], token: str) -> tuple[Wait, Given] | None:
    """The question and the choice that a button stands for; nobody has a button of a question that is not shown."""
    for wait in waits:
        if wait.deadline is None:
            continue
        for place, choice in enumerate(wait.question.choices):
            if choice.token == token:
                return wait, taken(wait.question, place)
    return None


def by_verdict(waits: Sequence[Wait], wait_id: int, place: int) -> tuple[Wait, Given] | None:
    """The open approval of that number, and the choice at that place."""
    for wait in waits:
        if wait.id == wait_id and wait.question.kind is WaitKind.APPROVAL:
            return wait, taken(wait.question, place)
    return None


def taken(question: Question, place: int) -> Given:
    """The choice at a place as an answer."""
    label = question.choices[place].label
    return Given(text=label, shown=label, choice=place)


def answered(question: Question, answer: str | None, *, in_time: bool) -> Answered:
    """How a question ended, from its stored answer. Only a yes in time approves anything."""
    labels = [choice.label for choice in question.choices]
    choice = labels.index(answer) if answer in labels else None
    approved = question.kind is WaitKind.APPROVAL and in_time and choice in (ONCE, ALWAYS)
    return Answered(text=answer, choice=choice, in_time=in_time, digest=question.digest if approved else None)


def result_of(answered: Answered) -> str:
    """What the model reads as the result of its question."""
    if answered.text is None:
        return NO_ANSWER
    return f"User reply: {answered.text}" if answered.in_time else f"{NO_ANSWER}; the default applies: {answered.text}"


def refusal_of(answered: Answered) -> str:
    """What the model reads as the result of a call that was not approved."""
    if not answered.in_time:
        return "Not run: nobody approved this in time. Do not try it another way; say what you would need."
    return "Not run: this was not approved. Do not try it another way; say what you would need."


def closed_card(question: Question, given: Given, who: Principal, texts: Texts) -> str:
    """What stands in the place of an answered question."""
    name = who.name or who.user_id
    return texts.say("question_answered", question=question.text, answer=given.shown, name=name)
