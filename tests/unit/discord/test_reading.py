"""What raw events of Discord mean, as `parley read --from discord` shows it."""

import json
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from channels.contract import Seen
from channels.discord.reading import read_file
from core.domain.chat import SenderKind
from core.domain.message import Dropped, Inbound, InboundKind
from tests.fakes.wire import Json
from tests.unit.discord.events import (
    ANNA,
    BEN,
    DM,
    FORUM,
    GUILD,
    ME,
    ROLE,
    ROOM,
    SELF,
    THREAD,
    dispatch,
    interaction,
    message,
    said,
    thread,
    user,
)


def seen(*events: Json, bots: bool = False, me: Json | None = SELF, **config: bool) -> Sequence[Seen]:
    told = None if me is None else {**me, "config": config}
    return read_file(json.dumps(list(events)).encode(), told, bots=bots)


def last(*events: Json, bots: bool = False, me: Json | None = SELF, **config: bool) -> Inbound:
    event = seen(*events, bots=bots, me=me, **config)[-1].event
    assert isinstance(event, Inbound), event
    return event


def reasons(*events: Json, auto_thread: bool = False) -> list[str | None]:
    found = [one.event for one in seen(*events, auto_thread=auto_thread)]
    return [one.reason if isinstance(one, Dropped) else None for one in found]


def test_a_direct_message_is_for_us_and_shared_with_nobody() -> None:
    event = last(said("900", "hi"))
    assert (event.content, event.addressed, event.shared, event.place) == ("hi", True, False, None)
    assert (event.event_key, event.message_id, event.sender.user_id, event.sender.name) == ("900", "900", ANNA, "Anna")
    assert event.at == 1_791_536_000_000


@pytest.mark.parametrize(
    ("content", "more", "addressed"),
    [
        (f"<@{ME}> open it", {"mentions": [{"id": ME}]}, True),
        (f"<@!{ME}>, open it", {}, True),
        (f"<@&{ROLE}> open it", {"mention_roles": [ROLE]}, True),
        ("@everyone open it", {"mention_everyone": True}, False),
        ("<@&810000000000000001> open it", {"mention_roles": ["810000000000000001"]}, False),
        (f"<@{BEN}> open it", {"mentions": [{"id": BEN, "username": "ben"}]}, False),
        ("open it", {"type": 19, "referenced_message": {"author": {"id": ME}}}, True),
        ("open it", {"type": 19, "referenced_message": {"author": {"id": BEN}}}, False),
    ],
)
def test_a_message_in_a_channel_is_for_us_by_mention_role_or_reply(
    content: str, more: dict[str, object], addressed: bool
) -> None:
    event = last(said("900", content, where=ROOM, **more))
    assert event.addressed is addressed
    assert (event.shared, event.place, event.chat.chat_id, event.chat.thread_id) == (True, ROOM, ROOM, None)
    assert event.content.endswith("open it")
    assert ME not in event.content


def test_whoever_does_not_know_us_cannot_say_whether_it_is_for_us() -> None:
    assert last(said("900", "hello", where=ROOM), me=None).addressed is None


def test_ids_in_a_text_get_their_names() -> None:
    guild = dispatch(
        "GUILD_CREATE",
        {
            "id": GUILD,
            "roles": [{"id": "77", "name": "crew"}],
            "channels": [{"id": ROOM, "type": 0, "name": "general"}],
        },
    )
    text = f"<@{BEN}> of <@&77> in <#{ROOM}> <:bolt:123> <#999> said x<y>z"
    people = [user(BEN, "ben_t")]
    assert (
        last(guild, said("900", text, mentions=people)).content == "@Ben of @crew in #general :bolt: <#999> said x<y>z"
    )


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"author": user(ME, "helper", bot=True)}, "own"),
        ({"author": user("5", "other", bot=True)}, "bot"),
        ({"webhook_id": "6"}, "webhook"),
        ({"webhook_id": "6", "author": user(ANNA)}, "webhook"),
        ({"type": 6}, "system"),
        ({"type": 7}, "system"),
        ({"type": 18}, "system"),
        ({"type": 46}, "system"),
        ({"type": 21}, "thread_starter"),
        ({"content": ""}, "empty"),
        ({"author": None}, "unreadable"),
    ],
)
def test_what_people_did_not_say_starts_nothing(more: dict[str, object], reason: str) -> None:
    assert reasons(dispatch("MESSAGE_CREATE", message("900", "x") | more)) == [reason]


def test_a_bot_counts_where_it_is_listed_and_says_that_it_is_one() -> None:
    event = last(said("900", "x", author=user("5", "other", bot=True)), bots=True)
    assert event.sender.kind is SenderKind.BOT


