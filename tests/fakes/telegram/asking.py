"""What a bot asks about, and what it answers to presses of buttons."""

import json
from collections.abc import Callable, Mapping

from tests.fakes.telegram.calls import Call
from tests.fakes.telegram.refused import bad
from tests.fakes.telegram.world import BOT
from tests.fakes.wire import Json, objects_at, text_at

MOST_DOWNLOAD = 20 * 1024 * 1024
MOST_COMMANDS = 100
ANSWER_WITHIN_S = 900


def get_me(call: Call) -> Json:
    """The bot."""
    more: Json = {"can_join_groups": True, "can_read_all_group_messages": not call.world.privacy}
    return call.world.people[BOT].body() | more | {"supports_inline_queries": False}


def get_chat(call: Call) -> Json:
    """One chat."""
    found = call.world.chat(call.text("chat_id"))
    return {**found.body(), "accent_color_id": 1, "max_reaction_count": 11, "accepted_gift_types": {}}


def get_member(call: Call) -> Json:
    """What somebody is in a chat."""
    chat = call.world.chat(call.text("chat_id"))
    person = call.world.people.get(call.number("user_id"))
    if person is None:
        raise bad("PARTICIPANT_ID_INVALID")
    return {"user": person.body(), "status": chat.members.get(person.id, "left")}


def get_admins(call: Call) -> list[Json]:
    """Who rules a group."""
    chat = call.world.chat(call.text("chat_id"))
    if chat.kind == "private":
        raise bad("there are no administrators in the private chat")
    rulers = {user: what for user, what in chat.members.items() if what in ("creator", "administrator")}
    return [{"user": call.world.people[user].body(), "status": what} for user, what in rulers.items()]


def get_file(call: Call) -> Json:
    """Where its bytes lie; files over 20 MB cannot be read by bots."""
    file = call.world.files.get(call.text("file_id"))
    if file is None:
        raise bad("wrong file_id or the file is temporarily unavailable")
    if len(file.data) > MOST_DOWNLOAD:
        raise bad("file is too big")
    return {**file.body(), "file_path": file.path}


def answer_query(call: Call) -> bool:
    """The end of a button's waiting; once, and within a quarter of an hour."""
    query = call.world.queries.pop(call.text("callback_query_id"), None)
    asked = query.get("asked_at") if query else None
    if query is None or (isinstance(asked, float) and call.world.now() - asked > ANSWER_WITHIN_S):
        raise bad("query is too old and response timeout expired or query ID is invalid")
    call.world.accept(call.method, call.world.chats[int(text_at(query, "chat"))], {"text": call.text("text")})
    return True


def set_commands(call: Call) -> bool:
    """The menu, for one scope and language."""
    commands = objects_at({"c": call.json("commands")}, "c")
    if len(commands) > MOST_COMMANDS:
        raise bad("too many commands specified")
    for one in commands:
        name = text_at(one, "command")
        if not (0 < len(name) <= 32 and name.replace("_", "a").isalnum() and name == name.lower()):
            raise bad("BOT_COMMAND_INVALID")
        if not 1 <= len(text_at(one, "description")) <= 256:
            raise bad("BOT_COMMAND_DESCRIPTION_INVALID")
    call.world.commands[_scope(call)] = commands
    return True


def get_commands(call: Call) -> list[Json]:
    """The menu of one scope and language."""
    return call.world.commands.get(_scope(call), [])


def create_topic(call: Call) -> Json:
    """A new topic of a forum."""
    chat = call.chat()
    if not chat.forum:
        raise bad("the chat is not a forum")
    message = call.world.new_message(chat, BOT, forum_topic_created={"name": call.text("name"), "icon_color": 1})
    thread = int(text_at(message, "message_id"))
    chat.topics[thread] = call.text("name")
    return {"message_thread_id": thread, "name": call.text("name"), "icon_color": 7322096}


def _scope(call: Call) -> str:
    scope = call.json("scope") or {"type": "default"}
    return f"{json.dumps(scope, sort_keys=True)} {call.text('language_code')}".strip()


METHODS: Mapping[str, Callable[[Call], object]] = {
    "getme": get_me,
    "getchat": get_chat,
    "getchatmember": get_member,
    "getchatadministrators": get_admins,
    "getfile": get_file,
    "answercallbackquery": answer_query,
    "setmycommands": set_commands,
    "getmycommands": get_commands,
    "createforumtopic": create_topic,
}
