"""Messages out of bodies: what Discord checks, and what it makes of them."""

import re
from collections.abc import Sequence

from tests.fakes.discord.calls import Upload
from tests.fakes.discord.refused import Refused, invalid_form
from tests.fakes.discord.world import DM, GUILD, World, iso
from tests.fakes.wire import Json, at, flag_at, number_at, object_at, objects_at, text_at

TEXT_LIMIT = 2000
NONCE_LIMIT = 25
FILES, ROWS, BUTTONS, EMBEDS = 10, 5, 5, 10
FILE_BYTES = 10 * 1024 * 1024
USER_MENTION = re.compile(r"<@!?(\d+)>")
ROLE_MENTION = re.compile(r"<@&(\d+)>")


def composed(world: World, channel: str, author: str, body: object, *, base: str, files: Sequence[Upload] = ()) -> Json:
    """The stored message. Raises Invalid Form Body and its kin."""
    check(body, files)
    kept = _attachments(world, channel, body, files, base)
    content = text_at(body, "content")
    if not (content or kept or objects_at(body, "embeds") or objects_at(body, "components") or at(body, "sticker_ids")):
        raise Refused(400, 50006, "Cannot send an empty message")
    place = world.places[channel]
    message: Json = {"id": world.next_id(), "channel_id": channel, "author": world.public(author), "content": content}
    message |= {"timestamp": iso(world.now()), "edited_timestamp": None, "tts": False, "pinned": False, "type": 0}
    message |= {"mention_everyone": False, "mentions": _mentions(world, content), "attachments": kept, "reactions": []}
    message |= {"mention_roles": ROLE_MENTION.findall(content), "embeds": objects_at(body, "embeds")}
    message |= {"components": objects_at(body, "components"), "flags": number_at(body, "flags")}
    if place.kind != DM:
        message |= {"guild_id": GUILD, "member": world.member(author)}
    if text_at(body, "nonce"):
        message["nonce"] = text_at(body, "nonce")
    return message | _reference(world, channel, object_at(body, "message_reference"))


def check(body: object, files: Sequence[Upload] = ()) -> None:
    """What is wrong with a body, whether it creates or edits."""
    if len(text_at(body, "content")) > TEXT_LIMIT:
        raise invalid_form("content", "BASE_TYPE_MAX_LENGTH", f"Must be {TEXT_LIMIT} or fewer in length.")
    if len(text_at(body, "nonce")) > NONCE_LIMIT:
        raise invalid_form("nonce", "NONCE_TYPE_TOO_LONG", f"Must be {NONCE_LIMIT} or fewer in length.")
    if len(objects_at(body, "embeds")) > EMBEDS:
        raise invalid_form("embeds", "BASE_TYPE_MAX_LENGTH", f"Must be {EMBEDS} or fewer in length.")
    if len(files) > FILES:
        raise invalid_form("attachments", "BASE_TYPE_MAX_LENGTH", f"Must be {FILES} or fewer in length.")
    if any(len(file.data) > FILE_BYTES for file in files):
        raise Refused(413, 40005, "Request entity too large")
    _check_components(objects_at(body, "components"))


def _check_components(rows: Sequence[Json]) -> None:
    if len(rows) > ROWS:
        raise invalid_form("components", "BASE_TYPE_MAX_LENGTH", f"Must be {ROWS} or fewer in length.")
    seen: set[str] = set()
    for row_number, row in enumerate(rows):
        where = f"components.{row_number}.components"
        if len(objects_at(row, "components")) not in range(1, BUTTONS + 1):
            raise invalid_form(where, "BASE_TYPE_BAD_LENGTH", f"Must be between 1 and {BUTTONS} in length.")
        for number, button in enumerate(objects_at(row, "components")):
            if len(text_at(button, "label")) > 80:
                raise invalid_form(f"{where}.{number}.label", "BASE_TYPE_MAX_LENGTH", "Must be 80 or fewer in length.")
            name = text_at(button, "custom_id")
            if len(name) > 100:
                raise invalid_form(f"{where}.{number}.custom_id", "BASE_TYPE_MAX_LENGTH", "Must be 100 or fewer.")
            if name in seen:
                said = "Component custom id cannot be duplicated"
                raise invalid_form(f"{where}.{number}.custom_id", "COMPONENT_CUSTOM_ID_DUPLICATED", said)
            seen |= {name} - {""}


def _attachments(world: World, channel: str, body: object, files: Sequence[Upload], base: str) -> list[Json]:
    about = {text_at(one, "id"): one for one in objects_at(body, "attachments")}
    made: list[Json] = []
    for number, file in enumerate(files):
        said = about.get(str(number), {})
        name, file_id = text_at(said, "filename") or file.name, world.next_id()
        world.files[file_id] = file.data
        url = f"{base}/attachments/{channel}/{file_id}/{name}"
        one: Json = {"id": file_id, "filename": name, "size": len(file.data), "url": url, "proxy_url": url}
        made.append(one | {"content_type": file.media_type, "description": at(said, "description")})
    return made


def _mentions(world: World, content: str) -> list[Json]:
    found = dict.fromkeys(USER_MENTION.findall(content))
    return [world.public(user) for user in found if user in world.users]


def _reference(world: World, channel: str, reference: Json) -> Json:
    if not reference:
        return {}
    where, message = text_at(reference, "channel_id") or channel, text_at(reference, "message_id")
    found = world.places[where].messages.get(message) if where in world.places else None
    if found is None and at(reference, "fail_if_not_exists") not in (False, "false"):
        raise invalid_form("message_reference", "MESSAGE_REFERENCE_UNKNOWN_MESSAGE", "Unknown message")
    if found is None:
        return {}
    known: Json = {"channel_id": where, "message_id": message}
    return {"message_reference": known, "referenced_message": found, "type": 19}


def enforced(body: object) -> str:
    """The nonce that must not be used twice; "" where nobody asked for that."""
    return text_at(body, "nonce") if flag_at(body, "enforce_nonce") else ""
