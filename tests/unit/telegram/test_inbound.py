"""What updates mean."""

import pytest

from channels.telegram.inbound import Surroundings, joined, migration
from channels.telegram.people import Me
from core.domain.chat import ChatKey, SenderKind
from core.domain.message import Attachment, Inbound, InboundKind
from tests.unit.telegram.updates import (
    ANNA,
    ANONYMOUS,
    BEN,
    BOT,
    FORUM,
    GROUP,
    ME,
    NEWS,
    PRIVATE,
    Json,
    dropped,
    entity,
    message,
    photo,
    said,
    took,
    update,
)

ASKS_US = "@helper_bot what is this?"


def in_group(text: str, **more: object) -> Json:
    return update(message(text, chat=GROUP, **more))


def test_a_private_message_arrives_whole() -> None:
    event = said(update(message("hello\n**there**"), number=77))
    assert event.chat == ChatKey(channel="telegram", account="700", chat_id="11")
    assert (event.sender.user_id, event.sender.name, event.sender.kind) == ("11", "Anna K", SenderKind.PERSON)
    assert (event.content, event.at, event.message_id) == ("hello\n**there**", 1_767_225_600_000, "5")
    assert (event.event_key, event.addressed, event.shared, event.place) == ("77.11.5", True, False, None)


@pytest.mark.parametrize(
    ("text", "more", "addressed"),
    [
        (ASKS_US, {"entities": entity(ASKS_US, "mention", "@helper_bot")}, True),
        ("@Helper_Bot hi", {"entities": entity("@Helper_Bot hi", "mention", "@Helper_Bot")}, True),
        ("👩‍👩‍👧 @helper_bot hi", {"entities": entity("👩‍👩‍👧 @helper_bot hi", "mention", "@helper_bot")}, True),
        ("Helper, hi", {"entities": entity("Helper, hi", "text_mention", "Helper", user=BOT)}, True),
        ("Ben, hi", {"entities": entity("Ben, hi", "text_mention", "Ben", user=BEN)}, False),
        ("/status", {}, True),
        ("and now?", {"reply_to_message": message("It rains.", by=BOT, chat=GROUP, number=3)}, True),
        ("and now?", {"reply_to_message": message("It rains.", by=BEN, chat=GROUP, number=3)}, False),
        ("use @helper_bot so", {"entities": entity("use @helper_bot so", "code", "@helper_bot")}, False),
        ("http://x/@helper_bot", {"entities": entity("http://x/@helper_bot", "url", "http://x/@helper_bot")}, False),
        ("helper_bot does nothing", {}, False),
    ],
)
def test_a_group_speaks_to_us_by_entity_command_or_reply_only(text: str, more: Json, addressed: bool) -> None:
    event = said(in_group(text, **more))
    assert (event.addressed, event.shared, event.place) == (addressed, True, "-1001")


def test_without_our_name_nobody_knows_whom_a_group_speaks_to() -> None:
    assert said(in_group("hello"), Surroundings(me=Me())).addressed is None


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("/stop@Helper_Bot now please", "/stop now please"),
        ("/stop", "/stop"),
        ("//stop@helper_bot", "//stop@helper_bot"),
    ],
)
def test_our_own_name_behind_a_command_is_taken_off(text: str, content: str) -> None:
    assert said(in_group(text)).content == content


def test_a_command_for_another_bot_starts_nothing() -> None:
    assert dropped(in_group("/stop@other_bot")) == "noise"


def test_our_own_name_in_front_is_taken_off_and_stays_elsewhere() -> None:
    assert said(in_group(ASKS_US, entities=entity(ASKS_US, "mention", "@helper_bot"))).content == "what is this?"
    inside = "tell @helper_bot that"
    assert said(in_group(inside, entities=entity(inside, "mention", "@helper_bot"))).content == inside


def test_a_caption_is_read_like_a_text() -> None:
    body = message(
        chat=GROUP, caption=ASKS_US, caption_entities=entity(ASKS_US, "mention", "@helper_bot"), **photo("p")
    )
    event = said(update(body))
    assert (event.addressed, event.content, len(event.attachments)) == (True, "what is this?", 1)


def test_a_number_of_a_thread_is_a_topic_only_where_the_message_says_so() -> None:
    in_general = message("and now?", chat=FORUM, message_thread_id=17)
    assert said(update(in_general)).chat.thread_id is None
    assert said(update(in_general | {"is_topic_message": True})).chat.thread_id == "17"
    private = message("a letter", message_thread_id=9, is_topic_message=True)
    assert said(update(private)).chat.thread_id == "9"


