"""One process at work on a store: its ports, and short ways to say, claim and finish."""

import secrets
from collections.abc import Sequence
from pathlib import Path

from sqlalchemy import Connection, text

from core.decide.gate import Policy
from core.decide.view import Queueing, Rules
from core.domain.chat import ChatKey, Principal
from core.domain.command import COMMANDS
from core.domain.delivery import Delivery, Receipt
from core.domain.message import CursorMove, Dropped, Inbound, plain, says
from core.domain.step import ModelAnswered, Stamped
from core.domain.texts import Texts
from core.domain.turn import ModelChoice
from core.ports import Accepted, Claim, Ending, Finished, Lane
from core.store import codec
from core.store.admission import Admission, Holder
from core.store.calls_port import StoredAsks
from core.store.outbox_port import StoredOutbox
from core.store.ports import StoredChats, StoredInbox
from core.store.store import Store
from core.store.turns_port import StoredTurns

CHANNEL = "fake"
ACCOUNT = "acme"
PEOPLE = ("anna", "ben")
LEASE_MS = 15_000
LANE = Lane(channel=CHANNEL, account=ACCOUNT)

Row = tuple[object, ...]


def place(chat: str = "room", thread: str | None = None, *, account: str = ACCOUNT) -> ChatKey:
    """A chat of the fake platform."""
    return ChatKey(channel=CHANNEL, account=account, chat_id=chat, thread_id=thread)


def person(name: str = "anna", *, account: str = ACCOUNT) -> Principal:
    """Somebody on the fake platform."""
    return Principal(channel=CHANNEL, account=account, user_id=name, name=name.title())


def message(
    content: str = "hello",
    *,
    event_key: str | None = None,
    chat: ChatKey | None = None,
    sender: Principal | None = None,
    cursor: CursorMove | None = None,
    message_id: str | None = None,
) -> Inbound:
    """Something said; its event key is new unless one is given."""
    return Inbound(
        event_key=event_key or new_key(),
        chat=chat or place(),
        sender=sender or person(),
        content=content,
        at=1_700_000_000_000,
        cursor=cursor,
        message_id=message_id,
    )


def choose(wanted: str | None) -> ModelChoice:
    """The wanted model first, then the one that everybody has."""
    return ModelChoice(names=(wanted, "first") if wanted else ("first",), registry="r1")


def admission(owner: str | None = "worker-a", *, queued: int = 50, rules: Rules | None = None) -> Admission:
    """What intake knows, with Anna and Ben let in, or by rules of the test's own."""
    rules = rules or Rules(
        policy=Policy(listed={(CHANNEL, ACCOUNT): frozenset(PEOPLE)}),
        commands=COMMANDS,
        texts=Texts({}),
        queueing=Queueing(chat=queued, person=queued),
    )
    return Admission(
        rules=rules, choose=choose, agent=lambda chat: "main", owner=owner, lease_ms=LEASE_MS, key="overwritten"
    )


class Desk:
    """The ports of one worker process."""

    def __init__(self, store: Store, *, owner: str = "worker-a", queued: int = 50, rules: Rules | None = None) -> None:
        self.store = store
        self.inbox = StoredInbox(store, admission(owner, queued=queued, rules=rules))
        self.turns = StoredTurns(store, Holder(owner=owner, lease_ms=LEASE_MS, texts=Texts({})))
        self.asks = StoredAsks(store, Texts({}))
        self.outbox = StoredOutbox(store)
        self.chats = StoredChats(store)

    async def takes(self, event: Inbound | Dropped, *, slot: bool = False) -> Accepted:
        """Intake of one event."""
        return await self.inbox.accept(event, key=new_key(), slot=slot)

    async def hears(self, content: str, *, chat: str = "room", user: str = "anna", slot: bool = False) -> Accepted:
        """Intake of a message that nobody has said before."""
        return await self.takes(message(content, chat=place(chat), sender=person(user)), slot=slot)

    async def starts(self, content: str = "hello", *, chat: str = "room") -> Claim:
        """Intake of a message that is claimed in the same commit."""
        accepted = await self.hears(content, chat=chat, slot=True)
        assert accepted.claim is not None, f"{chat} is busy: {accepted}"
        return accepted.claim

    async def claims(self) -> Claim:
        """The next turn; there must be one."""
        claimed = await self.turns.claim(1)
        assert claimed, "nothing is ready"
        return claimed[0]

    async def finishes(self, claim: Claim, answer: str = "done", *, send_now: bool = False) -> Finished:
        """The turn's last commit, its answer being the next step of its log."""
        history = await self.turns.history(claim, 0)
        seq = len(history[-1].steps) + 1 if history else 1
        return await self.turns.finish(claim, ending(answer, seq=seq), key=new_key(), send_now=send_now)

    async def replies(self, answer: str = "done", *, chat: str = "room") -> int:
        """A whole turn; gives the chat's row. Its reply waits in the outbox."""
        claim = await self.starts(chat=chat)
        await self.finishes(claim, answer)
        return claim.chat_row

    async def next(self, chat_row: int) -> Delivery:
        """The delivery that goes out now; there must be one."""
        delivery = await self.outbox.next(chat_row)
        assert delivery is not None, f"nothing to send in chat {chat_row}"
        return delivery

    async def rows(self, sql: str, **binds: object) -> list[Row]:
        """What the tables hold."""

        def read(conn: Connection) -> list[Row]:
            return [tuple(row) for row in conn.execute(text(sql), binds)]

        return await self.store.read(read)


def ending(answer: str = "done", *, seq: int = 1, cause: str | None = None) -> Ending:
    """The end of a turn, with an answer or with a cause."""
    step = Stamped(seq=seq, step=ModelAnswered(text=answer))
    return Ending(reply=says(answer), step=None if cause else step, cause=cause)


def receipt(number: int = 1) -> Receipt:
    """What the platform gave for a part that it took."""
    return Receipt(message_id=f"m{number}")


def new_key() -> str:
    """A key that nobody has."""
    return secrets.token_urlsafe(16)


def words(delivery: Delivery | None) -> str | None:
    """What a delivery says, None for none."""
    return None if delivery is None else plain(delivery.reply)


def files_beside(path: Path) -> Sequence[Path]:
    """The store's file and all that lies beside it."""
    return sorted(path.parent.glob(path.name + "*"))


def choices_of(conn: Connection, question: str) -> dict[str, str]:
    """The choices of a stored question and their tokens, whether it is shown or not."""
    stored = conn.execute(text("SELECT question FROM waits")).scalars().all()
    asked = next(one for one in map(codec.question_value, stored) if one.text == question)
    return {choice.label: choice.token for choice in asked.choices}
