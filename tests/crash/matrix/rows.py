"""What each point stands for. Whoever adds an operation or a method of a port gives it its rows here."""

from collections.abc import Mapping, Sequence
from functools import cache

from tests.crash.matrix.points import Moment, Point

Rows = Mapping[Moment, str]

EVERY_ROW = tuple(f"K{number}" for number in range(1, 20))


def _writes(before: str, inside: str, after: str) -> Rows:
    return {Moment.BEFORE: before, Moment.INSIDE: inside, Moment.AFTER: after}


def _reads(row: str) -> Rows:
    return {Moment.BEFORE: row, Moment.AFTER: row}


def _calls(before: str, arrived: str, taken: str, after: str) -> Rows:
    return {
        Moment.BEFORE: before,
        Moment.ARRIVED: arrived,
        Moment.TAKEN: taken,
        Moment.ANSWERED: after,
        Moment.AFTER: after,
    }


# Operations of the store, some of them told apart by what they are about: `mortal.py` names them.
OPERATIONS: Mapping[str, Rows] = {
    "inbox.accept of a message": _writes("K1", "K2", "K3"),
    "inbox.accept of an answer": _writes("K10", "K10", "K11"),
    "inbox.accept of a button": _writes("K10", "K10", "K11"),
    "inbox.accept of a command": _writes("K1", "K2", "K3"),
    "inbox.accept of a stop": _writes("K18", "K18", "K18"),
    "commands.pending": _reads("K4"),
    "commands.answer": _writes("K4", "K12", "K13"),
    "expiry.anything_due": _reads("K10"),
    "expiry.tick": _writes("K10", "K10", "K11"),
    "outage.anything_due": _reads("K4"),
    "outage.tick": _writes("K4", "K4", "K13"),
    "chats.model": _reads("K4"),
    "chats.set_model": _writes("K4", "K4", "K4"),
    "chats.set_queue_mode": _writes("K4", "K4", "K4"),
    "chats.queue": _reads("K4"),
    "sessions.sessions": _reads("K4"),
    "last_turn.last_turn": _reads("K4"),
    "spending.used_here": _reads("K4"),
    "spending.used_since": _reads("K4"),
    "spending.used_by": _reads("K5"),
    "claims.claim": _writes("K4", "K4", "K5"),
    "claims.release": _writes("K18", "K18", "K18"),
    "claims.renew": _writes("K6", "K6", "K6"),
    "claims.void_leases": _writes("K5", "K5", "K5"),
    "turns.history": _reads("K5"),
    "turns.append of an answer": _writes("K7", "K7", "K7"),
    "turns.append of a steering word": _writes("K7", "K7", "K7"),
    "turns.append of a start": _writes("K8", "K8", "K8"),
    "turns.append of a result": _writes("K9", "K9", "K9"),
    "frames.begin": _writes("K19", "K19", "K19"),
    "frames.of_turn": _reads("K19"),
    "saying.say": _writes("K9", "K9", "K9"),
    "endings.finish": _writes("K7", "K12", "K13"),
    "endings.park": _writes("K10", "K10", "K10"),
    "endings.signals": _reads("K11"),
    "asking.ask": _writes("K10", "K10", "K10"),
    "asking.answers": _reads("K11"),
    "grants.granted": _reads("K10"),
    "outbox.due": _reads("K13"),
    "outbox.next_delivery": _writes("K13", "K13", "K14"),
    "outbox.keep_parts": _writes("K14", "K14", "K14"),
    "outbox.stored_parts": _reads("K14"),
    "outbox.resume": _writes("K15", "K15", "K14"),
    "outbox.retry": _writes("K15", "K15", "K15"),
    "drafts.find": _reads("K6"),
    "drafts.must_wait": _reads("K6"),
    "drafts.keep": _writes("K6", "K6", "K6"),
    "drafts.forget": _writes("K18", "K18", "K18"),
    "outbox.place": _reads("K13"),
    "outbox.floor": _reads("K13"),
    "forms.placed": _writes("K15", "K15", "K15"),
    "forms.unplaced": _writes("K15", "K15", "K15"),
    "forms.fall_back": _writes("K15", "K15", "K15"),
    "dying.dead": _writes("K15", "K15", "K15"),
    "outbox.sent": _writes("K16", "K16", "K16"),
    "outbox.sent of a part": _writes("K17", "K17", "K17"),
    "outbox.unsettle": _writes("K15", "K15", "K15"),
}

# Methods of ports that reach something outside the process.
CALLS: Mapping[str, Rows] = {
    "Channel.listen": {Moment.BEFORE: "K1", Moment.AFTER: "K4"},
    "Channel.send": _calls("K14", "K14", "K15", "K16"),
    "Channel.settle": _calls("K15", "K15", "K15", "K15"),
    "Edits.edit": _calls("K14", "K14", "K15", "K16"),
    "Deletes.delete": _calls("K18", "K18", "K18", "K18"),
    "Model.answer": {**_calls("K5", "K5", "K6", "K7"), Moment.HALF: "K6"},
    "Tool.run of count": _calls("K8", "K8", "K9", "K9"),
    "Tool.run of look": _calls("K8", "K8", "K9", "K9"),
}

