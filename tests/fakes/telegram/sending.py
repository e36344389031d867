"""What a bot writes, changes and takes away."""

from collections.abc import Callable, Mapping

from tests.fakes.telegram.calls import Call
from tests.fakes.telegram.entities import Formatted, read, units
from tests.fakes.telegram.refused import bad
from tests.fakes.telegram.world import BOT, Chat
from tests.fakes.wire import Json, number_at, object_at, objects_at, text_at

MOST_TEXT = 4096
MOST_CAPTION = 1024
MOST_BUTTON_BYTES = 64
MOST_UPLOAD = 50 * 1024 * 1024
MOST_ALBUM = 10
SAME = (
    "message is not modified: specified new message content and reply markup are exactly the same as a current "
    "content and reply markup of the message"
)
REACTIONS = frozenset(
    "👍👎❤🔥🥰👏😁🤔🤯😱🤬😢🎉🤩🤮💩🙏👌🕊🤡🥱🥴😍🐳🌚🌭💯🤣⚡🍌🏆💔🤨😐🍓🍾💋🖕😈😴😭🤓👻👀🎃🙈😇😨🤝✍🤗🫡"
)


def send_message(call: Call) -> Json:
    """A new text."""
    chat = call.chat()
    shown = _text(call)
    return _sent(call, chat, {"text": shown.text, **_entities(shown, "entities")})


def edit_text(call: Call) -> Json:
    """Another text for an own message; the same one is an error."""
    return _edited(call, "text", _text(call), "entities")


def edit_caption(call: Call) -> Json:
    """Another caption for an own file."""
    return _edited(call, "caption", _caption(call), "caption_entities")


def edit_markup(call: Call) -> Json:
    """Other buttons, or none."""
    chat, message = _own(call)
    return _changed(call, chat, message, {})


def delete_message(call: Call) -> bool:
    """It goes away."""
    chat = call.chat()
    if chat.messages.pop(call.number("message_id"), None) is None:
        raise bad("message to delete not found")
    call.world.accept(call.method, chat, {"message_id": call.number("message_id")})
    return True


def send_file(call: Call) -> Json:
    """A document, photo, voice and so on, by upload or by id."""
    field = call.method.removeprefix("send").lower()
    chat = call.chat()
    return _sent(call, chat, _filed(call, field, field, _caption(call)))


def send_album(call: Call) -> list[Json]:
    """2 to 10 files, each a message of its own."""
    chat = call.chat()
    items = objects_at({"media": call.json("media")}, "media")
    if not 2 <= len(items) <= MOST_ALBUM:
        raise bad("expected from 2 to 10 media to send" if items else "there are no messages to send")
    group = str(call.world.count("album"))
    inner = [Call(method=call.method, args=item, world=call.world, uploads=call.uploads) for item in items]
    bodies = [_filed(one, text_at(one.args, "type"), "media", _caption(one)) for one in inner]
    return [_sent(call, chat, {**body, "media_group_id": group}) for body in bodies]


def send_draft(call: Call) -> bool:
    """A text that grows in a private chat and is no message."""
    chat = call.chat()
    if chat.kind != "private":
        raise bad("TEXTDRAFT_PEER_INVALID")
    if not call.number("draft_id"):
        raise bad("TEXTDRAFT_RANDOM_ID_INVALID")
    shown = _text(call)
    thread = call.number("message_thread_id")
    message: Json = {"text": shown.text, "draft_id": call.number("draft_id")}
    call.world.accept(call.method, chat, message | ({"message_thread_id": thread} if thread else {}))
    return True


def react(call: Call) -> bool:
    """The bot's one sign on a message; an empty list takes it away."""
    chat = call.chat()
    message = chat.messages.get(call.number("message_id"))
    if message is None:
        raise bad("message to react not found")
    signs = objects_at({"reaction": call.json("reaction")}, "reaction")
    if len(signs) > 1 or any(text_at(one, "emoji") not in REACTIONS for one in signs):
        raise bad("REACTION_INVALID" if len(signs) < 2 else "REACTIONS_TOO_MANY")
    message["reactions"] = {**object_at(message, "reactions"), str(BOT): [text_at(one, "emoji") for one in signs]}
    return True


def chat_action(call: Call) -> bool:
    """The sign of typing."""
    call.world.accept(call.method, call.chat(), {"text": call.text("action")})
    return True


