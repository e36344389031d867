"""The tables. Invariants that the code relies on are constraints here, and a test tries to break each.

Ids grow in commit order within a chat, because the chat's row is locked before an id is drawn. Times are milliseconds
UTC. Predicates of partial indexes are literal text: SQLite ignores such an index when they are bound.
"""

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Named,
    Table,
    Text,
    TypedColumns,
    UniqueConstraint,
    text,
)

Id = BigInteger().with_variant(Integer, "sqlite")

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def _partial(name: str, *columns: str, where: str, unique: bool = False) -> Index:
    return Index(name, *columns, unique=unique, sqlite_where=text(where), postgresql_where=text(where))


class _Chats(TypedColumns):
    id: Named[int] = Column(Id, primary_key=True)
    channel: Named[str] = Column(Text)
    account: Named[str] = Column(Text)
    chat_id: Named[str] = Column(Text)
    thread_id: Named[str] = Column(Text)  # '' for none: a NULL would be unequal to itself in the unique key
    shared: Named[int] = Column(Integer, server_default="0")  # 1: several people read and write here
    owner: Named[str | None] = Column(Text)
    fence: Named[int] = Column(Id, server_default="0")
    until: Named[int | None] = Column(Id)
    signals: Named[int] = Column(Id, server_default="0")
    ready: Named[int | None] = Column(Id)  # the oldest live turn when it may run
    live: Named[int] = Column(Integer, server_default="0")  # live turns; counted here so that intake needs no read
    asks: Named[int] = Column(Integer, server_default="0")  # open waits, counted for the same reason
    lost: Named[int] = Column(Integer, server_default="0")  # replies that did not arrive, and nobody was told of them
    epoch: Named[int] = Column(Integer, server_default="0")  # grows whenever earlier history changes its meaning
    session: Named[int] = Column(Id, server_default="0")  # the current one: the `/new` that began it, 0 for the first
    model: Named[str | None] = Column(Text)
    agent: Named[str | None] = Column(Text)
    queue_mode: Named[str | None] = Column(Text)
    missed: Named[int] = Column(Integer, server_default="0")  # messages that came too late and were not announced yet
    missed_first: Named[int | None] = Column(Id)  # the first of them
    missed_at: Named[int | None] = Column(Id)  # when the newest of them came in
    created_at: Named[int] = Column(Id)


chats = Table(
    "chats",
    metadata,
    _Chats,
    UniqueConstraint("channel", "account", "chat_id", "thread_id"),
    CheckConstraint("live >= 0 AND asks >= 0 AND lost >= 0", name="live_not_negative"),
    CheckConstraint("(owner IS NULL) = (until IS NULL)", name="a_lease_has_an_owner_and_an_end"),
    CheckConstraint("live > 0 OR (ready IS NULL AND owner IS NULL)", name="an_idle_chat_has_no_lease"),
    CheckConstraint("(missed = 0) = (missed_first IS NULL)", name="what_was_missed_has_a_first"),
    _partial("chats_missed", "missed_at", where="missed > 0"),
    _partial("chats_ready", "ready", where="ready IS NOT NULL"),
    _partial("chats_owned", "owner", where="owner IS NOT NULL"),
    sqlite_autoincrement=True,
)


class _Inbound(TypedColumns):
    id: Named[int] = Column(Id, primary_key=True)
    chat: Named[int] = Column(Id, ForeignKey("chats.id"))
    channel: Named[str] = Column(Text)
    account: Named[str] = Column(Text)
    event_key: Named[str] = Column(Text)
    sender: Named[str] = Column(Text)
    sender_name: Named[str] = Column(Text)
    kind: Named[str] = Column(Text)
    lane: Named[str] = Column(Text)
    content: Named[str] = Column(Text)
    attachments: Named[str | None] = Column(Text)
    reply_to: Named[str | None] = Column(Text)
    message_id: Named[str | None] = Column(Text)  # the platform's own name of the message
    at: Named[int] = Column(Id)
    received_at: Named[int] = Column(Id)
    turn: Named[int | None] = Column(Id)  # null: it heads the turn that has its own id
    command: Named[str | None] = Column(Text)
    arguments: Named[str | None] = Column(Text)
    pending: Named[int] = Column(Integer, server_default="0")  # 1: a command that nobody has performed yet
    drop_reason: Named[str | None] = Column(Text)
    choice: Named[str | None] = Column(Text)
    place: Named[str | None] = Column(Text)  # the group, by the id that operators list; null: said to us alone
    role: Named[str | None] = Column(Text)  # what the sender was when it came; null: not let in
    refused: Named[int] = Column(Integer, server_default="0")  # 1: and the sender was told that he is not let in
    bot: Named[int] = Column(Integer, server_default="0")  # 1: another program said it


