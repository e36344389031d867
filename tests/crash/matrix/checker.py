"""What must be true when all is settled: events, ledger and store are held against each other."""

import re
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from core.domain.texts import TEXTS
from tests.crash.matrix.answers import TEXT, said_in
from tests.crash.matrix.platform import LABEL, SO_FAR, WORKING, Event, Platform, Taken, bare
from tests.fakes.platform import Profile

# The keys of the label in front of a part, and of what a part is edited into.
COSMETIC = re.compile(r"[LH]\d+$")
PLACEHOLDER = TEXTS["placeholder"]
TWICE = "sent twice; the channel cannot tell whether it arrived"

# Nothing of these may be left when nothing is under way any more.
LEFT_OVER: Mapping[str, str] = {
    "a lease without a holder": "SELECT id FROM chats WHERE owner IS NOT NULL OR until IS NOT NULL",
    "a chat that is ready for nothing": "SELECT id FROM chats WHERE ready IS NOT NULL",
    "a turn that did not end": "SELECT id FROM turns WHERE finished_at IS NULL",
    "a question that is open": "SELECT id FROM waits WHERE closed_at IS NULL",
    "a command that was not performed": "SELECT id FROM inbound WHERE pending",
    "a reply under way": "SELECT id FROM outbox WHERE closed_at IS NULL",
    "a wrong count of turns": "SELECT id FROM chats WHERE live != 0",
    "a wrong count of questions": "SELECT id FROM chats WHERE asks != 0",
    "a call with two results": """
        SELECT turn FROM steps WHERE kind = 'tool_finished'
        GROUP BY turn, frame, call_step, call_index HAVING count(*) > 1
    """,
    "a step that is missing": "SELECT turn FROM steps GROUP BY turn HAVING max(seq) != count(*)",
}

DELIVERIES = """
SELECT outbox.id, outbox.chat, outbox.key, outbox.kind, outbox.state, outbox.error, chats.chat_id, chats.thread_id,
    coalesce(of_turn.event_key, of_event.event_key) AS event, replaced.key AS replaces,
    (SELECT count(*) FROM outbox_parts WHERE delivery = outbox.id) AS parts
FROM outbox JOIN chats ON chats.id = outbox.chat
LEFT JOIN inbound AS of_turn ON of_turn.id = outbox.turn
LEFT JOIN inbound AS of_event ON of_event.id = outbox.inbound
LEFT JOIN outbox AS replaced ON replaced.id = outbox.replaces
ORDER BY outbox.id
"""