def _text(call: Call) -> Formatted:
    shown = read(call.text("text"), call.text("parse_mode"), objects_at({"e": call.json("entities")}, "e"))
    if not shown.text:
        raise bad("message text is empty")
    if units(shown.text) > MOST_TEXT:
        raise bad("message is too long")
    return shown


def _caption(call: Call) -> Formatted:
    entities = objects_at({"e": call.json("caption_entities")}, "e")
    shown = read(call.text("caption"), call.text("parse_mode"), entities)
    if units(shown.text) > MOST_CAPTION:
        raise bad("message caption is too long")
    return shown


def _filed(call: Call, kind: str, name: str, caption: Formatted) -> Json:
    file = call.file(name)
    if len(file.data) > MOST_UPLOAD:
        raise bad("file is too big")
    body: Json = {kind: [{**file.body(), "width": 90, "height": 90}] if kind == "photo" else file.body()}
    return body | ({"caption": caption.text, **_entities(caption, "caption_entities")} if caption.text else {})


def _entities(shown: Formatted, name: str) -> Json:
    return {name: shown.entities} if shown.entities else {}


def _sent(call: Call, chat: Chat, content: Json) -> Json:
    message = call.world.new_message(chat, BOT, **content, **_thread(call, chat), **_reply(call, chat), **_markup(call))
    call.world.accept(call.method, chat, message)
    return message


def _thread(call: Call, chat: Chat) -> Json:
    thread = call.number("message_thread_id")
    if not thread:
        return {}
    if thread not in chat.topics:
        raise bad("message thread not found")
    if chat.topics[thread] == "closed":
        raise bad("TOPIC_CLOSED")
    return {"message_thread_id": thread, "is_topic_message": True}


def _reply(call: Call, chat: Chat) -> Json:
    parameters = object_at({"r": call.json("reply_parameters")}, "r")
    if not parameters:
        return {}
    found = chat.messages.get(number_at(parameters, "message_id"))
    if found is None:
        if parameters.get("allow_sending_without_reply"):
            return {}
        raise bad("message to be replied not found")
    return {"reply_to_message": dict(found)}


def _markup(call: Call) -> Json:
    markup = object_at({"m": call.json("reply_markup")}, "m")
    rows = markup.get("inline_keyboard")
    for row in rows if isinstance(rows, list) else []:
        for button in row:
            data = text_at(button, "callback_data")
            if not text_at(button, "text"):
                raise bad("can't parse inline keyboard button: Text buttons must have non-empty text")
            if len(data.encode()) > MOST_BUTTON_BYTES:
                raise bad("BUTTON_DATA_INVALID")
    return {"reply_markup": markup} if rows else {}


def _own(call: Call) -> tuple[Chat, Json]:
    chat = call.chat()
    message = chat.messages.get(call.number("message_id"))
    if message is None:
        raise bad("message to edit not found")
    if text_at(message, "from", "id") != str(BOT):
        raise bad("message can't be edited")
    return chat, message


def _edited(call: Call, field: str, shown: Formatted, entities: str) -> Json:
    chat, message = _own(call)
    if field == "text" and "text" not in message:
        raise bad("there is no text in the message to edit")
    return _changed(call, chat, message, {field: shown.text, **_entities(shown, entities)})


def _changed(call: Call, chat: Chat, message: Json, content: Json) -> Json:
    """Buttons that are not given go away, and so does the formatting of another text."""
    kept = {"reply_markup"} | ({"entities", "caption_entities"} if content else set())
    changed = {key: value for key, value in message.items() if key not in kept} | content | _markup(call)
    if {**changed, "edit_date": 0} == {**message, "edit_date": 0}:
        raise bad(SAME)
    message.clear()
    message |= changed | {"edit_date": int(call.world.now())}
    call.world.accept(call.method, chat, message)
    return message


METHODS: Mapping[str, Callable[[Call], object]] = {
    "sendmessage": send_message,
    "editmessagetext": edit_text,
    "editmessagecaption": edit_caption,
    "editmessagereplymarkup": edit_markup,
    "deletemessage": delete_message,
    "senddocument": send_file,
    "sendphoto": send_file,
    "sendaudio": send_file,
    "sendvideo": send_file,
    "sendvoice": send_file,
    "sendanimation": send_file,
    "sendmediagroup": send_album,
    "sendmessagedraft": send_draft,
    "setmessagereaction": react,
    "sendchataction": chat_action,
}
