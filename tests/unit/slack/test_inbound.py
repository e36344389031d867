"""From what Slack sends to what it means."""

import json
from collections.abc import Mapping
from dataclasses import replace

import pytest

from channels.slack.inbound import Frame, Manner, Me, milliseconds, read
from channels.slack.reading import read_file
from channels.slack.words import Names, mentions, spoken
from core.domain.chat import ChatKey, SenderKind
from core.domain.message import Dropped, Inbound, InboundKind

ME = Me(user_id="U0BOT00001", team_id="T0TEAM0001", bot_id="B0BOT00001", app_id="A0APP00001")
NAMES = Names(users={"U0ANNA0001": "anna"}, channels={"C0GENERAL1": "general"})
TS = "1760000300.000300"

Json = dict[str, object]


def body(**event: object) -> Json:
    base: Json = {"type": "message", "user": "U0ANNA0001", "ts": TS, "event_ts": TS, "channel": "C0GENERAL1"}
    base |= {"channel_type": "channel", "text": "hello", "team": "T0TEAM0001"} | event
    return {"type": "event_callback", "team_id": "T0TEAM0001", "event_id": "Ev1", "event": base}


def meant(
    told: Mapping[str, object], *, bots: bool = False, threads: bool = True, me: Me | None = ME
) -> Inbound | Dropped:
    manner = Manner(bots=bots, reply_in_thread=threads)
    return read(Frame(body=told, me=me, manner=manner, names=NAMES))


def said(told: Mapping[str, object], *, bots: bool = False, threads: bool = True, me: Me | None = ME) -> Inbound:
    event = meant(told, bots=bots, threads=threads, me=me)
    assert isinstance(event, Inbound), event
    return event


def reason(told: Mapping[str, object], *, bots: bool = False) -> str:
    event = meant(told, bots=bots)
    assert isinstance(event, Dropped), event
    return event.reason


MENTION = "<@U0BOT00001> status?"


@pytest.mark.parametrize(
    ("event", "thread", "addressed"),
    [
        ({}, None, False),
        ({"text": MENTION}, TS, True),
        ({"text": MENTION, "thread_ts": TS}, TS, True),
        ({"thread_ts": "1.000100"}, "1.000100", False),
        ({"thread_ts": "1.000100", "parent_user_id": "U0BOT00001"}, "1.000100", True),
        ({"thread_ts": "1.000100", "subtype": "thread_broadcast"}, "1.000100", False),
        ({"channel": "D1", "channel_type": "im"}, None, True),
        ({"channel": "D1", "channel_type": "im", "thread_ts": "1.000100"}, "1.000100", True),
        ({"channel": "G1", "channel_type": "mpim"}, None, False),
        ({"channel": "G1", "channel_type": "group", "text": MENTION}, TS, True),
        ({"type": "app_mention", "channel_type": None, "text": MENTION}, TS, True),
    ],
)
def test_a_message_belongs_to_its_thread_and_one_to_us_opens_one(
    event: Json, thread: str | None, addressed: bool
) -> None:
    inbound = said(body(**event))
    assert (inbound.chat.thread_id, inbound.addressed) == (thread, addressed)
    assert inbound.shared == (event.get("channel_type") != "im")
    assert inbound.place == (None if event.get("channel_type") == "im" else inbound.chat.chat_id)


def test_without_threads_an_answer_stands_in_the_channel() -> None:
    assert said(body(text=MENTION), threads=False).chat.thread_id is None
    assert said(body(text=MENTION, thread_ts="1.000100"), threads=False).chat.thread_id == "1.000100"


def test_a_message_and_its_mention_are_one_event_and_a_doubled_one_is_its_twin() -> None:
    first = said(body(text=MENTION, client_msg_id="c1"))
    mention = said(body(type="app_mention", text=MENTION, client_msg_id="c1"))
    doubled = said(body(text=MENTION, client_msg_id="c1", ts="1760000300.000400"))
    assert first.event_key == mention.event_key == f"C0GENERAL1:{TS}"
    assert first.chat == mention.chat
    assert doubled.event_key != first.event_key
    assert doubled.twins == first.twins == ("U0ANNA0001:c1",)
    assert said(body(text="x", client_msg_id="c1", user="U0CARL0001")).twins != first.twins