inbound = Table(
    "inbound",
    metadata,
    _Inbound,
    UniqueConstraint("event_key", "channel", "account"),
    CheckConstraint("lane IN ('turn', 'steer', 'control', 'context')", name="lane"),
    CheckConstraint("drop_reason IS NULL OR (turn IS NULL AND pending = 0)", name="a_drop_starts_nothing"),
    CheckConstraint("pending IN (0, 1) AND (pending = 0 OR command IS NOT NULL)", name="pending_is_a_command"),
    Index("inbound_chat", "chat", "id"),
    _partial("inbound_turn", "turn", where="turn IS NOT NULL"),
    _partial("inbound_message", "chat", "message_id", where="message_id IS NOT NULL"),
    _partial("inbound_pending", "id", where="pending = 1"),
    _partial("inbound_refused", "sender", "channel", "account", where="refused = 1"),
    _partial("inbound_boundaries", "chat", "id", where="command = 'new'"),
    _partial("inbound_context", "chat", "id", where="lane = 'context' AND turn IS NULL"),
    _partial("inbound_people", "sender", "channel", "account", "received_at", where="role IS NOT NULL"),
    _partial("inbound_bots", "chat", "received_at", where="bot = 1"),
    _partial("inbound_places", "channel", "account", "place", where="drop_reason = 'place_not_listed'"),
    sqlite_autoincrement=True,
)


class _Twins(TypedColumns):
    event_key: Named[str] = Column(Text, primary_key=True)
    channel: Named[str] = Column(Text, primary_key=True)
    account: Named[str] = Column(Text, primary_key=True)
    inbound: Named[int] = Column(Id, ForeignKey("inbound.id"))


# Further names of what came in.
twins = Table("twins", metadata, _Twins)


class _Pairings(TypedColumns):
    id: Named[int] = Column(Id, primary_key=True)
    channel: Named[str] = Column(Text)
    account: Named[str] = Column(Text)
    user_id: Named[str] = Column(Text)
    name: Named[str] = Column(Text)
    code: Named[str | None] = Column(Text)  # SHA-256 of the code; null once it was used
    asked_at: Named[int] = Column(Id)  # when the code was made
    codes: Named[int] = Column(Integer, server_default="1")  # made since the first of its day
    first_at: Named[int] = Column(Id)
    role: Named[str | None] = Column(Text)  # null: not approved, or not any more
    approved_at: Named[int | None] = Column(Id)
    revoked_at: Named[int | None] = Column(Id)


pairings = Table(
    "pairings",
    metadata,
    _Pairings,
    UniqueConstraint("channel", "account", "user_id"),
    UniqueConstraint("code"),
    CheckConstraint("role IS NULL OR role IN ('member', 'owner')", name="role"),
    sqlite_autoincrement=True,
)


class _Turns(TypedColumns):
    id: Named[int] = Column(Id, ForeignKey("inbound.id"), primary_key=True, autoincrement=False)
    chat: Named[int] = Column(Id, ForeignKey("chats.id"))
    session: Named[int] = Column(Id, server_default="0")  # the one that was current when its message came
    agent: Named[str] = Column(Text)
    state: Named[str] = Column(Text)
    attempt: Named[int] = Column(Integer, server_default="0")
    undone: Named[int] = Column(Integer, server_default="0")  # 1: no later prompt shows it
    cause: Named[str | None] = Column(Text)
    finished_at: Named[int | None] = Column(Id)


