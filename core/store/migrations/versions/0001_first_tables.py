"""The first tables."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Towards the newer schema."""
    _chats()
    _cursors()
    _inbound()
    _twins()
    _pairings()
    _turns()
    _frames()
    _outbox()
    _steps()
    _waits()
    _grants()
    _outbox_parts()


def _partial(name: str, table: str, columns: list[str], *, where: str, unique: bool = False) -> None:
    text = sa.text(where)
    op.create_index(name, table, columns, unique=unique, sqlite_where=text, postgresql_where=text)


def _chats() -> None:
    op.create_table(
        "chats",
        sa.Column("id", _ID, nullable=False),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("account", sa.Text(), nullable=False),
        sa.Column("chat_id", sa.Text(), nullable=False),
        sa.Column("thread_id", sa.Text(), nullable=False),
        sa.Column("shared", sa.Integer(), server_default="0", nullable=False),
        sa.Column("owner", sa.Text(), nullable=True),
        sa.Column("fence", _ID, server_default="0", nullable=False),
        sa.Column("until", _ID, nullable=True),
        sa.Column("signals", _ID, server_default="0", nullable=False),
        sa.Column("ready", _ID, nullable=True),
        sa.Column("live", sa.Integer(), server_default="0", nullable=False),
        sa.Column("asks", sa.Integer(), server_default="0", nullable=False),
        sa.Column("lost", sa.Integer(), server_default="0", nullable=False),
        sa.Column("epoch", sa.Integer(), server_default="0", nullable=False),
        sa.Column("session", _ID, server_default="0", nullable=False),
        sa.Column("model", sa.Text(), nullable=True),
        sa.Column("agent", sa.Text(), nullable=True),
        sa.Column("queue_mode", sa.Text(), nullable=True),
        sa.Column("missed", sa.Integer(), server_default="0", nullable=False),
        sa.Column("missed_first", _ID, nullable=True),
        sa.Column("missed_at", _ID, nullable=True),
        sa.Column("created_at", _ID, nullable=False),
        sa.CheckConstraint("(owner IS NULL) = (until IS NULL)", name=op.f("ck_chats_a_lease_has_an_owner_and_an_end")),
        sa.CheckConstraint(
            "live > 0 OR (ready IS NULL AND owner IS NULL)", name=op.f("ck_chats_an_idle_chat_has_no_lease")
        ),
        sa.CheckConstraint("live >= 0 AND asks >= 0 AND lost >= 0", name=op.f("ck_chats_live_not_negative")),
        sa.CheckConstraint("(missed = 0) = (missed_first IS NULL)", name=op.f("ck_chats_what_was_missed_has_a_first")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_chats")),
        sa.UniqueConstraint(
            "channel", "account", "chat_id", "thread_id", name=op.f("uq_chats_channel_account_chat_id_thread_id")
        ),
        sqlite_autoincrement=True,
    )
    _partial("chats_missed", "chats", ["missed_at"], where="missed > 0")
    _partial("chats_owned", "chats", ["owner"], where="owner IS NOT NULL")
    _partial("chats_ready", "chats", ["ready"], where="ready IS NOT NULL")


def _cursors() -> None:
    op.create_table(
        "cursors",
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("account", sa.Text(), nullable=False),
        sa.Column("scope", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("moved_at", _ID, nullable=False),
        sa.PrimaryKeyConstraint("channel", "account", "scope", name=op.f("pk_cursors")),
    )


def _inbound() -> None:
    op.create_table(
        "inbound",
        sa.Column("id", _ID, nullable=False),
        sa.Column("chat", _ID, nullable=False),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("account", sa.Text(), nullable=False),
        sa.Column("event_key", sa.Text(), nullable=False),
        sa.Column("sender", sa.Text(), nullable=False),
        sa.Column("sender_name", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("lane", sa.Text(), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("attachments", sa.Text(), nullable=True),
        sa.Column("reply_to", sa.Text(), nullable=True),
        sa.Column("message_id", sa.Text(), nullable=True),
        sa.Column("at", _ID, nullable=False),
        sa.Column("received_at", _ID, nullable=False),
        sa.Column("turn", _ID, nullable=True),
        sa.Column("command", sa.Text(), nullable=True),
        sa.Column("arguments", sa.Text(), nullable=True),
        sa.Column("pending", sa.Integer(), server_default="0", nullable=False),
        sa.Column("drop_reason", sa.Text(), nullable=True),
        sa.Column("choice", sa.Text(), nullable=True),
        sa.Column("place", sa.Text(), nullable=True),
        sa.Column("role", sa.Text(), nullable=True),
        sa.Column("refused", sa.Integer(), server_default="0", nullable=False),
        sa.Column("bot", sa.Integer(), server_default="0", nullable=False),
        sa.CheckConstraint("lane IN ('turn', 'steer', 'control', 'context')", name=op.f("ck_inbound_lane")),
        sa.CheckConstraint(
            "drop_reason IS NULL OR (turn IS NULL AND pending = 0)", name=op.f("ck_inbound_a_drop_starts_nothing")
        ),
        sa.CheckConstraint(
            "pending IN (0, 1) AND (pending = 0 OR command IS NOT NULL)", name=op.f("ck_inbound_pending_is_a_command")
        ),
        sa.ForeignKeyConstraint(["chat"], ["chats.id"], name=op.f("fk_inbound_chat_chats")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_inbound")),
        sa.UniqueConstraint("event_key", "channel", "account", name=op.f("uq_inbound_event_key_channel_account")),
        sqlite_autoincrement=True,
    )
    op.create_index("inbound_chat", "inbound", ["chat", "id"], unique=False)
    _partial("inbound_bots", "inbound", ["chat", "received_at"], where="bot = 1")
    _partial("inbound_boundaries", "inbound", ["chat", "id"], where="command = 'new'")
    _partial("inbound_context", "inbound", ["chat", "id"], where="lane = 'context' AND turn IS NULL")
    _partial("inbound_message", "inbound", ["chat", "message_id"], where="message_id IS NOT NULL")
    _partial("inbound_pending", "inbound", ["id"], where="pending = 1")
    _partial("inbound_people", "inbound", ["sender", "channel", "account", "received_at"], where="role IS NOT NULL")
    _partial("inbound_places", "inbound", ["channel", "account", "place"], where="drop_reason = 'place_not_listed'")
    _partial("inbound_refused", "inbound", ["sender", "channel", "account"], where="refused = 1")
    _partial("inbound_turn", "inbound", ["turn"], where="turn IS NOT NULL")


def _twins() -> None:
    op.create_table(
        "twins",
        sa.Column("event_key", sa.Text(), nullable=False),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("account", sa.Text(), nullable=False),
        sa.Column("inbound", _ID, nullable=False),
        sa.ForeignKeyConstraint(["inbound"], ["inbound.id"], name=op.f("fk_twins_inbound_inbound")),
        sa.PrimaryKeyConstraint("event_key", "channel", "account", name=op.f("pk_twins")),
    )


def _pairings() -> None:
    op.create_table(
        "pairings",
        sa.Column("id", _ID, nullable=False),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("account", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("code", sa.Text(), nullable=True),
        sa.Column("asked_at", _ID, nullable=False),
        sa.Column("codes", sa.Integer(), server_default="1", nullable=False),
        sa.Column("first_at", _ID, nullable=False),
        sa.Column("role", sa.Text(), nullable=True),
        sa.Column("approved_at", _ID, nullable=True),
        sa.Column("revoked_at", _ID, nullable=True),
        sa.CheckConstraint("role IS NULL OR role IN ('member', 'owner')", name=op.f("ck_pairings_role")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_pairings")),
        sa.UniqueConstraint("channel", "account", "user_id", name=op.f("uq_pairings_channel_account_user_id")),
        sa.UniqueConstraint("code", name=op.f("uq_pairings_code")),
        sqlite_autoincrement=True,
    )


def _turns() -> None:
    op.create_table(
        "turns",
        sa.Column("id", _ID, autoincrement=False, nullable=False),
        sa.Column("chat", _ID, nullable=False),
        sa.Column("session", _ID, server_default="0", nullable=False),
        sa.Column("agent", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("attempt", sa.Integer(), server_default="0", nullable=False),
        sa.Column("undone", sa.Integer(), server_default="0", nullable=False),
        sa.Column("cause", sa.Text(), nullable=True),
        sa.Column("finished_at", _ID, nullable=True),
        sa.CheckConstraint(
            "(finished_at IS NULL) = (state IN ('queued', 'running', 'waiting'))",
            name=op.f("ck_turns_a_final_state_has_a_time"),
        ),
        sa.CheckConstraint(
            "state IN ('queued', 'running', 'waiting', 'done', 'broken', 'stopped')", name=op.f("ck_turns_state")
        ),
        sa.ForeignKeyConstraint(["chat"], ["chats.id"], name=op.f("fk_turns_chat_chats")),
        sa.ForeignKeyConstraint(["id"], ["inbound.id"], name=op.f("fk_turns_id_inbound")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_turns")),
    )
    _partial("one_running_turn_per_chat", "turns", ["chat"], where="state = 'running'", unique=True)
    _partial("turns_broken", "turns", ["id"], where="state = 'broken'")
    op.create_index("turns_session", "turns", ["chat", "session", "id"], unique=False)
    _partial("turns_live", "turns", ["chat", "id"], where="finished_at IS NULL")


def _frames() -> None:
    op.create_table(
        "frames",
        sa.Column("id", _ID, nullable=False),
        sa.Column("turn", _ID, nullable=False),
        sa.Column("parent", _ID, nullable=True),
        sa.Column("call_step", sa.Integer(), nullable=False),
        sa.Column("call_index", sa.Integer(), nullable=False),
        sa.Column("agent", sa.Text(), nullable=False),
        sa.Column("task", sa.Text(), nullable=False),
        sa.Column("depth", sa.Integer(), nullable=False),
        sa.CheckConstraint("depth >= 1", name=op.f("ck_frames_children_only")),
        sa.ForeignKeyConstraint(["parent"], ["frames.id"], name=op.f("fk_frames_parent_frames")),
        sa.ForeignKeyConstraint(["turn"], ["turns.id"], name=op.f("fk_frames_turn_turns")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_frames")),
        sa.UniqueConstraint("turn", "call_step", "call_index", name=op.f("uq_frames_turn_call_step_call_index")),
        sqlite_autoincrement=True,
    )


def _outbox() -> None:
    op.create_table(
        "outbox",
        sa.Column("id", _ID, nullable=False),
        sa.Column("chat", _ID, nullable=False),
        sa.Column("turn", _ID, nullable=True),
        sa.Column("inbound", _ID, nullable=True),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), server_default="send", nullable=False),
        sa.Column("reply", sa.Text(), nullable=False),
        sa.Column("replaces", _ID, nullable=True),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("part", sa.Integer(), server_default="0", nullable=False),
        sa.Column("attempt", sa.Integer(), server_default="0", nullable=False),
        sa.Column("not_before", _ID, server_default="0", nullable=False),
        sa.Column("repeat", sa.Integer(), server_default="0", nullable=False),
        sa.Column("repeats", sa.Integer(), server_default="0", nullable=False),
        sa.Column("plain", sa.Integer(), server_default="0", nullable=False),
        sa.Column("placed", sa.Text(), nullable=True),
        sa.Column("lost", _ID, nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("receipt", sa.Text(), nullable=True),
        sa.Column("created_at", _ID, nullable=False),
        sa.Column("closed_at", _ID, nullable=True),
        sa.CheckConstraint(
            "(closed_at IS NULL) = (state IN ('new', 'sending', 'unsure'))",
            name=op.f("ck_outbox_a_final_state_has_a_time"),
        ),
        sa.CheckConstraint("kind IN ('send', 'edit', 'draft', 'undelivered', 'again')", name=op.f("ck_outbox_kind")),
        sa.CheckConstraint("lost IS NULL OR state = 'dead'", name=op.f("ck_outbox_only_the_dead_are_lost")),
        sa.CheckConstraint("state IN ('new', 'sending', 'unsure', 'sent', 'dead')", name=op.f("ck_outbox_state")),
        sa.ForeignKeyConstraint(["chat"], ["chats.id"], name=op.f("fk_outbox_chat_chats")),
        sa.ForeignKeyConstraint(["inbound"], ["inbound.id"], name=op.f("fk_outbox_inbound_inbound")),
        sa.ForeignKeyConstraint(["replaces"], ["outbox.id"], name=op.f("fk_outbox_replaces_outbox")),
        sa.ForeignKeyConstraint(["turn"], ["turns.id"], name=op.f("fk_outbox_turn_turns")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_outbox")),
        sa.UniqueConstraint("inbound", name=op.f("uq_outbox_inbound")),
        sa.UniqueConstraint("key", name=op.f("uq_outbox_key")),
        sqlite_autoincrement=True,
    )
    op.create_index("outbox_chat", "outbox", ["chat", "id"], unique=False)
    _partial("outbox_dead", "outbox", ["id"], where="state = 'dead'")
    _partial("outbox_lost", "outbox", ["chat", "id"], where="lost = 0")
    _partial("outbox_open", "outbox", ["chat", "id"], where="closed_at IS NULL")
    _partial("outbox_repeated", "outbox", ["id"], where="repeats > 0")
    _partial("outbox_turn", "outbox", ["turn"], where="turn IS NOT NULL")


def _steps() -> None:
    op.create_table(
        "steps",
        sa.Column("turn", _ID, autoincrement=False, nullable=False),
        sa.Column("seq", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("frame", _ID, server_default="0", nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("call_step", sa.Integer(), nullable=True),
        sa.Column("call_index", sa.Integer(), nullable=True),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("at", _ID, nullable=False),
        sa.ForeignKeyConstraint(["turn"], ["turns.id"], name=op.f("fk_steps_turn_turns")),
        sa.PrimaryKeyConstraint("turn", "seq", name=op.f("pk_steps")),
    )
    _partial(
        "one_result_per_call", "steps", ["turn", "call_step", "call_index"], where="kind = 'tool_finished'", unique=True
    )


def _waits() -> None:
    op.create_table(
        "waits",
        sa.Column("id", _ID, nullable=False),
        sa.Column("turn", _ID, nullable=False),
        sa.Column("chat", _ID, nullable=False),
        sa.Column("step", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("asked", sa.Text(), nullable=False),
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("deadline", _ID, nullable=True),
        sa.Column("remind_at", _ID, nullable=True),
        sa.Column("delivery", _ID, nullable=True),
        sa.Column("told", sa.Text(), server_default="[]", nullable=False),
        sa.Column("state", sa.Text(), server_default="open", nullable=False),
        sa.Column("answer", sa.Text(), nullable=True),
        sa.Column("answered_by", sa.Text(), nullable=True),
        sa.Column("closed_at", _ID, nullable=True),
        sa.CheckConstraint("(closed_at IS NULL) = (state = 'open')", name=op.f("ck_waits_closed_once")),
        sa.CheckConstraint("kind IN ('question', 'approval')", name=op.f("ck_waits_kind")),
        sa.CheckConstraint("state IN ('open', 'answered', 'expired', 'cancelled')", name=op.f("ck_waits_state")),
        sa.ForeignKeyConstraint(["chat"], ["chats.id"], name=op.f("fk_waits_chat_chats")),
        sa.ForeignKeyConstraint(["turn"], ["turns.id"], name=op.f("fk_waits_turn_turns")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_waits")),
        sa.UniqueConstraint("turn", "step", name=op.f("uq_waits_turn_step")),
        sqlite_autoincrement=True,
    )
    _partial(
        "one_shown_question_per_person",
        "waits",
        ["chat", "asked"],
        where="closed_at IS NULL AND deadline IS NOT NULL AND kind = 'question'",
        unique=True,
    )
    _partial("waits_due", "waits", ["deadline"], where="closed_at IS NULL")
    _partial("waits_open", "waits", ["chat"], where="closed_at IS NULL")
    _partial("waits_remind", "waits", ["remind_at"], where="remind_at IS NOT NULL")


def _grants() -> None:
    op.create_table(
        "grants",
        sa.Column("id", _ID, nullable=False),
        sa.Column("chat", _ID, nullable=False),
        sa.Column("tool", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("granted_by", sa.Text(), nullable=False),
        sa.Column("granted_at", _ID, nullable=False),
        sa.Column("until", _ID, nullable=False),
        sa.Column("revoked_at", _ID, nullable=True),
        sa.ForeignKeyConstraint(["chat"], ["chats.id"], name=op.f("fk_grants_chat_chats")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_grants")),
        sa.UniqueConstraint("chat", "tool", "digest", name=op.f("uq_grants_chat_tool_digest")),
        sqlite_autoincrement=True,
    )


def _outbox_parts() -> None:
    op.create_table(
        "outbox_parts",
        sa.Column("delivery", _ID, autoincrement=False, nullable=False),
        sa.Column("n", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("payload", sa.Text(), nullable=False),
        sa.Column("receipt", sa.Text(), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["delivery"], ["outbox.id"], name=op.f("fk_outbox_parts_delivery_outbox")),
        sa.PrimaryKeyConstraint("delivery", "n", name=op.f("pk_outbox_parts")),
    )
