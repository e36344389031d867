"""What must hold of a town when everything has come to rest."""

import json
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

from sqlalchemy import Connection, Row, text

from core.decide.retry import GIVE_UP_AFTER_MS
from core.domain.message import plain
from core.store import codec
from tests.fakes.platform import FakePlatform, Profile, Sent
from tests.properties.town import NUMBER, Town

LABEL = "(possible repeat) "

SAID = """
    SELECT coalesce(i.turn, i.id), i.content, t.state FROM inbound i JOIN turns t ON t.id = coalesce(i.turn, i.id)
    WHERE i.lane IN ('turn', 'steer') AND i.drop_reason IS NULL"""
ANSWERED = "SELECT turn, body FROM steps WHERE kind = 'model_answered' AND frame = 0 ORDER BY turn, seq"
DELIVERIES = """
    SELECT o.id, o.key, o.state, o.reply, o.replaces, o.error, c.chat_id, o.kind,
           o.closed_at - o.created_at AS age FROM outbox o
    JOIN chats c ON c.id = o.chat ORDER BY o.id"""
SILENT = """
    SELECT i.id, i.content, i.lane, i.command FROM inbound i
    WHERE i.command IS NOT NULL AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.inbound = i.id)
      AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.id = i.id OR t.id = i.turn)"""


def answers(conn: Connection) -> list[str]:
    """Every message of a turn that was answered is named in one of its answers, and every command got its reply."""
    told: dict[int, str] = {}
    for turn, body in conn.execute(text(ANSWERED)):
        told[turn] = f"{told.get(turn, '')} {json.loads(body)['text']}"
    missing = [
        (turn, content, told.get(turn))
        for turn, content, state in conn.execute(text(SAID))
        if state == "done" and not set(NUMBER.findall(content)) <= set(NUMBER.findall(told.get(turn, "")))
    ]
    silent = [tuple(row) for row in conn.execute(text(SILENT))]
    return [f"not answered: {one}" for one in missing] + [f"command without a reply: {one}" for one in silent]


def sent(conn: Connection, platform: FakePlatform) -> list[str]:
    """What the store calls sent stands in the right chat, once and in order; nothing else does."""
    rows = {row.key: row for row in conn.execute(text(DELIVERIES))}
    lines = platform.ledger.lines()
    unknown = [f"nobody wrote {line}" for line in lines if line.key not in rows]
    if unknown:
        return unknown
    taken: dict[int, list[Sent]] = {}
    for line in lines:
        taken.setdefault(rows[line.key].id, []).append(line)
    astray = [f"in a wrong chat: {line}" for line in lines if line.chat != rows[line.key].chat_id]
    # An edit stands where its message stood, so only messages tell of the order.
    messages = {row.id for row in rows.values() if row.kind != "edit"}
    return [
        *astray,
        *_repeated(taken, platform.profile),
        *_out_of_order(taken, messages),
        *_missing(rows.values(), taken),
    ]


def _out_of_order(taken: Mapping[int, Sequence[Sent]], messages: Container[int]) -> Iterator[str]:
    for chat in {same[0].chat for same in taken.values()}:
        order = [place for place, same in taken.items() if place in messages and same[0].chat == chat]
        if order != sorted(order):
            yield f"out of order in {chat}: {order}"


def _missing(rows: Iterable[Row[*tuple[object, ...]]], taken: Mapping[int, object]) -> Iterator[str]:
    rows = list(rows)
    there = {row.replaces for row in rows if row.id in taken} | taken.keys()
    for row in rows:
        if row.state == "dead" and row.age < GIVE_UP_AFTER_MS:
            yield f"dead: {row.id}, {row.error}"
        elif row.state == "sent" and row.id not in there:
            yield f"not there: {row.id} {plain(codec.reply_value(row.reply))}"


def _repeated(taken: Mapping[int, Sequence[Sent]], profile: Profile) -> Iterator[str]:
    """Where a platform knows its keys or what it took, nothing is repeated; elsewhere once, and labelled."""
    most = 1 if profile in (Profile.KEY, Profile.READBACK) else 2
    for same in taken.values():
        if len(same) > most or any(not line.text.startswith(LABEL) for line in same[1:]):
            yield f"repeated: {same}"


def cards(conn: Connection, platform: FakePlatform) -> Iterator[str]:
    """The card of each closed question says how it ended."""
    rows = conn.execute(
        text(
            "SELECT w.state, c.reply FROM waits w JOIN outbox c ON c.replaces = w.delivery"
            " WHERE w.closed_at IS NOT NULL AND c.state = 'sent'"
        )
    )
    shown = [line.text for line in platform.ledger.lines()]
    for state, reply in rows:
        words = plain(codec.reply_value(reply))
        if words not in shown:
            yield f"the card does not say: {words}"
        if (state == "cancelled") != words.endswith(": cancelled"):
            yield f"a question that was {state} says: {words}"


def untrue(conn: Connection, town: Town) -> list[str]:
    """All that does not hold."""
    left = [] if not town.platform.events.open() else ["an event was never acknowledged"]
    broken = [*answers(conn), *sent(conn, town.platform), *cards(conn, town.platform), *left]
    return broken + [f"a prompt that providers refuse: {fault}" for fault in town.model.faults]