turns = Table(
    "turns",
    metadata,
    _Turns,
    CheckConstraint(
        "state IN ('queued', 'running', 'waiting', 'done', 'broken', 'stopped')",
        name="state",
    ),
    CheckConstraint(
        "(finished_at IS NULL) = (state IN ('queued', 'running', 'waiting'))", name="a_final_state_has_a_time"
    ),
    Index("turns_session", "chat", "session", "id"),
    _partial("turns_broken", "id", where="state = 'broken'"),
    _partial("turns_live", "chat", "id", where="finished_at IS NULL"),
    _partial("one_running_turn_per_chat", "chat", where="state = 'running'", unique=True),
)


class _Frames(TypedColumns):
    id: Named[int] = Column(Id, primary_key=True)
    turn: Named[int] = Column(Id, ForeignKey("turns.id"))
    parent: Named[int | None] = Column(Id, ForeignKey("frames.id"))  # null: the turn's root frame
    call_step: Named[int] = Column(Integer)
    call_index: Named[int] = Column(Integer)
    agent: Named[str] = Column(Text)
    task: Named[str] = Column(Text)
    depth: Named[int] = Column(Integer)


frames = Table(
    "frames",
    metadata,
    _Frames,
    UniqueConstraint("turn", "call_step", "call_index"),
    CheckConstraint("depth >= 1", name="children_only"),
    sqlite_autoincrement=True,
)


class _Steps(TypedColumns):
    turn: Named[int] = Column(Id, ForeignKey("turns.id"), primary_key=True, autoincrement=False)
    seq: Named[int] = Column(Integer, primary_key=True, autoincrement=False)
    frame: Named[int] = Column(Id, server_default="0")  # 0: the root frame
    kind: Named[str] = Column(Text)
    call_step: Named[int | None] = Column(Integer)
    call_index: Named[int | None] = Column(Integer)
    body: Named[str] = Column(Text)
    at: Named[int] = Column(Id)


steps = Table(
    "steps",
    metadata,
    _Steps,
    _partial("one_result_per_call", "turn", "call_step", "call_index", where="kind = 'tool_finished'", unique=True),
)


class _Waits(TypedColumns):
    id: Named[int] = Column(Id, primary_key=True)
    turn: Named[int] = Column(Id, ForeignKey("turns.id"))
    chat: Named[int] = Column(Id, ForeignKey("chats.id"))
    step: Named[int] = Column(Integer)  # the place of its Asked step in the turn's log
    kind: Named[str] = Column(Text)
    key: Named[str] = Column(Text)
    asked: Named[str] = Column(Text)  # the user id of who may answer
    question: Named[str] = Column(Text)
    deadline: Named[int | None] = Column(Id)  # null: not shown yet, another question to this person is open
    remind_at: Named[int | None] = Column(Id)
    delivery: Named[int | None] = Column(Id)  # the card in the outbox
    told: Named[str] = Column(Text, server_default="[]")  # who else was told that we wait
    state: Named[str] = Column(Text, server_default="open")
    answer: Named[str | None] = Column(Text)
    answered_by: Named[str | None] = Column(Text)
    closed_at: Named[int | None] = Column(Id)


waits = Table(
    "waits",
    metadata,
    _Waits,
    UniqueConstraint("turn", "step"),
    CheckConstraint("kind IN ('question', 'approval')", name="kind"),
    CheckConstraint("state IN ('open', 'answered', 'expired', 'cancelled')", name="state"),
    CheckConstraint("(closed_at IS NULL) = (state = 'open')", name="closed_once"),
    _partial("waits_open", "chat", where="closed_at IS NULL"),
    _partial("waits_due", "deadline", where="closed_at IS NULL"),
    _partial("waits_remind", "remind_at", where="remind_at IS NOT NULL"),
    _partial(
        "one_shown_question_per_person",
        "chat",
        "asked",
        where="closed_at IS NULL AND deadline IS NOT NULL AND kind = 'question'",
        unique=True,
    ),
    sqlite_autoincrement=True,
)