def test_the_author_is_an_id_with_a_name_for_display() -> None:
    inbound = said(body())
    assert (inbound.sender.user_id, inbound.sender.name, inbound.sender.account) == ("U0ANNA0001", "anna", "T0TEAM0001")
    assert (inbound.at, inbound.message_id) == (1760000300000, TS)
    assert inbound.cursor
    assert (inbound.cursor.scope, inbound.cursor.value) == ("C0GENERAL1", TS)


@pytest.mark.parametrize(
    ("event", "why"),
    [
        ({"user": "U0BOT00001"}, "own"),
        ({"user": "", "bot_id": "B0BOT00001", "subtype": "bot_message"}, "own"),
        ({"user": "U0OTHERBOT", "bot_id": "B0OTHER001", "text": MENTION}, "bot"),
        ({"user": "", "bot_id": "B0OTHER001", "subtype": "bot_message", "username": "anna"}, "bot"),
        ({"user": ""}, "malformed"),
        ({"subtype": "channel_join"}, "noise"),
        ({"subtype": "channel_topic"}, "noise"),
        ({"type": "reaction_added", "item": {"channel": "C1", "ts": TS}}, "noise"),
        ({"type": "assistant_thread_started"}, "noise"),
        ({"type": "team_join"}, "unsupported"),
        ({"type": None}, "malformed"),
        ({"ts": "soon", "event_ts": ""}, "malformed"),
        ({"channel": 7}, "malformed"),
    ],
)
def test_what_starts_nothing_says_why(event: Json, why: str) -> None:
    assert reason(body(**event)) == why


def test_another_program_counts_only_where_programs_do() -> None:
    inbound = said(body(user="U0OTHERBOT", bot_id="B0OTHER001", text=MENTION), bots=True)
    assert (inbound.sender.kind, inbound.sender.user_id) == (SenderKind.BOT, "U0OTHERBOT")
    assert reason(body(user="U0BOT00001", bot_id="B0BOT00001"), bots=True) == "own"


def changed(message: Json, before: Json | None = None, **more: object) -> Json:
    base: Json = {"type": "message", "user": "U0ANNA0001", "text": "old", "ts": TS}
    event: Json = {"subtype": "message_changed", "hidden": True, "message": base | message, "ts": "1760000309.000200"}
    event |= {"event_ts": "1760000309.000200"} | ({"previous_message": base | before} if before is not None else {})
    return body(**(event | more))


EDITED = {"user": "U0ANNA0001", "ts": "1760000309.000000"}


def test_an_edit_is_of_its_message_and_by_whoever_made_it() -> None:
    inbound = said(changed({"text": "new", "edited": EDITED}, {}))
    assert (inbound.kind, inbound.content, inbound.message_id) == (InboundKind.EDIT, "new", TS)
    assert inbound.chat.thread_id is None
    other = said(changed({"text": "new", "edited": EDITED | {"user": "U0CARL0001"}}, {}))
    assert other.sender.user_id == "U0CARL0001"


def test_an_edit_stays_in_the_chat_of_its_message() -> None:
    told = changed({"text": f"{MENTION} now", "edited": EDITED}, {"text": MENTION})
    assert said(told).chat == said(body(text=MENTION)).chat
    root = changed({"text": f"{MENTION} now", "edited": EDITED, "thread_ts": TS}, {"text": MENTION, "thread_ts": TS})
    assert said(root).chat == said(body(text=MENTION)).chat


