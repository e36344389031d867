"""A chat, people and rules that decisions are tried on."""

from core.decide.gate import Policy
from core.decide.view import Queueing, Rules
from core.domain.chat import ChatKey, Principal, QueueMode
from core.domain.command import COMMANDS
from core.domain.message import Choice, Inbound
from core.domain.step import CallId
from core.domain.texts import Texts
from core.domain.wait import Question, Wait

ANNA = Principal(channel="fake", account="acme", user_id="anna", name="Anna")
BEN = Principal(channel="fake", account="acme", user_id="ben", name="Ben")
CARL = Principal(channel="fake", account="acme", user_id="carl")
OLGA = Principal(channel="fake", account="acme", user_id="olga", name="Olga")
MALLORY = Principal(channel="fake", account="acme", user_id="mallory", name="Olga")

SAID = Inbound(
    event_key="e1",
    chat=ChatKey(channel="fake", account="acme", chat_id="room"),
    sender=ANNA,
    content="hello",
    at=0,
)

RULES = Rules(
    policy=Policy(
        listed={("fake", "acme"): frozenset({"anna", "ben", "carl"})}, owners={("fake", "acme"): frozenset({"olga"})}
    ),
    commands=COMMANDS,
    texts=Texts({}),
    queueing=Queueing(mode=lambda chat: QueueMode.QUEUE, chat=5, person=3, burst_ms=2_000, burst=3),
)


def asked(person: Principal, *, turn: int = 1, deadline: int | None = 5, lasts: int = 1) -> Wait:
    """A question to somebody."""
    question = Question(
        call=CallId(step=1, index=0),
        asked=person,
        text="How many?",
        choices=(Choice(label="Two", token="t2"), Choice(label="Four", token="t4")),
        lasts=lasts,
        default=None,
        allow_empty=False,
    )
    return Wait(id=1, turn=turn, question=question, deadline=deadline)