class _Grants(TypedColumns):
    id: Named[int] = Column(Id, primary_key=True)
    chat: Named[int] = Column(Id, ForeignKey("chats.id"))
    tool: Named[str] = Column(Text)
    digest: Named[str] = Column(Text)
    granted_by: Named[str] = Column(Text)
    granted_at: Named[int] = Column(Id)
    until: Named[int] = Column(Id)
    revoked_at: Named[int | None] = Column(Id)


grants = Table(
    "grants",
    metadata,
    _Grants,
    UniqueConstraint("chat", "tool", "digest"),
    sqlite_autoincrement=True,
)


class _Outbox(TypedColumns):
    id: Named[int] = Column(Id, primary_key=True)
    chat: Named[int] = Column(Id, ForeignKey("chats.id"))
    turn: Named[int | None] = Column(Id, ForeignKey("turns.id"))
    inbound: Named[int | None] = Column(Id, ForeignKey("inbound.id"))  # the command or refusal that it answers
    key: Named[str] = Column(Text)
    kind: Named[str] = Column(Text, server_default="send")
    reply: Named[str] = Column(Text)
    replaces: Named[int | None] = Column(Id, ForeignKey("outbox.id"))
    state: Named[str] = Column(Text)
    part: Named[int] = Column(Integer, server_default="0")  # parts below are final, this one is in `state`
    attempt: Named[int] = Column(Integer, server_default="0")
    not_before: Named[int] = Column(Id, server_default="0")
    repeat: Named[int] = Column(Integer, server_default="0")  # 1: unsure and left alone for now, 2: sent once more
    repeats: Named[int] = Column(Integer, server_default="0")  # parts of it that may have arrived twice
    plain: Named[int] = Column(Integer, server_default="0")  # 1: its markup was refused, it goes out as literal text
    placed: Named[str | None] = Column(Text)  # receipt of the placeholder of the part in flight
    lost: Named[int | None] = Column(Id)  # it did not arrive: 0 nobody was told, else the delivery that tells of it
    error: Named[str | None] = Column(Text)
    receipt: Named[str | None] = Column(Text)
    created_at: Named[int] = Column(Id)
    closed_at: Named[int | None] = Column(Id)


outbox = Table(
    "outbox",
    metadata,
    _Outbox,
    UniqueConstraint("key"),
    UniqueConstraint("inbound"),
    CheckConstraint("kind IN ('send', 'edit', 'draft', 'undelivered', 'again')", name="kind"),
    CheckConstraint("state IN ('new', 'sending', 'unsure', 'sent', 'dead')", name="state"),
    CheckConstraint("(closed_at IS NULL) = (state IN ('new', 'sending', 'unsure'))", name="a_final_state_has_a_time"),
    _partial("outbox_open", "chat", "id", where="closed_at IS NULL"),
    CheckConstraint("lost IS NULL OR state = 'dead'", name="only_the_dead_are_lost"),
    _partial("outbox_dead", "id", where="state = 'dead'"),
    _partial("outbox_lost", "chat", "id", where="lost = 0"),
    _partial("outbox_repeated", "id", where="repeats > 0"),
    _partial("outbox_turn", "turn", where="turn IS NOT NULL"),
    Index("outbox_chat", "chat", "id"),
    sqlite_autoincrement=True,
)


class _OutboxParts(TypedColumns):
    delivery: Named[int] = Column(Id, ForeignKey("outbox.id"), primary_key=True, autoincrement=False)
    n: Named[int] = Column(Integer, primary_key=True, autoincrement=False)
    payload: Named[str] = Column(Text)
    receipt: Named[str | None] = Column(Text)
    error: Named[str | None] = Column(Text)


outbox_parts = Table("outbox_parts", metadata, _OutboxParts)


class _Cursors(TypedColumns):
    channel: Named[str] = Column(Text, primary_key=True)
    account: Named[str] = Column(Text, primary_key=True)
    scope: Named[str] = Column(Text, primary_key=True)
    value: Named[str] = Column(Text)
    moved_at: Named[int] = Column(Id)


cursors = Table("cursors", metadata, _Cursors)
