"""chat.*: what an app writes, changes, takes away and streams."""

from collections.abc import Callable, Mapping

from tests.fakes.slack.blocks import check_blocks
from tests.fakes.slack.calls import Call
from tests.fakes.slack.refused import Refused
from tests.fakes.slack.world import APP, BOT, BOT_ID, TEAM
from tests.fakes.wire import Json, flag_at, objects_at, text_at

MOST_TEXT = 40_000
MOST_CHANGED = 4_000
MOST_STREAMED = 12_000


def post_message(call: Call) -> Json:
    """A new message. A text over 40,000 characters is refused here where Slack may cut it: neither is wanted."""
    call.world.need("chat:write")
    place = call.world.writable(call.text("channel"))
    message = _content(call, MOST_TEXT)
    message |= {"type": "message", "user": BOT, "bot_id": BOT_ID, "app_id": APP, "team": TEAM}
    message["ts"] = call.world.next_ts()
    if root := call.text("thread_ts"):
        message["thread_ts"] = root
        if flag_at(call.args, "reply_broadcast"):
            message["subtype"] = "thread_broadcast"
    place.messages[text_at(message, "ts")] = message
    call.world.accept(call.method, place.id, message)
    return {"channel": place.id, "ts": message["ts"], "message": _public(message)}


def update(call: Call) -> Json:
    """A change of an own message. Blocks and metadata that are not given stay; an empty list takes the blocks away."""
    call.world.need("chat:write")
    message = _own(call, "cant_update_message")
    changed = _content(call, MOST_CHANGED)
    if call.json("blocks") == []:
        message.pop("blocks", None)
    message |= changed | {"edited": {"user": BOT, "ts": call.world.next_ts()}}
    call.world.accept(call.method, call.text("channel"), message)
    return {"channel": call.text("channel"), "ts": message["ts"], "text": message.get("text"), "message": message}


def delete(call: Call) -> Json:
    """An own message goes away."""
    call.world.need("chat:write")
    message = _own(call, "cant_delete_message")
    place = call.world.place(call.text("channel"))
    del place.messages[text_at(message, "ts")]
    call.world.accept(call.method, place.id, message)
    return {"channel": place.id, "ts": message["ts"]}


def post_ephemeral(call: Call) -> Json:
    """A message for one person, which no history keeps."""
    call.world.need("chat:write")
    place = call.world.writable(call.text("channel"))
    if call.text("user") not in place.members:
        raise Refused("user_not_in_channel")
    message = _content(call, MOST_TEXT) | {"ts": call.world.next_ts(), "to": call.text("user")}
    call.world.accept(call.method, place.id, message)
    return {"message_ts": message["ts"]}


def start_stream(call: Call) -> Json:
    """A message that grows. It lives in a thread, and outside DMs it is for somebody."""
    call.world.need("chat:write")
    place = call.world.writable(call.text("channel"))
    if not call.text("thread_ts"):
        raise Refused(
            "invalid_arguments", response_metadata={"messages": ["[ERROR] missing required field: thread_ts"]}
        )
    for name in ("recipient_user_id", "recipient_team_id"):
        if place.kind != "im" and not call.text(name):
            raise Refused(f"missing_{name}")
    message = _grown(call, {"type": "message", "user": BOT, "bot_id": BOT_ID, "app_id": APP, "text": ""})
    message |= {"ts": call.world.next_ts(), "thread_ts": call.text("thread_ts")}
    place.messages[text_at(message, "ts")] = message
    call.world.streaming.add((place.id, text_at(message, "ts")))
    call.world.accept(call.method, place.id, message)
    return {"channel": place.id, "ts": message["ts"]}


def append_stream(call: Call) -> Json:
    """More of it."""
    message = _grown(call, _streaming(call))
    call.world.accept(call.method, call.text("channel"), message)
    return {"channel": call.text("channel"), "ts": message["ts"]}


def stop_stream(call: Call) -> Json:
    """The rest of it; blocks and metadata come with the end."""
    message = _streaming(call)
    extra = {key: value for key in ("blocks", "metadata") if (value := call.json(key))}
    check_blocks(objects_at(extra, "blocks"))
    _grown(call, message).update(extra)
    call.world.streaming.discard((call.text("channel"), call.text("ts")))
    call.world.accept(call.method, call.text("channel"), message)
    return {"channel": call.text("channel"), "ts": message["ts"], "message": _public(message)}


def _content(call: Call, most: int) -> Json:
    """What a message says. Raises no_text, msg_too_long, invalid_blocks."""
    text = call.text("text") or call.text("markdown_text")
    if len(text) > most or len(call.text("markdown_text")) > MOST_STREAMED:
        raise Refused("msg_too_long")
    content: Json = {key: value for key in ("blocks", "attachments", "metadata") if (value := call.json(key))}
    if not text and not content.keys() & {"blocks", "attachments"}:
        raise Refused("no_text")
    _check(content)
    if client := call.text("client_msg_id"):
        content["client_msg_id"] = client
    return content | {"text": text}


def _check(content: Json) -> None:
    if not isinstance(content.get("blocks", []), list):
        raise Refused("invalid_blocks_format")
    check_blocks(objects_at(content, "blocks"))
    if "metadata" in content and not text_at(content, "metadata", "event_type"):
        raise Refused("invalid_metadata_format")


def _own(call: Call, refusal: str) -> Json:
    message = call.world.message(call.text("channel"), call.text("ts"))
    if text_at(message, "user") != BOT:
        raise Refused(refusal)
    return message


def _streaming(call: Call) -> Json:
    message = call.world.message(call.text("channel"), call.text("ts"))
    if (call.text("channel"), call.text("ts")) not in call.world.streaming:
        raise Refused("message_not_in_streaming_state")
    return message


def _grown(call: Call, message: Json) -> Json:
    more = call.text("markdown_text")
    if len(more) > MOST_STREAMED:
        raise Refused("msg_too_long")
    message["text"] = text_at(message, "text") + more
    return message


def _public(message: Json) -> Json:
    return {key: value for key, value in message.items() if key != "client_msg_id"}


METHODS: Mapping[str, Callable[[Call], Json]] = {
    "chat.postMessage": post_message,
    "chat.update": update,
    "chat.delete": delete,
    "chat.postEphemeral": post_ephemeral,
    "chat.startStream": start_stream,
    "chat.appendStream": append_stream,
    "chat.stopStream": stop_stream,
}