# Where the gateway before has to have left something: (operation, platform or any) -> where that one died.
_IN_DOUBT = (Point(name="Channel.send", moment=Moment.ARRIVED),)
_AT_WORK = (
    Point(name="Channel.send", moment=Moment.TAKEN),
    Point(name="Model.answer", moment=Moment.ARRIVED),
    Point(name="turns.append of a start", moment=Moment.AFTER),
    Point(name="asking.ask", moment=Moment.AFTER),
)
LEFT_BY: Mapping[tuple[str, str], Sequence[Point]] = {
    ("claims.void_leases", ""): _AT_WORK,
    ("outbox.unsettle", ""): _AT_WORK,
    ("outbox.floor", ""): _AT_WORK,
    ("outbox.place", ""): _IN_DOUBT,
    ("outbox.resume", "READBACK"): _IN_DOUBT,
}

# Only a channel that can tell is asked; only one that can edit begins with a placeholder.
ONLY_ON: Mapping[str, Sequence[str]] = {"Channel.settle": ("READBACK",), "forms.placed": ("EDIT",)}

# Ports that the store stands behind: their points are those of its operations.
STORED: Mapping[str, str] = {
    "Inbox": "StoredInbox",
    "ChatSettings": "StoredChats",
    "ChatLog": "StoredChatLog",
    "Turns": "StoredTurns",
    "Children": "StoredChildren",
    "Asks": "StoredAsks",
    "Sayings": "StoredSayings",
    "Waits": "StoredWaits",
    "Outbox": "StoredOutbox",
    "Forms": "StoredForms",
    "Drafts": "StoredDrafts",
    "LaneFacts": "StoredLaneFacts",
}

# Methods where nothing can be half done, or that are only another name for what stands above.
NOTHING_HALF_DONE: Mapping[str, str] = {
    "Clock.now": "pure",
    "Clock.sleep": "waits",
    "Chance.key": "pure",
    "Chance.jitter": "pure",
    "Wakeup.set": "a hint that may be lost",
    "Wakeup.wait": "waits",
    "Models.get": "pure",
    "Models.choose": "pure",
    "Models.names": "pure",
    "Agents.get": "reads files",
    "Agents.task": "reads files",
    "Agents.tasks": "reads files",
    "Skills.all": "reads files",
    "Skills.load": "reads files",
    "Proposes.propose": "reads files",
    "Sending.render": "Channel.render",
    "Sending.send": "Channel.send",
    "Sending.edit": "Edits.edit",
    "Sending.settle": "Channel.settle",
    "Sending.remove": "Deletes.delete",
    "ReplyFiles.keep": "written once more under the same name",
    "Channel.render": "pure",
    "Paced.paces": "pure",
    "Places.placeholder": "pure",
    "Sending.manners": "pure",
    "Sending.placeholder": "Places.placeholder",
    "Checks.check": "looks, or talks to itself",
    "Closes.close": "lets go",
    "Spent.used_by": "spending.used_by",
    "Serves.web": "Channel.listen",
    "Types.typing": "cosmetic",
    "Reacts.react": "cosmetic",
    "ShowsDrafts.draft": "cosmetic",
    "ChoosesDraftPlace.drafts_in": "pure",
    "Showing.able": "pure",
    "Showing.step": "ShowsProgress.progress",
    "Showing.draft": "ShowsDrafts.draft",
    "Showing.typing": "Types.typing",
    "Showing.react": "Reacts.react",
    "ShowsProgress.progress": "cosmetic",
}

# Operations of other processes, each a commit or a look of its own: the windows' own tests kill windows.
BESIDE: Mapping[str, str] = {
    "listing": "what the command line shows",
    "cursors": "where a channel goes on, and who an account is: before it listens",
    "health": "what an operator examines",
    "approving": "what an operator decides by hand, one statement",
    "grants.listed": "what the command line shows",
    "grants.revoke": "what an operator does by hand, one statement",
    "pairing": "what an operator does by hand, one statement",
    "revoking": "what an operator does by hand, one commit",
    "redrive": "what an operator does by hand, one statement",
    "session_listing": "what the command line shows",
    "session": "what a terminal window shows",
}


def points(profile: str) -> Sequence[Point]:
    """Every point that there is on a platform of this kind."""
    return [
        Point(name=name, moment=moment)
        for name, rows in {**OPERATIONS, **CALLS}.items()
        for moment in rows
        if profile in ONLY_ON.get(name, (profile,))
    ]


@cache
def own_points(name: str) -> Sequence[Point]:
    """Those at which a gateway ends itself: by all of them it came when it tells that it is done."""
    own = (Moment.BEFORE, Moment.INSIDE, Moment.AFTER)
    rows = OPERATIONS.get(name) or CALLS.get(name)
    assert rows is not None, f"{name} has no row in rows.py"
    return [Point(name=name, moment=moment) for moment in rows if moment in own]


def row(point: Point) -> str:
    """The row of the table that a point stands for."""
    return {**OPERATIONS, **CALLS}[point.name][point.moment]
