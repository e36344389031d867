"""A person's message meets an open question."""

from sqlalchemy import Connection

from core.decide.decisions import Answer
from core.domain.message import Inbound
from core.domain.texts import Texts
from core.domain.wait import WaitState
from core.store import grants, waits
from core.store.admission import Admission
from core.store.chat_lock import Locked
from core.store.notices import notice


def answer(conn: Connection, event: Inbound, chat: Locked, decision: Answer, texts: Texts) -> None:
    """The message closes a question."""
    stored = next(one for one in chat.waits if one.wait.id == decision.wait.id)
    closed = waits.Closed(state=WaitState.ANSWERED, answer=decision.given.text, by=event.sender, card=decision.card)
    waits.close(conn, stored, closed, texts)
    if decision.for_good:
        grants.grant(conn, chat.id, decision.wait.question, event.sender.user_id)


def tell(conn: Connection, event: Inbound, chat: Locked, inbound_id: int, name: str, admission: Admission) -> bool:
    """Once a person and question: whose answer is waited for, and the place in the queue."""
    if not waits.tell_once(conn, chat.waits, event.sender.user_id):
        return False
    text = admission.rules.texts.say("waiting_for", name=name, n=chat.live)
    notice(conn, chat.id, inbound_id, text, admission.key, answers=event.event_key)
    return True