@pytest.mark.parametrize(
    ("message", "before", "why"),
    [
        ({"attachments": [{"from_url": "https://example.com"}]}, {}, "noise"),
        ({"reply_count": 1}, {}, "noise"),
        ({"text": "old", "edited": EDITED}, {}, "noise"),
        ({"text": "new", "edited": EDITED, "user": "U0BOT00001"}, {"user": "U0BOT00001"}, "own"),
        ({"text": "new", "edited": EDITED, "bot_id": "B0OTHER001"}, {}, "bot"),
    ],
)
def test_a_change_that_nobody_typed_is_none(message: Json, before: Json, why: str) -> None:
    assert reason(changed(message, before)) == why


def test_a_deleted_message_is_known_by_its_ts() -> None:
    before: Json = {"user": "U0ANNA0001", "text": MENTION, "ts": TS}
    told = body(subtype="message_deleted", deleted_ts=TS, previous_message=before, ts="2.000200")
    inbound = said(told)
    assert (inbound.kind, inbound.message_id, inbound.chat.thread_id) == (InboundKind.DELETE, TS, TS)
    tomb = changed({"subtype": "tombstone", "text": "This message was deleted."}, {"text": MENTION})
    assert (said(tomb).kind, said(tomb).message_id) == (InboundKind.DELETE, TS)
    assert reason(body(subtype="message_deleted", deleted_ts=TS)) == "noise"


@pytest.mark.parametrize(
    ("command", "text", "content", "kind"),
    [
        ("/parley", "stop", "/stop", InboundKind.COMMAND),
        ("/parley", "!model fast", "/model fast", InboundKind.COMMAND),
        ("/parley", "", "/help", InboundKind.COMMAND),
        ("/stop", "", "/stop", InboundKind.COMMAND),
        ("/parley", "what is new?", "what is new?", InboundKind.MESSAGE),
    ],
)
def test_a_slash_command_is_one_of_ours_or_words(command: str, text: str, content: str, kind: InboundKind) -> None:
    slash: Json = {"command": command, "text": text, "user_id": "U0ANNA0001", "channel_id": "C0GENERAL1"}
    inbound = said(slash | {"team_id": "T0TEAM0001", "trigger_id": "1.2.a"})
    assert (inbound.content, inbound.kind, inbound.chat.thread_id) == (content, kind, None)
    assert inbound.event_key == "slash:U0ANNA0001:C0GENERAL1:1.2.a"


def press(**action: object) -> Json:
    told: Json = {"type": "block_actions", "user": {"id": "U0ANNA0001"}, "channel": {"id": "C0GENERAL1"}}
    container: Json = {"channel_id": "C0GENERAL1", "message_ts": TS, "thread_ts": "1.000100"}
    base: Json = {"action_id": "parley:1", "value": "token", "action_ts": "1760000311.000000"}
    return told | {"container": container, "actions": [base | action]}


def test_a_button_is_its_token_in_the_chat_of_its_card() -> None:
    inbound = said(press())
    assert (inbound.content, inbound.kind, inbound.message_id) == ("token", InboundKind.BUTTON, TS)
    assert inbound.chat == ChatKey(channel="slack", account="T0TEAM0001", chat_id="C0GENERAL1", thread_id="1.000100")
    assert reason(press(action_id="another:1")) == "unsupported"
    assert reason(press(value=None)) == "unsupported"


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (
            "<@U0BOT00001> run `echo hi &gt; out.txt &amp;&amp; cat &lt; out.txt`",
            "run `echo hi > out.txt && cat < out.txt`",
        ),
        ("<@U0BOT00001|parley>: hi", "hi"),
        ("<@U0BOT00001>", "@U0BOT00001"),
        ("ask <@U0ANNA0001> and <@U0BEN00002|ben>", "ask @anna and @ben"),
        ("&amp;lt; stays", "&lt; stays"),
        ("<!subteam^S0OPS00001|@oncall> <!here> <!channel|x>", "@oncall @here @channel"),
        ("<!date^1760000000^{date_short}|9 Oct 2025> <!weird^1>", "9 Oct 2025 weird^1"),
        ("<#C0GENERAL1|> <#C0OTHER001|random> <#C9>", "#general #random #C9"),
        ("<mailto:ben@example.com|ben@example.com>", "ben@example.com"),
        (
            "<https://example.com/a?b=1&amp;c=2|> <https://e.org|our page>",
            "https://example.com/a?b=1&c=2 our page (https://e.org)",
        ),
        ("<http://example.com|example.com>", "example.com"),
        ("&lt;@U0BOT00001&gt; typed", "<@U0BOT00001> typed"),
    ],
)
def test_words_are_as_they_were_typed(raw: str, words: str) -> None:
    assert spoken(raw, NAMES, "U0BOT00001") == words


