"""What an app asks about: itself, people, conversations and their history; and the signs that it puts on messages."""

from collections.abc import Callable, Mapping

from tests.fakes.slack.calls import Call, paged
from tests.fakes.slack.refused import Refused
from tests.fakes.slack.world import BOT, BOT_ID, TEAM, Conversation
from tests.fakes.wire import Json, flag_at, objects_at, text_at

FAMILY: Mapping[str, str] = {"channel": "channels", "group": "groups", "im": "im", "mpim": "mpim"}
TYPES: Mapping[str, str] = {"channel": "public_channel", "group": "private_channel", "im": "im", "mpim": "mpim"}


def auth_test(call: Call) -> Json:
    """Who the token speaks for."""
    return {
        "url": "https://team.slack.test/",
        "team": "team",
        "user": call.world.people[BOT].name,
        "team_id": TEAM,
        "user_id": BOT,
        "bot_id": BOT_ID,
        "is_enterprise_install": False,
    }


def history(call: Call) -> Json:
    """Root messages and broadcasts, newest first."""
    place = _readable(call)
    roots = [one for one in place.messages.values() if _is_root(one)]
    page = _page(call, list(reversed(_between(call, roots))))
    return page | {"messages": [one | _answered(place, one) for one in objects_at(page, "messages")]}


def replies(call: Call) -> Json:
    """A thread: its root, then the replies, oldest first."""
    place = _readable(call)
    thread = place.thread(call.text("ts"))
    if not thread:
        raise Refused("thread_not_found")
    root, *rest = thread
    return _page(call, [root, *_between(call, rest)])


def info(call: Call) -> Json:
    """One conversation."""
    place = call.world.place(call.text("channel"))
    call.world.need(f"{FAMILY[place.kind]}:read")
    return {"channel": place.body()}


def listed(call: Call) -> Json:
    """The conversations that the app can see."""
    wanted = (call.text("types") or "public_channel").split(",")
    places = [one for one in call.world.conversations.values() if TYPES[one.kind] in wanted]
    page, cursor = paged([one.body() for one in places if one.kind == "channel" or BOT in one.members], call)
    return {"channels": page, "response_metadata": {"next_cursor": cursor}}


def mine(call: Call) -> Json:
    """The conversations that the app is in."""
    wanted = (call.text("types") or "public_channel").split(",")
    for kind, name in TYPES.items():
        if name in wanted:
            call.world.need(f"{FAMILY[kind]}:read")
    places = [one for one in call.world.conversations.values() if TYPES[one.kind] in wanted and BOT in one.members]
    page, cursor = paged([one.body() for one in places], call)
    return {"channels": page, "response_metadata": {"next_cursor": cursor}}


def opened(call: Call) -> Json:
    """The DM with somebody, or with several."""
    users = call.text("users").split(",")
    call.world.need("im:write" if len(users) == 1 else "mpim:write")
    if any(user not in call.world.people for user in users):
        raise Refused("user_not_found")
    members = {*users, BOT}
    for place in call.world.conversations.values():
        if place.kind in ("im", "mpim") and place.members == members:
            return {"channel": {"id": place.id}, "already_open": True}
    new = call.world.next_id("D" if len(users) == 1 else "G")
    call.world.conversation(new, *users, kind="im" if len(users) == 1 else "mpim")
    return {"channel": {"id": new}}


def user_info(call: Call) -> Json:
    """One person."""
    call.world.need("users:read")
    person = call.world.people.get(call.text("user"))
    if person is None:
        raise Refused("user_not_found")
    return {"user": person.body()}


def add_reaction(call: Call) -> Json:
    """One sign of the app on a message."""
    call.world.need("reactions:write")
    message = call.world.message(call.text("channel"), call.text("timestamp"))
    signs = objects_at(message, "reactions")
    mine = [one for one in signs if one["name"] == call.text("name") and BOT in str(one["users"])]
    if mine:
        raise Refused("already_reacted")
    message["reactions"] = [*signs, {"name": call.text("name"), "users": [BOT], "count": 1}]
    return {}


def remove_reaction(call: Call) -> Json:
    """The sign goes."""
    call.world.need("reactions:write")
    message = call.world.message(call.text("channel"), call.text("timestamp"))
    signs = objects_at(message, "reactions")
    rest = [one for one in signs if not (one["name"] == call.text("name") and BOT in str(one["users"]))]
    if len(rest) == len(signs):
        raise Refused("no_reaction")
    message["reactions"] = rest
    return {}


def set_status(call: Call) -> Json:
    """The line under an assistant's thread; an empty one takes it away."""
    call.world.need("assistant:write", "chat:write")
    place = call.world.place(call.text("channel_id"))
    message: Json = {"ts": "", "thread_ts": call.text("thread_ts"), "text": call.text("status")}
    call.world.accept(call.method, place.id, message)
    return {}


def _readable(call: Call) -> Conversation:
    place = call.world.place(call.text("channel"))
    call.world.need(f"{FAMILY[place.kind]}:history")
    if BOT not in place.members:
        raise Refused("not_in_channel")
    return place


def _answered(place: Conversation, root: Json) -> Json:
    """What the root of a thread says of it."""
    answers = [one for one in place.thread(text_at(root, "ts")) if one["ts"] != root["ts"]]
    if not answers or text_at(root, "thread_ts") not in ("", root["ts"]):
        return {}
    return {"thread_ts": root["ts"], "reply_count": len(answers), "latest_reply": answers[-1]["ts"]}


def _is_root(message: Json) -> bool:
    root = text_at(message, "thread_ts")
    return not root or root == message["ts"] or message.get("subtype") == "thread_broadcast"


def _between(call: Call, messages: list[Json]) -> list[Json]:
    oldest, latest = call.text("oldest") or "0", call.text("latest") or "9" * 12
    inclusive = flag_at(call.args, "inclusive")

    def inside(message: Json) -> bool:
        ts = float(text_at(message, "ts"))
        return float(oldest) < ts < float(latest) or (inclusive and ts in (float(oldest), float(latest)))

    return [one for one in messages if inside(one)]


def _page(call: Call, messages: list[Json]) -> Json:
    page, cursor = paged(messages, call, 999)
    hidden = {"client_msg_id"} if flag_at(call.args, "include_all_metadata") else {"client_msg_id", "metadata"}
    bodies = [{key: value for key, value in one.items() if key not in hidden} for one in page]
    return {"messages": bodies, "has_more": bool(cursor), "response_metadata": {"next_cursor": cursor}}


METHODS: Mapping[str, Callable[[Call], Json]] = {
    "auth.test": auth_test,
    "conversations.history": history,
    "conversations.replies": replies,
    "conversations.info": info,
    "conversations.list": listed,
    "users.conversations": mine,
    "conversations.open": opened,
    "users.info": user_info,
    "reactions.add": add_reaction,
    "reactions.remove": remove_reaction,
    "assistant.threads.setStatus": set_status,
}