def test_a_message_without_words_of_others_is_told_from_an_empty_one() -> None:
    assert reasons(said("900", "", where=ROOM)) == ["content_hidden"]


def test_a_name_decides_nothing_and_roles_come_along_by_id() -> None:
    member = {"roles": ["r1", "r2"], "nick": "Owner"}
    event = last(said("900", "x", where=ROOM, member=member, author=user(BEN, "anna_k")))
    assert (event.sender.user_id, event.sender.name, event.sender.roles) == (BEN, "Owner", ("r1", "r2"))
    assert not event.admin


def test_only_the_owner_of_a_guild_rules_it() -> None:
    guild = dispatch("GUILD_CREATE", {"id": GUILD, "owner_id": ANNA, "channels": [{"id": ROOM, "type": 0}]})
    assert last(guild, said("900", "x", where=ROOM)).admin
    assert not last(guild, said("901", "x", where=ROOM, author=user(BEN, "Anna"))).admin


def test_a_message_in_a_thread_belongs_to_the_thread_below_its_channel() -> None:
    event = last(thread(), said("900", "on it", where=THREAD))
    assert (event.chat.chat_id, event.chat.thread_id, event.place) == (ROOM, THREAD, ROOM)


def test_a_mention_opens_a_thread_of_its_own_where_that_is_set() -> None:
    mention = said("900", f"<@{ME}> count parts", where=ROOM)
    assert last(mention, auto_thread=True).chat.thread_id == "900"
    assert last(mention).chat.thread_id is None
    assert last(said("901", "nothing for us", where=ROOM), auto_thread=True).chat.thread_id is None
    assert last(said("902", f"<@{ME}> /stop", where=ROOM), auto_thread=True).chat.thread_id is None
    assert last(said("903", "in a dm"), auto_thread=True).chat.thread_id is None


def test_a_thread_made_from_a_message_says_it_once() -> None:
    text = f"<@{ME}> count parts"
    first, starter = said("900", text, where=ROOM), message("901", where="900", type=21)
    starter["message_reference"] = {"message_id": "900", "channel_id": ROOM}
    events = (first, thread("900", owner_id=ME), dispatch("MESSAGE_CREATE", starter), said("900", text, where="900"))
    assert reasons(*events, auto_thread=True) == [None, "noise", "thread_starter", "thread_starter"]


def test_a_new_post_of_a_forum_is_for_us_where_that_is_set() -> None:
    guild = dispatch("GUILD_CREATE", {"id": GUILD, "channels": [{"id": FORUM, "type": 15, "name": "help"}]})
    events = (guild, thread(THREAD, FORUM), said(THREAD, "the belt slips", where=THREAD))
    assert last(*events).addressed is False
    event = last(*events, answer_new_forum_posts=True)
    assert (event.addressed, event.chat.chat_id, event.chat.thread_id) == (True, FORUM, THREAD)
    assert last(*events, said("901", "and again", where=THREAD), answer_new_forum_posts=True).addressed is False


def test_what_is_no_text_is_said_in_words() -> None:
    sticker = [{"id": "1", "name": "Thumbs up", "format_type": 1}]
    assert last(said("900", sticker_items=sticker)).content == "[sticker: Thumbs up]"
    poll = {"question": {"text": "When?"}, "answers": [{"poll_media": {"text": "now"}}]}
    assert last(said("901", poll=poll)).content == "[poll] When?\n- now"
    embed = {"type": "rich", "title": "Build", "description": "failed", "fields": [{"name": "step", "value": "3"}]}
    assert last(said("902", embeds=[embed])).content == "Build\nfailed\nstep: 3"
    assert last(said("903", "see x.example", embeds=[embed])).content == "see x.example"


def test_a_forwarded_message_is_quoted_from_its_snapshot_or_from_what_it_refers_to() -> None:
    reference = {"type": 1, "message_id": "5", "channel_id": ROOM}
    snapshot = {"message": {"content": "3 m/s", "attachments": [{"filename": "belt.png"}]}}
    with_snapshot = said("900", "look", message_reference=reference, message_snapshots=[snapshot])
    assert last(with_snapshot).content == "look\n[forwarded]\n> 3 m/s\n> [file: belt.png]"
    without = said("901", message_reference=reference, referenced_message=message("5", "3 m/s"))
    event = last(without)
    assert (event.content, event.reply_to) == ("[forwarded]\n> 3 m/s", None)