STORED = """
SELECT inbound.event_key, turns.state, turns.id = inbound.id AS heads
FROM inbound LEFT JOIN turns ON turns.id = coalesce(inbound.turn, inbound.id)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """What is wrong, each in a sentence; `labelled` are the repeats that are allowed, and say so."""

    lost: list[str] = field(default_factory=list)
    reordered: list[str] = field(default_factory=list)
    wrong_chat: list[str] = field(default_factory=list)
    repeated: list[str] = field(default_factory=list)
    tools_twice: list[str] = field(default_factory=list)
    left_over: list[str] = field(default_factory=list)
    labelled: list[str] = field(default_factory=list)

    @property
    def wrong(self) -> Sequence[str]:
        """All that must not be."""
        kinds = ("lost", "reordered", "wrong_chat", "repeated", "tools_twice", "left_over")
        every = (self.lost, self.reordered, self.wrong_chat, self.repeated, self.tools_twice, self.left_over)
        return [f"{kind}: {one}" for kind, found in zip(kinds, every, strict=True) for one in found]


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """A row of the outbox, with the event that it answers and what it takes the place of."""

    place: tuple[str, str]
    key: str
    kind: str
    state: str
    error: str | None
    event: str | None
    replaces: str | None
    parts: int

    @property
    def keys(self) -> Sequence[str]:
        """The keys of its parts."""
        return [f"{self.key}.{part}" if part else self.key for part in range(max(1, self.parts))]


def check(platform: Platform, database: Path, kills: int) -> Findings:
    """Everything; the gateways are gone."""
    found = Findings()
    connection = sqlite3.connect(database)
    connection.row_factory = sqlite3.Row
    try:
        found.left_over.extend(_left_over(connection))
        deliveries = [_delivery(row) for row in connection.execute(DELIVERIES)]
        stored = {row["event_key"]: (row["state"], row["heads"]) for row in connection.execute(STORED)}
    finally:
        connection.close()
    _events(platform, stored, deliveries, found)
    _ledger(platform, deliveries, kills, found)
    _words(platform, found)
    found.tools_twice.extend(f"{key} ran {count} times" for key, count in platform.counted.items() if count > 1)
    return found


def _left_over(connection: sqlite3.Connection) -> Iterator[str]:
    if (verdict := connection.execute("PRAGMA integrity_check").fetchone()[0]) != "ok":
        yield f"the file is damaged: {verdict}"
    yield from (f"a broken reference: {tuple(row)}" for row in connection.execute("PRAGMA foreign_key_check"))
    for what, statement in LEFT_OVER.items():
        for row in connection.execute(statement):
            yield f"{what}: {row[0]}"


def _delivery(row: sqlite3.Row) -> Delivery:
    return Delivery(
        place=(row["chat_id"], row["thread_id"]),
        key=row["key"],
        kind=row["kind"],
        state=row["state"],
        error=row["error"],
        event=row["event"],
        replaces=row["replaces"],
        parts=row["parts"],
    )


# What an event expects -> the state that its turn may have in the end; None where it has none.
STATES: Mapping[str, Sequence[str | None]] = {
    "reply": ("done",),
    "joined": ("done",),
    "dead": ("done",),
    "failure": ("broken",),
    "stopped": ("stopped",),
    "answer": ("done", "stopped"),
    "command": (None,),
    "notice": (None,),
    "nothing": (None,),
}


def _events(
    platform: Platform,
    stored: Mapping[str, tuple[str | None, int]],
    deliveries: Sequence[Delivery],
    found: Findings,
) -> None:
    """Each is stored once, came to the end that it expects, and was answered once if it expects that."""
    answers = Counter(one.event for one in deliveries if one.kind in ("send", "edit"))
    for event in platform.events:
        if event.id not in stored:
            found.lost.append(f"{event.id} is not in the store, acknowledged: {event.id in platform.acknowledged}")
            continue
        state, heads = stored[event.id]
        if state not in STATES[event.expects]:
            found.lost.append(f"{event.id} ({event.text}) came to the end {state}")
        wanted = _replies(event, heads=bool(heads))
        # Somebody who talks while another one is asked is told so, beside their reply.
        if answers[event.id] < wanted:
            found.lost.append(f"{event.id} ({event.text}) has no reply")
        elif answers[event.id] > wanted + (event.user == "ben"):
            found.repeated.append(f"{event.id} ({event.text}) has {answers[event.id]} replies")
    for unknown in stored.keys() - {event.id for event in platform.events}:
        found.repeated.append(f"{unknown} is stored and nobody did it")


def _replies(event: Event, *, heads: bool) -> int:
    """How many answer it: of messages that share a turn, the one that heads it."""
    if event.expects == "joined":
        return int(heads)
    one = event.expects in ("reply", "dead", "failure", "command", "notice")
    return int(one) + 2 * event.text.endswith(" tell")


def _ledger(platform: Platform, deliveries: Sequence[Delivery], kills: int, found: Findings) -> None:
    """What the store calls sent was taken, in its chat, as often as may be; nothing else was."""
    lines: dict[str, list[Taken]] = defaultdict(list)
    for line in platform.ledger.lines:
        lines[line.key].append(line)
    edited = {key for line in platform.ledger.lines for key in line.edits}
    found.repeated.extend(_twice(platform))
    found.labelled.extend(_strays(platform))
    for one in deliveries:
        if one.state == "dead":
            found.lost.extend(_dead(platform, one, kills))
            continue
        for key in set(one.keys) - edited:
            _copies(platform, one, key, lines[key], found)
    found.repeated.extend(_strangers(platform, deliveries))


def _twice(platform: Platform) -> Iterator[str]:
    """What stands in two messages. What a person has deleted nobody sees twice."""
    stands = Counter(key for line in platform.ledger.lines if not line.gone for key in set(line.edits))
    yield from (f"{key} stands in {count} messages" for key, count in stands.items() if count > 1)


def _strays(platform: Platform) -> Iterator[str]:
    """Placeholders and drafts that nothing took the place of: they say nothing."""
    for one in platform.ledger.lines:
        if not one.gone and (one.text in (PLACEHOLDER, SO_FAR) or one.text.startswith(WORKING)):
            yield f"{one.id} is a placeholder or a draft that stayed: {one.text}"


def _strangers(platform: Platform, deliveries: Sequence[Delivery]) -> Iterator[str]:
    """What was sent and is in no row; the label in front of a part has a key of its own."""
    known = {key for one in deliveries for key in one.keys}
    for line in platform.ledger.lines:
        cosmetic = COSMETIC.search(line.key) and line.first in (LABEL, PLACEHOLDER)
        cosmetic = cosmetic or line.first.startswith(WORKING) or line.first == SO_FAR
        if line.key not in known and not cosmetic:
            yield f"{line.first!r} ({line.key}) was sent and is not in the store"


def _dead(platform: Platform, one: Delivery, kills: int) -> Iterator[str]:
    """One is to die; another one may, where twice nobody could tell: the faults of the platform count too."""
    if one.event is not None and platform.event_of(one.event).expects == "dead":
        return
    doubts = kills + sum(what.startswith("fault") for what in platform.happened)
    if one.error != TWICE or doubts < 2:
        yield f"the delivery {one.key} of {one.event} is dead: {one.error}"


def _copies(platform: Platform, one: Delivery, key: str, lines: Sequence[Taken], found: Findings) -> None:
    what = f"{key} of {one.event or 'a question'}"
    if not lines:
        found.lost.append(f"{what} counts as sent and was never taken")
    for line in lines:
        if line.place != one.place:
            found.wrong_chat.append(f"{what} went to {line.place} and not to {one.place}")
    allowed = platform.profile is Profile.NONE
    for line in lines[1:]:
        kind = found.labelled if allowed and _is_labelled(platform, line) else found.repeated
        kind.append(f"{what} again: {line.first[:60]}")
    if len(lines) > 2:
        found.repeated.append(f"{what} stands there {len(lines)} times")


def _is_labelled(platform: Platform, line: Taken) -> bool:
    """By its own first words, or, where they would not fit, by the message before it in its chat."""
    before = [one for one in platform.ledger.lines[: int(line.id[1:])] if one.place == line.place]
    return line.first.startswith(LABEL) or before[-1].text == LABEL


def _words(platform: Platform, found: Findings) -> None:
    """The replies of each chat say what was asked for there, each once and in the order of the messages."""
    heard: dict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)
    for line in platform.ledger.lines:
        text = bare(line.text)
        if text.startswith("re e"):
            event = platform.event_of(text.removeprefix("re ").partition(":")[0])
            if (event.chat, event.thread) != line.place:
                found.wrong_chat.append(f"{text!r} is in {line.place}")
            part = _part_of(text)
            if not said(event, part).startswith(text.partition(" / ")[0][:TEXT]):
                found.lost.append(f"{event.id} was answered with {text!r}")
            heard[line.place].append((event.number, part))
    for place, numbers in heard.items():
        if numbers != sorted(numbers):
            found.reordered.append(f"{place}: {numbers}")


def _part_of(text: str) -> int:
    head, of, _ = text.partition(" of 3")
    return int(head[-1]) if of else 0


def said(event: Event, part: int) -> str:
    """What the model says to a message: the part that begins with its number."""
    whole = said_in(event.id, event.text.partition(" ")[2], ())
    return whole[TEXT * (part - 1) : TEXT * part] if part else whole
