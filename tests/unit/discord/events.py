"""Raw dispatches as Discord sends them."""

from tests.fakes.wire import Json

ME, ROLE = "800000000000000001", "810000000000000009"
ANNA, BEN = "820000000000000001", "820000000000000002"
GUILD, ROOM, FORUM, THREAD, DM = (f"8{digit}0000000000000001" for digit in "34569")
SELF: Json = {"id": ME, "username": "helper", "managed_role_id": ROLE}


def user(user_id: str = ANNA, name: str = "anna_k", **more: object) -> Json:
    """A person, or with bot=True none."""
    return {"id": user_id, "username": name, "global_name": name.split("_")[0].title(), "bot": False, **more}


def message(message_id: str, content: str = "", *, where: str = DM, **more: object) -> Json:
    """A message by Anna."""
    body: Json = {"id": message_id, "type": 0, "channel_id": where, "author": user(), "content": content}
    body |= {"timestamp": "2026-10-09T08:53:20.000000+00:00", "edited_timestamp": None, "mention_everyone": False}
    body |= {"mentions": [], "mention_roles": [], "attachments": [], "embeds": [], "pinned": False, "flags": 0}
    return body | ({"guild_id": GUILD} if where != DM else {}) | more


def dispatch(event: str, told: Json) -> Json:
    """The frame around it."""
    return {"op": 0, "t": event, "s": 7, "d": told}


def said(message_id: str, content: str = "", **more: object) -> Json:
    """The dispatch of a message; `where` and other fields as `message` takes them."""
    where = more.pop("where", DM)
    assert isinstance(where, str)
    return dispatch("MESSAGE_CREATE", message(message_id, content, where=where, **more))


def thread(thread_id: str = THREAD, parent: str = ROOM, **more: object) -> Json:
    """The dispatch of a new thread."""
    told: Json = {"id": thread_id, "type": 11, "guild_id": GUILD, "parent_id": parent, "name": "count parts"}
    return dispatch("THREAD_CREATE", told | more)


def interaction(kind: int, data: Json, **more: object) -> Json:
    """A command (2), a press (3) or a form (5) by Anna in the room."""
    told: Json = {"id": "890000000000000002", "application_id": ME, "type": kind, "token": "itok-fake", "version": 1}
    told |= {"guild_id": GUILD, "channel_id": ROOM, "data": data}
    return told | {"member": {"user": user(), "roles": ["r1"], "permissions": "0"}} | more
