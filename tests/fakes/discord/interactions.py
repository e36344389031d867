"""Interactions: the first answer within 3 s, everything else within 15 min; and the commands that people can choose."""

import re
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field

from tests.fakes.discord.calls import Answer, Call, Route
from tests.fakes.discord.compose import composed
from tests.fakes.discord.messages import changed
from tests.fakes.discord.refused import Refused, invalid_form, unknown
from tests.fakes.discord.world import APP, BOT
from tests.fakes.wire import Json, flag_at, number_at, object_at, objects_at, text_at

FIRST_ANSWER_S = 3.0
TOKEN_S = 900.0
MESSAGE, DEFERRED_MESSAGE, DEFERRED_UPDATE, UPDATE, FORM = 4, 5, 6, 7, 9
COMMAND_NAME = re.compile(r"^[-_\w]{1,32}$")


@dataclass(eq=False, slots=True)
class Interaction:
    """One press of a button or use of a command. `answer` is the type of the first answer, 0 for none yet.

    `original` is the message that @original names, "" while there is none.
    """

    id: str
    channel: str
    at: float
    source: str = ""
    token: str = field(default_factory=lambda: uuid.uuid4().hex)
    answer: int = 0
    original: str = ""
    private: bool = False


class Interactions:
    """All of them, by token."""

    def __init__(self) -> None:
        self.known: dict[str, Interaction] = {}

    def routes(self) -> Mapping[tuple[str, str], Route]:
        """What the app may call about them, without a bot's token."""
        message = "/webhooks/{app}/{token}/messages/{message}"
        return {
            ("POST", "/interactions/{interaction}/{token}/callback"): self.respond,
            ("POST", "/webhooks/{app}/{token}"): self.follow,
            ("GET", message): self.get,
            ("PATCH", message): self.edit,
            ("DELETE", message): self.delete,
        }

    async def respond(self, call: Call) -> Answer:
        """The first answer."""
        found = self._unanswered(call)
        kind, data = number_at(call.body, "type"), object_at(call.body, "data")
        if kind == MESSAGE:
            await self._say(call, found, data, "response")
        elif kind == UPDATE:
            changed(_about(call, data), call.world.places[found.channel].messages[found.source])
        elif kind == FORM:
            _check_form(data)
        elif kind not in (DEFERRED_MESSAGE, DEFERRED_UPDATE):
            raise invalid_form("type", "BASE_TYPE_CHOICES", "Value must be one of {4, 5, 6, 7, 9}.")
        found.answer = kind
        found.private = found.private or bool(number_at(data, "flags") & 64)
        if kind in (UPDATE, DEFERRED_UPDATE):
            found.original = found.source
        if not flag_at(call.query, "with_response"):
            return None
        return {"interaction": {"id": found.id, "type": 2, "response_message_id": found.original or None}}

    def _unanswered(self, call: Call) -> Interaction:
        found = self.known.get(call.ids["token"])
        if found is None or found.id != call.ids["interaction"]:
            raise unknown("Interaction")
        if found.answer:
            raise Refused(400, 40060, "Interaction has already been acknowledged.")
        if call.world.now() - found.at > FIRST_ANSWER_S:
            raise unknown("Interaction")
        return found

    async def follow(self, call: Call) -> Answer:
        """One more message; the first after a deferred one is that one."""
        found = self._open(call)
        what = "response" if found.answer == DEFERRED_MESSAGE and not found.original else "followup"
        return await self._say(call, found, call.body, what)

    async def get(self, call: Call) -> Answer:
        """What stands."""
        return self._message(call)[1]

    async def edit(self, call: Call) -> Answer:
        """@original of a deferred answer is made by its first edit."""
        found = self._open(call)
        if call.ids["message"] == "@original" and found.answer == DEFERRED_MESSAGE and not found.original:
            return await self._say(call, found, call.body, "response")
        _, message = self._message(call)
        changed(_about(call, call.body), message)
        call.world.accept("edit", message)
        return message

    async def delete(self, call: Call) -> Answer:
        """Gone."""
        found, message = self._message(call)
        call.world.places[found.channel].messages.pop(text_at(message, "id"), None)
        call.world.accept("delete", message)
        return None

    def _open(self, call: Call) -> Interaction:
        found = self.known.get(call.ids["token"])
        if found is None or not found.answer or call.ids["app"] != APP:
            raise unknown("Webhook")
        if call.world.now() - found.at > TOKEN_S:
            raise Refused(401, 50027, "Invalid Webhook Token")
        return found

    def _message(self, call: Call) -> tuple[Interaction, Json]:
        found = self._open(call)
        name = found.original if call.ids["message"] == "@original" else call.ids["message"]
        message = call.world.places[found.channel].messages.get(name)
        if message is None:
            raise unknown("Message")
        return found, message

    async def _say(self, call: Call, found: Interaction, body: object, what: str) -> Json:
        message = composed(call.world, found.channel, BOT, body, base=call.base, files=call.files)
        message |= {"application_id": APP, "webhook_id": APP}
        call.world.places[found.channel].messages[text_at(message, "id")] = message
        if what == "response":
            found.original = text_at(message, "id")
        call.world.accept(what, message)
        return message


def _check_form(data: Json) -> None:
    rows = objects_at(data, "components")
    if not 1 <= len(text_at(data, "title")) <= 45 or not 1 <= len(text_at(data, "custom_id")) <= 100:
        raise invalid_form("data", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 45 in length.")
    fields = [field for row in rows for field in objects_at(row, "components")]
    if not 1 <= len(rows) <= 5 or any(number_at(field, "type") != 4 or not text_at(field, "label") for field in fields):
        raise invalid_form("data.components", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 5 in length.")


def _about(call: Call, body: object) -> Call:
    return Call(
        ids={"channel": "", **call.ids}, query=call.query, body=body, world=call.world, tell=call.tell, base=call.base
    )


async def put_commands(call: Call) -> Answer:
    """All commands at once: what is not in the list is gone."""
    wanted = [one for one in call.body if isinstance(one, dict)] if isinstance(call.body, list) else []
    for number, one in enumerate(wanted):
        _check_command(number, one)
    if len(wanted) > 100:
        raise Refused(400, 30032, "Maximum number of application commands reached (100).")
    made = [{"type": 1, "version": "1", "options": []} | one | _owned(call) for one in wanted]
    call.world.commands[call.ids.get("guild", "")] = made
    return made


def _check_command(number: int, one: Json) -> None:
    name = text_at(one, "name")
    if not COMMAND_NAME.match(name) or name != name.lower():
        raise invalid_form(f"{number}.name", "APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid")
    if number_at(one, "type", default=1) == 1 and not 1 <= len(text_at(one, "description")) <= 100:
        raise invalid_form(f"{number}.description", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 100 in length.")


async def get_commands(call: Call) -> Answer:
    """Those that are registered."""
    return call.world.commands.get(call.ids.get("guild", ""), [])


def _owned(call: Call) -> Json:
    owner: Json = {"id": call.world.next_id(), "application_id": APP, "default_member_permissions": None}
    return owner | ({"guild_id": call.ids["guild"]} if "guild" in call.ids else {})


COMMANDS: Mapping[tuple[str, str], Route] = {
    ("PUT", "/applications/{app}/commands"): put_commands,
    ("GET", "/applications/{app}/commands"): get_commands,
    ("PUT", "/applications/{app}/guilds/{guild}/commands"): put_commands,
    ("GET", "/applications/{app}/guilds/{guild}/commands"): get_commands,
}
