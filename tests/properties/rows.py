"""What the rows of a store must agree on, as queries for what is wrong: each gives nothing."""

from collections.abc import Mapping

from sqlalchemy import Connection

# After every commit.
ALWAYS: Mapping[str, str] = {
    "a chat counts its live turns": """
        SELECT c.id, c.live FROM chats c
        WHERE c.live != (SELECT count(*) FROM turns t WHERE t.chat = c.id AND t.finished_at IS NULL)""",
    "a chat counts its open questions": """
        SELECT c.id, c.asks FROM chats c
        WHERE c.asks != (SELECT count(*) FROM waits w WHERE w.chat = c.id AND w.closed_at IS NULL)""",
    "ready is the oldest live turn, or nothing while that one waits for an answer": """
        SELECT c.id, c.ready FROM chats c
        WHERE c.ready IS NOT (SELECT CASE t.state WHEN 'waiting' THEN NULL ELSE t.id END FROM turns t
                              WHERE t.chat = c.id AND t.finished_at IS NULL ORDER BY t.id LIMIT 1)""",
    "only the oldest live turn of a chat has begun": """
        SELECT t.id, t.state FROM turns t
        WHERE t.finished_at IS NULL AND t.state != 'queued'
          AND EXISTS (SELECT 1 FROM turns o WHERE o.chat = t.chat AND o.finished_at IS NULL AND o.id < t.id)""",
    "a lease is a running turn's, or a burst's": """
        SELECT c.id, c.owner, t.state FROM chats c LEFT JOIN turns t ON t.id = c.ready
        WHERE c.owner IS NOT NULL AND t.state IS NOT (CASE c.owner WHEN 'collect' THEN 'queued' ELSE 'running' END)""",
    "an open question has a live turn": """
        SELECT w.id, t.id FROM waits w JOIN turns t ON t.id = w.turn
        WHERE w.closed_at IS NULL AND t.finished_at IS NOT NULL""",
    "a turn that waits has an open question": """
        SELECT t.id FROM turns t WHERE t.state = 'waiting'
          AND NOT EXISTS (SELECT 1 FROM waits w WHERE w.turn = t.id AND w.closed_at IS NULL)""",
    "a question is hidden only behind another one to the same person": """
        SELECT h.id FROM waits h WHERE h.closed_at IS NULL AND h.deadline IS NULL
          AND (h.kind = 'approval' OR NOT EXISTS
               (SELECT 1 FROM waits s WHERE s.chat = h.chat AND s.asked = h.asked AND s.kind = 'question'
                  AND s.closed_at IS NULL AND s.deadline IS NOT NULL))""",
    "the card of a closed question is edited once, that of an open one never": """
        SELECT w.id, w.state FROM waits w
        WHERE (SELECT count(*) FROM outbox o WHERE o.replaces = w.delivery)
              != (w.closed_at IS NOT NULL AND w.delivery IS NOT NULL)""",
    "an answer has its words and its author, and no other end has an author": """
        SELECT w.id, w.state FROM waits w
        WHERE (w.state = 'answered') != (w.answered_by IS NOT NULL) OR (w.state = 'answered' AND w.answer IS NULL)""",
    "what was said to a turn belongs to one that there is": """
        SELECT i.id, i.turn FROM inbound i WHERE i.lane IN ('turn', 'steer') AND i.drop_reason IS NULL
          AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.id = coalesce(i.turn, i.id))""",
    "what was said to a live turn belongs to it": """
        SELECT i.id, i.turn, t.state FROM inbound i JOIN turns t ON t.id = coalesce(i.turn, i.id)
        WHERE i.lane IN ('turn', 'steer') AND i.drop_reason IS NULL AND t.chat != i.chat""",
    "a live turn has something to answer": """
        SELECT t.id FROM turns t WHERE t.finished_at IS NULL
          AND NOT EXISTS (SELECT 1 FROM inbound i WHERE coalesce(i.turn, i.id) = t.id
                            AND i.lane = 'turn' AND i.drop_reason IS NULL)""",
    "what is on its way is the oldest that its chat has to send": """
        SELECT d.id FROM outbox d WHERE d.state IN ('sending', 'unsure')
          AND EXISTS (SELECT 1 FROM outbox o WHERE o.chat = d.chat AND o.closed_at IS NULL AND o.id < d.id)""",
    "a turn has one reply, and a second one only where the first was given up": """
        SELECT o.turn FROM outbox o WHERE o.turn IS NOT NULL AND (o.state != 'dead' OR o.kind != 'again')
        GROUP BY o.turn HAVING sum(o.kind != 'again') > 1 OR (sum(o.state != 'dead') > 1)""",
    "a chat counts the replies that it was not told of": """
        SELECT c.id, c.lost FROM chats c
        WHERE c.lost != (SELECT count(*) FROM outbox o WHERE o.chat = c.id AND o.lost = 0)""",
    "a turn that ended by itself has its reply, and no other has one": """
        SELECT t.id, t.state FROM turns t
        WHERE (t.state IN ('done', 'broken')) != EXISTS (SELECT 1 FROM outbox o WHERE o.turn = t.id)""",
    "a reply goes to the chat of its turn or event": """
        SELECT o.id FROM outbox o LEFT JOIN turns t ON t.id = o.turn LEFT JOIN inbound i ON i.id = o.inbound
        WHERE coalesce(t.chat, o.chat) != o.chat OR coalesce(i.chat, o.chat) != o.chat""",
}

# When nothing can go on by itself any more.
SETTLED: Mapping[str, str] = {
    "nobody holds a chat": "SELECT id, owner FROM chats WHERE owner IS NOT NULL",
    "only turns that wait for an answer, and what waits behind them, are live": """
        SELECT t.id, t.state FROM turns t WHERE t.finished_at IS NULL AND t.state != 'waiting'
          AND NOT EXISTS (SELECT 1 FROM turns o WHERE o.chat = t.chat AND o.state = 'waiting' AND o.id < t.id)""",
    "every command was performed": "SELECT id, command FROM inbound WHERE pending = 1",
    "everything was sent or given up": "SELECT id, state, error FROM outbox WHERE closed_at IS NULL",
    "every call of a turn with an answer has a result": """
        SELECT s.turn, s.seq FROM steps s JOIN turns t ON t.id = s.turn
        WHERE s.kind = 'model_answered' AND t.state = 'done'
          AND json_array_length(s.body, '$.calls') != (SELECT count(*) FROM steps r WHERE r.turn = s.turn
                AND r.kind = 'tool_finished' AND r.call_step = s.seq)""",
    "words that steered a turn with an answer were read by it": """
        SELECT i.id, i.turn FROM inbound i JOIN turns t ON t.id = i.turn
        WHERE i.lane = 'steer' AND t.state = 'done'
          AND NOT EXISTS (SELECT 1 FROM steps s WHERE s.turn = t.id AND s.kind = 'steered'
                            AND json_extract(s.body, '$.inbound') = i.id)""",
}

# After every question has run out.
QUIET: Mapping[str, str] = {
    "nothing is live": "SELECT id, state FROM turns WHERE finished_at IS NULL",
    "nothing is asked": "SELECT id FROM waits WHERE closed_at IS NULL",
}


def wrong(conn: Connection, *promises: Mapping[str, str]) -> list[str]:
    """Which of these promises are broken, and by which rows."""
    broken = []
    for promise in promises:
        for name, sql in promise.items():
            rows = conn.exec_driver_sql(sql).all()
            if rows:
                broken.append(f"not so: {name}: {[tuple(row) for row in rows[:3]]}")
    return broken