def test_a_message_of_files_alone_is_a_message_and_a_name_is_no_path() -> None:
    file = {"id": "1", "filename": "../../etc/notes.txt", "size": 50_000, "content_type": "text/plain; charset=utf-8"}
    event = last(said("900", attachments=[file]))
    (attachment,) = event.attachments
    assert (event.content, attachment.name, attachment.media_type, attachment.size) == (
        "",
        "notes.txt",
        "text/plain",
        50_000,
    )


def test_an_edit_is_a_persons_only_when_it_has_a_time() -> None:
    edited = message("900", "better", edited_timestamp="2026-10-09T09:00:00+00:00")
    event = last(said("900", "worse"), dispatch("MESSAGE_UPDATE", edited))
    assert (event.kind, event.content, event.message_id) == (InboundKind.EDIT, "better", "900")
    assert event.event_key != "900"
    assert reasons(dispatch("MESSAGE_UPDATE", message("900", "unfolded"))) == ["noise"]
    assert reasons(dispatch("MESSAGE_UPDATE", edited | {"author": user(ME, bot=True)})) == ["own"]


def test_a_delete_is_its_authors_and_of_an_unknown_message_nobodys() -> None:
    gone = dispatch("MESSAGE_DELETE", {"id": "900", "channel_id": DM})
    event = last(said("900", "x"), gone)
    assert (event.kind, event.message_id, event.sender.user_id) == (InboundKind.DELETE, "900", ANNA)
    assert reasons(gone) == ["unknown_author"]
    several = dispatch("MESSAGE_DELETE_BULK", {"ids": ["900", "901"], "channel_id": DM})
    assert reasons(said("900", "x"), several) == [None, None, "unknown_author"]


def test_a_slash_command_is_said_as_its_text() -> None:
    event = last(interaction(2, {"name": "ask", "type": 1, "options": [{"name": "text", "type": 3, "value": "deep"}]}))
    assert (event.kind, event.content, event.addressed) == (InboundKind.COMMAND, "/ask deep", True)
    assert (event.event_key, event.sender.roles, event.shared) == ("890000000000000002", ("r1",), True)


def test_a_press_is_the_token_of_its_choice_on_its_card() -> None:
    card = {"message": {"id": "77"}}
    event = last(interaction(3, {"custom_id": "tok-1", "component_type": 2}, **card))
    assert (event.kind, event.content, event.message_id) == (InboundKind.BUTTON, "tok-1", "77")
    assert last(interaction(3, {"custom_id": "choose", "values": ["tok-2"]}, **card)).content == "tok-2"
    assert isinstance(seen(interaction(3, {"custom_id": "write"}, **card))[0].event, Dropped)


def test_a_form_is_a_message_in_reply_to_its_card() -> None:
    field = {"type": 1, "components": [{"type": 4, "custom_id": "words", "value": "four, please"}]}
    event = last(interaction(5, {"custom_id": "write", "components": [field]}, message={"id": "77"}))
    assert (event.kind, event.content, event.reply_to) == (InboundKind.MESSAGE, "four, please", "77")


def test_an_interaction_says_itself_that_it_happened_in_a_thread() -> None:
    place = {"id": THREAD, "type": 11, "parent_id": ROOM, "name": "t"}
    event = last(interaction(2, {"name": "stop", "type": 1}, channel_id=THREAD, channel=place))
    assert (event.chat.chat_id, event.chat.thread_id) == (ROOM, THREAD)


@pytest.mark.parametrize("raw", [b"", b"\xff\xfe", b"[[[", b"7", b'"x"', b"null", b"[1, null]", b'{"t": 7, "d": 8}'])
def test_what_is_no_event_is_dropped_with_a_reason(raw: bytes) -> None:
    found = read_file(raw, None, bots=False)
    assert found
    assert all(isinstance(one.event, Dropped) and one.event.reason for one in found)


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
EVENTS = st.sampled_from(
    (
        *("MESSAGE_CREATE", "MESSAGE_UPDATE", "MESSAGE_DELETE", "MESSAGE_DELETE_BULK", "INTERACTION_CREATE"),
        *("READY", "GUILD_CREATE", "THREAD_CREATE", "THREAD_LIST_SYNC", "GUILD_ROLE_CREATE", "TYPING_START"),
    )
)


@settings(max_examples=300, deadline=None)
@given(event=EVENTS, broken=st.dictionaries(st.sampled_from(sorted({*message("1"), *interaction(2, {})})), ANYTHING))
def test_no_event_is_ever_an_error(event: str, broken: dict[str, object]) -> None:
    for whole in (message("900", "x", where=ROOM), interaction(5, {"components": []}), {"id": GUILD, "roles": []}):
        for found in read_file(json.dumps(dispatch(event, {**whole, **broken})).encode(), SELF, bots=True):
            assert isinstance(found.event, Inbound | Dropped)
