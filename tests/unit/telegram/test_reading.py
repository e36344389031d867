"""Files with updates, for `parley read`: whatever they hold."""

import json

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from channels.telegram import SPEC
from channels.telegram.inbound import KINDS
from channels.telegram.reading import read_updates
from core.domain.message import Dropped, Inbound
from gateway.cli.read import command
from tests.unit.telegram.updates import ANNA, GROUP, PRIVATE, Json, message, photo, update

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
FIELDS = st.sampled_from(
    [
        *("message_id", "from", "chat", "date", "text", "entities", "caption", "photo", "document", "quote", "data"),
        *("reply_to_message", "sender_chat", "id", "message_thread_id", "is_topic_message", "media_group_id"),
        *("migrate_to_chat_id", "location", "poll", "forum_topic_created", "venue", "contact", "message"),
        *("edit_date", "external_reply"),
    ]
)
KNOWN = st.sampled_from([ANNA, PRIVATE, GROUP, 5, -7, "x", [{"type": "mention", "offset": -1, "length": 1 << 40}]])
BODIES = st.dictionaries(FIELDS, KNOWN | VALUES, max_size=8) | VALUES


@settings(max_examples=400, deadline=None)
@given(st.sampled_from([*KINDS, "callback_query", "poll"]), BODIES, st.booleans())
def test_no_update_is_an_error(kind: str, body: object, whole: bool) -> None:
    base: Json = message("hi") if whole else {}
    given_body = base | body if isinstance(body, dict) else body
    for seen in read_updates(json.dumps({"update_id": 1, kind: given_body}).encode(), None, bots=True):
        assert isinstance(seen.event, Inbound | Dropped)


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=200) | VALUES.map(lambda value: json.dumps(value).encode()))
def test_no_file_is_an_error(raw: bytes) -> None:
    assert all(isinstance(seen.event, Inbound | Dropped) for seen in read_updates(raw, {"id": 1}, bots=False))


@pytest.mark.parametrize("brackets", [b"[" * 100_000, b'{"a":' * 100_000])
def test_depth_is_no_error(brackets: bytes) -> None:
    assert [seen.event for seen in read_updates(brackets, None, bots=False)]


@pytest.mark.parametrize("form", ["one", "list", "answer", "lines"])
def test_every_form_in_which_updates_are_kept_is_read(form: str) -> None:
    updates = [update(message("one"), number=1), update(message("two", number=6), number=2)]
    raw = {
        "one": json.dumps(updates[0]),
        "list": json.dumps(updates),
        "answer": json.dumps({"ok": True, "result": updates}),
        "lines": "\n".join(json.dumps(one) for one in updates),
    }[form]
    seen = [one.event for one in read_updates(raw.encode(), None, bots=False)]
    assert [one.content for one in seen if isinstance(one, Inbound)] == ["one", "two"][: len(seen)]
    assert len(seen) == (1 if form == "one" else 2)


def test_an_album_in_a_file_is_one_event() -> None:
    pieces = [update(message(number=n, media_group_id="g", **photo(f"p{n}")), number=n) for n in (1, 2, 3)]
    (seen,) = read_updates(json.dumps(pieces).encode(), None, bots=False)
    assert isinstance(seen.event, Inbound)
    assert len(seen.event.attachments) == 3


def test_the_command_line_prints_the_common_form() -> None:
    raw = json.dumps(update(message("/stop@helper_bot now", chat=GROUP)))
    told = json.dumps({"id": 700, "username": "helper_bot"})
    shown = CliRunner().invoke(command, ["--from", "telegram", "--self", told, "-"], input=raw)
    assert shown.exit_code == 0, shown.output
    said = json.loads(shown.output)["inbound"]
    assert said["chat"] == {"channel": "telegram", "account": "700", "chat_id": "-1001", "thread_id": None}
    assert said["sender"] == {"id": "11", "name": "Anna K", "kind": "person"}
    assert (said["kind"], said["command"], said["args"], said["addressed"]) == ("command", "stop", "now", True)


def test_what_nobody_can_read_is_printed_as_dropped() -> None:
    shown = CliRunner().invoke(command, ["--from", "telegram", "--self", "{}", "-"], input="\x00\xff{[")
    assert (shown.exit_code, json.loads(shown.output)) == (0, {"dropped": "malformed"})


def test_the_spec_asks_for_the_token_as_a_secret() -> None:
    assert [(one.key, one.secret) for one in SPEC.asks] == [("token", True)]