def test_the_message_that_opened_a_topic_is_no_quotation_and_no_reply() -> None:
    opened = message(by=BOT, chat=FORUM, number=17, forum_topic_created={"name": "Pumps"})
    event = said(
        update(message("hi", chat=FORUM, message_thread_id=17, is_topic_message=True, reply_to_message=opened))
    )
    assert (event.content, event.reply_to, event.addressed) == ("hi", None, False)


@pytest.mark.parametrize(
    ("more", "content"),
    [
        ({"reply_to_message": message("How many?", by=BOT, number=3)}, "four"),
        ({"reply_to_message": message("How many?", by=BEN, number=3)}, "> How many?\n\nfour"),
        ({"reply_to_message": message("a b", by=BOT, number=3), "quote": {"text": "b"}}, "> b\n\nfour"),
        ({"external_reply": message("far away", by=BEN)}, "> far away\n\nfour"),
        ({"reply_to_message": message(by=BEN, number=3, dice={"emoji": "🎲", "value": 4})}, "> [dice: 🎲 4]\n\nfour"),
        ({"reply_to_message": message("x" * 900, by=BEN, number=3)}, f"> {'x' * 500}...\n\nfour"),
    ],
)
def test_what_a_message_refers_to_is_quoted_unless_the_conversation_holds_it(more: Json, content: str) -> None:
    event = said(update(message("four", **more)))
    assert event.content == content
    assert event.reply_to == (None if "external_reply" in more else "3")


def test_a_command_is_never_hidden_behind_a_quotation() -> None:
    assert said(update(message("/stop", reply_to_message=message("x", by=BEN, number=3)))).content == "/stop"


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"location": {"latitude": 52.5, "longitude": 13.4}}, "[location: 52.5, 13.4]"),
        (
            {
                "venue": {"title": "Hall 3", "address": "Ring 1", "location": {"latitude": 1, "longitude": 2}},
                "location": {"latitude": 1, "longitude": 2},
            },
            "[venue: Hall 3 Ring 1, 1, 2]",
        ),
        ({"contact": {"first_name": "Ben", "phone_number": "+49 1"}}, "[contact: Ben, +49 1]"),
        ({"poll": {"question": "Which?", "options": [{"text": "A"}, {"text": "B"}]}}, "[poll: Which? A / B]"),
        ({"dice": {"emoji": "🎲", "value": 4}}, "[dice: 🎲 4]"),
        ({"sticker": {"emoji": "😀", "file_id": "s"}}, "[sticker: 😀]"),
    ],
)
def test_what_has_no_words_is_told_in_a_line(more: Json, words: str) -> None:
    assert said(update(message(**more))).content == words


@pytest.mark.parametrize(
    ("more", "name", "media_type", "size"),
    [
        (photo("p1"), "photo-5.jpg", "image/jpeg", 80_000),
        ({"document": {"file_id": "d", "file_name": "a.pdf", "mime_type": "text/x"}}, "a.pdf", "text/x", 0),
        ({"voice": {"file_id": "v", "mime_type": "audio/ogg", "file_size": 7}}, "voice-5.ogg", "audio/ogg", 7),
        ({"video_note": {"file_id": "n"}}, "video_note-5.mp4", "video/mp4", 0),
        ({"audio": {"file_id": "a", "mime_type": "audio/mpeg"}}, "audio-5.mp3", "audio/mpeg", 0),
    ],
)
def test_files_come_with_name_type_and_size(more: Json, name: str, media_type: str, size: int) -> None:
    found = took(update(message(caption="look", **more)))
    assert isinstance(found.event, Inbound)
    assert found.event.attachments == (Attachment(name=name, media_type=media_type, size=size, caption="look"),)
    assert found.event.content == "look"
    assert found.files[0].file_id


def test_the_largest_size_of_a_photo_is_taken() -> None:
    assert took(update(message(**photo("big")))).files[0].file_id == "big"


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (update(message("mine", by=BOT)), "own"),
        (update(message("beep", by={"id": 9, "is_bot": True, "first_name": "Other"})), "bot"),
        (update(message("post", chat=GROUP, sender_chat=NEWS, is_automatic_forward=True)), "automatic"),
        (update(message(chat=GROUP, new_chat_members=[ANNA])), "noise"),
        (update({}, "poll_answer"), "unsupported"),
        (update({}, "callback_query"), "malformed"),
        (update({"message_id": 5}), "malformed"),
        (update({"message_id": "5", "chat": PRIVATE, "from": ANNA, "text": "x"}), "malformed"),
        ({"message": message("no number")}, "malformed"),
        ([], "malformed"),
        (None, "malformed"),
        ("x", "malformed"),
    ],
)
def test_what_starts_nothing_says_why(given: object, reason: str) -> None:
    assert dropped(given) == reason