def test_only_a_token_of_the_platform_is_a_mention() -> None:
    assert mentions("hi <@U0BOT00001>", "U0BOT00001")
    assert mentions("hi <@U0BOT00001|parley>", "U0BOT00001")
    assert not mentions("&lt;@U0BOT00001&gt; @parley <@U0BOT00001X>", "U0BOT00001")
    assert not mentions("<@>", "")


def test_a_time_is_read_without_rounding() -> None:
    assert milliseconds("1760000300.123999") == 1760000300123
    assert [milliseconds(odd) for odd in ("", "soon", "1", "-1.000000", "²5.000000", "9" * 13 + ".0")] == [0] * 6


def test_a_file_that_came_is_named_and_a_deleted_one_is_not() -> None:
    files = [
        {"id": "F1", "name": "pump.png", "mimetype": "image/png", "size": 48211, "mode": "hosted"},
        {"id": "F2", "mode": "tombstone"},
        "what",
    ]
    (one,) = said(body(subtype="file_share", files=files)).attachments
    assert (one.name, one.media_type, one.size, one.path) == ("pump.png", "image/png", 48211, None)


def test_files_of_events_are_read_in_every_form() -> None:
    granted = [{"team_id": "T0TEAM0001", "user_id": "U0BOT00001", "is_bot": True}]
    event = body(text=MENTION) | {"authorizations": granted}
    envelope = {"envelope_id": "e1", "type": "events_api", "payload": event}
    form = "payload=" + json.dumps(press()).replace(" ", "")
    for raw in (json.dumps(event), json.dumps(envelope), json.dumps([event]), f"{json.dumps(event)}\n"):
        (seen,) = read_file(raw.encode(), None, bots=False)
        assert isinstance(seen.event, Inbound)
        assert (seen.event.addressed, seen.event.content) == (True, "status?")
    assert isinstance(read_file(form.encode(), None, bots=False)[0].event, Inbound)
    unknown = read_file(json.dumps(body(text=MENTION)).encode(), None, bots=False)[0].event
    assert isinstance(unknown, Inbound)
    assert unknown.addressed is None


@pytest.mark.parametrize("raw", [b"", b"{", b"[" * 5000, b"\xff\xfe", b"7", b'"x"', b"{}", b"[null]", b'{"event": 7}'])
def test_what_cannot_be_read_is_a_drop_and_never_an_error(raw: bytes) -> None:
    seen = read_file(raw, {"bot_user_id": "U0BOT00001", "team_id": "T0TEAM0001"}, bots=False)
    assert [type(one.event) for one in seen] == [Dropped]


def test_no_field_of_any_type_is_an_error() -> None:
    odd: list[object] = [None, 7, "", [], {}, [None], {"id": 7}, True, "x" * 70_000, "\x00\ud800"]
    for told in (body(text=MENTION), changed({"edited": EDITED, "text": "new"}, {}), press()):
        event = told.get("event")
        keys = list(event) if isinstance(event, dict) else list(told)
        for key in keys:
            for value in odd:
                replaced = {**event, key: value} if isinstance(event, dict) else None
                read(Frame(body=told | ({"event": replaced} if replaced else {key: value}), me=ME))


def test_an_unknown_self_reads_no_mention() -> None:
    assert said(body(text="hi"), me=None).addressed is None
    assert replace(ME, bot_id="").is_of("", "") is False
