"""What a person says: an answer to a question, or a turn."""

from dataclasses import replace

from sqlalchemy import Connection

from core.decide.intake import Answer, Enqueue
from core.domain.message import Inbound
from core.domain.turn import ModelChoice
from core.ports import Accepted
from core.store import answering
from core.store.admission import Admission
from core.store.admit import admit
from core.store.chat_lock import Locked


def take(
    conn: Connection,
    event: Inbound,
    chat: Locked,
    inbound_id: int,
    decision: Answer | Enqueue,
    choice: ModelChoice,
    admission: Admission,
) -> Accepted:
    """Somebody who has to wait for the answer of another is told so, once."""
    match decision:
        case Answer():
            answering.answer(conn, event, chat, inbound_id, decision, admission.rules.texts)
            return Accepted(inbound=inbound_id, chat_row=chat.id, resumed=True, replies=True)
        case Enqueue(waits_for=name):
            told = name is not None and answering.tell(conn, event, chat, inbound_id, name, admission)
            return replace(admit(conn, event, chat, inbound_id, choice, admission), replies=told)