def test_other_bots_are_heard_where_the_operator_wants_it() -> None:
    event = said(
        update(message("beep", by={"id": 9, "is_bot": True, "first_name": "Other"})), Surroundings(me=ME, bots=True)
    )
    assert event.sender.kind is SenderKind.BOT


@pytest.mark.parametrize(
    ("given", "chat_behind"),
    [
        (update(message("delete it", by=ANONYMOUS, chat=GROUP, sender_chat=GROUP)), "-1001"),
        (update(message("as my channel", chat=GROUP, sender_chat=NEWS)), "-1003"),
        (update(message("News", by=None, chat=NEWS, sender_chat=NEWS), "channel_post"), "-1003"),
    ],
)
def test_whoever_writes_in_the_name_of_a_chat_is_no_person(given: Json, chat_behind: str) -> None:
    sender = said(given).sender
    assert (sender.kind, sender.user_id) == (SenderKind.SYSTEM, chat_behind)


def test_a_forwarded_message_is_by_whoever_forwarded_it() -> None:
    origin = {"type": "user", "sender_user": BEN, "date": 1}
    assert said(update(message("stop it", forward_origin=origin))).sender.user_id == "11"


def test_an_edit_names_its_message_and_is_never_a_command() -> None:
    body = message("/stop", edit_date=1_767_225_700)
    event = said(update(body, "edited_message", number=9))
    assert (event.kind, event.message_id, event.at) == (InboundKind.EDIT, "5", 1_767_225_700_000)
    assert event.event_key == "9.11.5"


def pressed(body: Json | None, **more: object) -> Json:
    query: Json = {"id": "cb1", "from": BEN, "chat_instance": "1", "data": "tok"}
    return update(query | ({"message": body} if body else {}) | more, "callback_query", number=4)


def test_a_button_is_pressed_in_the_chat_of_its_message_by_whoever_pressed_it() -> None:
    card = message("Which?", by=BOT, chat=FORUM, number=8, message_thread_id=17, is_topic_message=True)
    event = said(pressed(card), Surroundings(me=ME, admins=frozenset({"12"})))
    assert (event.kind, event.content, event.message_id) == (InboundKind.BUTTON, "tok", "8")
    assert (event.sender.user_id, event.admin, event.chat.thread_id) == ("12", True, "17")
    assert event.event_key == "4.cb1"


def test_a_button_of_a_message_that_is_too_old_still_has_its_chat() -> None:
    event = said(pressed({"chat": GROUP, "message_id": 4, "date": 0}))
    assert (event.chat.chat_id, event.message_id) == ("-1001", "4")


def test_a_button_without_a_chat_or_without_data_starts_nothing() -> None:
    assert dropped(pressed(None)) == "unsupported"
    assert dropped(pressed(message("x", by=BOT), data=None)) == "unsupported"


def album(*pieces: tuple[int, str], chat: Json = PRIVATE) -> list[Json]:
    return [
        update(
            message(chat=chat, number=number, media_group_id="g1", **photo(f"p{number}"))
            | ({"caption": caption} if caption else {}),
            number=100 + number,
        )
        for number, caption in pieces
    ]


def test_an_album_is_one_message_in_the_order_of_the_chat() -> None:
    whole = joined([took(one) for one in album((52, ""), (51, "before"), (53, "after"))])
    assert isinstance(whole.event, Inbound)
    assert whole.event.content == "(1) before\n(3) after"
    assert [one.caption for one in whole.event.attachments] == ["before", "", "after"]
    assert [one.file_id for one in whole.files] == ["p51", "p52", "p53"]
    assert (whole.event.event_key, whole.event.twins) == ("151.11.51", ("152.11.52", "153.11.53"))


def test_the_only_caption_of_an_album_is_its_text() -> None:
    whole = joined([took(one) for one in album((51, ""), (52, "both"))])
    assert isinstance(whole.event, Inbound)
    assert whole.event.content == "both"


def test_albums_of_two_chats_are_two() -> None:
    here, there = took(album((51, ""))[0]), took(album((51, ""), chat=GROUP)[0])
    assert here.album != there.album != ""


@pytest.mark.parametrize(
    "body",
    [
        message(chat={"id": -4, "type": "group"}, migrate_to_chat_id=-1009),
        message(chat={"id": -1009, "type": "supergroup"}, migrate_from_chat_id=-4),
    ],
)
def test_a_group_that_moves_says_so_in_both_places(body: Json) -> None:
    assert migration(update(body)) == ("-4", "-1009")
    assert dropped(update(body)) == "noise"


def test_the_conversation_of_a_group_that_moved_keeps_its_name() -> None:
    event = said(
        update(message("hi", chat={"id": -1009, "type": "supergroup"})), Surroundings(me=ME, moved={"-1009": "-4"})
    )
    assert (event.chat.chat_id, event.place) == ("-4", "-4")
