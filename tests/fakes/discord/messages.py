"""Routes of messages: create, read, change, delete, reactions, typing."""

from collections.abc import Mapping, Sequence
from urllib.parse import unquote

from tests.fakes.discord.calls import Answer, Call, Route
from tests.fakes.discord.compose import check, composed, enforced
from tests.fakes.discord.refused import Refused, invalid_form, unknown
from tests.fakes.discord.world import BOT, iso
from tests.fakes.wire import Json, at, number_at, objects_at, text_at

CHANGEABLE = ("content", "embeds", "components", "flags")


async def create(call: Call) -> Answer:
    """One message; with a nonce that was enforced some minutes ago the first one again, and nothing new."""
    channel = call.ids["channel"]
    place = call.world.place(channel, to="send")
    check(call.body, call.files)
    nonce = enforced(call.body)
    repeated = call.world.repeated(nonce) if nonce else None
    if repeated is not None:
        return repeated
    message = composed(call.world, channel, BOT, call.body, base=call.base, files=call.files)
    place.messages[text_at(message, "id")] = message
    place.data["last_message_id"] = message["id"]
    call.world.accept("create", message, nonce=nonce)
    await call.tell("MESSAGE_CREATE", message)
    return message


async def history(call: Call) -> Answer:
    """Newest first; one of after, before, around; at most 100."""
    place = call.world.place(call.ids["channel"], to="history")
    limit = number_at(call.query, "limit", default=50)
    if limit not in range(1, 101):
        raise invalid_form("limit", "NUMBER_TYPE_MAX", "int value should be less than or equal to 100.")
    every = sorted(place.messages.values(), key=lambda one: number_at(one, "id"))
    return [_stored(call.world.seen(one)) for one in reversed(_page(every, call.query, limit))]


def _stored(message: Json) -> Json:
    """Without what only the gateway says of a message, and without its nonce, which is nowhere kept."""
    return {key: value for key, value in message.items() if key not in ("guild_id", "member", "nonce")}


def _page(every: Sequence[Json], query: Mapping[str, str], limit: int) -> Sequence[Json]:
    """Oldest first."""
    bound = int(query.get("after") or query.get("around") or query.get("before") or 1 << 63)
    older = [one for one in every if number_at(one, "id") < bound]
    if "after" in query:
        return [one for one in every if number_at(one, "id") > bound][:limit]
    if "around" in query:
        return every[max(0, len(older) - limit // 2) :][:limit]
    return older[-limit:]


async def get(call: Call) -> Answer:
    """One message."""
    return _stored(call.world.seen(call.world.message(call.ids["channel"], call.ids["message"])))


async def edit(call: Call) -> Answer:
    """Only our own."""
    message = call.world.message(call.ids["channel"], call.ids["message"])
    if text_at(message, "author", "id") != BOT:
        raise Refused(403, 50005, "Cannot edit a message authored by another user")
    check(call.body, call.files)
    changed(call, message)
    call.world.accept("edit", message)
    await call.tell("MESSAGE_UPDATE", message)
    return message


def changed(call: Call, message: Json) -> None:
    """Puts what the body says into a message that stands."""
    body = call.body if isinstance(call.body, dict) else {}
    message |= {key: value if value is not None else "" for key, value in body.items() if key in CHANGEABLE}
    message["edited_timestamp"] = iso(call.world.now())
    if call.files:
        more = composed(call.world, call.ids["channel"], BOT, call.body, base=call.base, files=call.files)
        message["attachments"] = objects_at(message, "attachments") + objects_at(more, "attachments")


async def delete(call: Call) -> Answer:
    """Our own; another's needs a right that the app has not."""
    message = call.world.message(call.ids["channel"], call.ids["message"])
    if text_at(message, "author", "id") != BOT:
        raise Refused(403, 50013, "Missing Permissions")
    del call.world.places[call.ids["channel"]].messages[call.ids["message"]]
    call.world.accept("delete", message)
    gone: Json = {"id": message["id"], "channel_id": message["channel_id"]}
    guild: Json = {"guild_id": message["guild_id"]} if "guild_id" in message else {}
    await call.tell("MESSAGE_DELETE", gone | guild)
    return None


async def typing(call: Call) -> Answer:
    """Ten seconds of dots."""
    call.world.place(call.ids["channel"], to="send")
    return None


async def react(call: Call) -> Answer:
    """Put there once, however often."""
    call.world.place(call.ids["channel"], to="react")
    message = call.world.message(call.ids["channel"], call.ids["message"])
    name = unquote(call.ids["emoji"])
    if name.isascii():
        raise unknown("Emoji")
    signs = objects_at(message, "reactions")
    if not any(at(one, "emoji", "name") == name and one["me"] for one in signs):
        signs.append({"emoji": {"id": None, "name": name}, "count": 1, "me": True})
        message["reactions"] = signs
    return None


async def unreact(call: Call) -> Answer:
    """Gone, also when it was not there."""
    message = call.world.message(call.ids["channel"], call.ids["message"])
    name = unquote(call.ids["emoji"])
    message["reactions"] = [one for one in objects_at(message, "reactions") if at(one, "emoji", "name") != name]
    return None


MESSAGE = "/channels/{channel}/messages/{message}"
ROUTES: Mapping[tuple[str, str], Route] = {
    ("POST", "/channels/{channel}/messages"): create,
    ("GET", "/channels/{channel}/messages"): history,
    ("GET", MESSAGE): get,
    ("PATCH", MESSAGE): edit,
    ("DELETE", MESSAGE): delete,
    ("POST", "/channels/{channel}/typing"): typing,
    ("PUT", f"{MESSAGE}/reactions/{{emoji}}/@me"): react,
    ("DELETE", f"{MESSAGE}/reactions/{{emoji}}/@me"): unreact,
}
