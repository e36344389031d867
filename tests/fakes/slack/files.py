"""Files: announced, uploaded to an address of their own, then shared; and read back with the token."""

from collections.abc import Callable, Mapping
from urllib.parse import quote

from tests.fakes.slack.calls import Call
from tests.fakes.slack.refused import Refused
from tests.fakes.slack.world import APP, BOT, BOT_ID, Upload
from tests.fakes.wire import Json, number_at, objects_at, text_at

# What somebody without the right to a file gets, with status 200: a page to sign in.
SIGN_IN = b"<!DOCTYPE html><html><title>Sign in</title></html>"


def upload_url(call: Call) -> Json:
    """Where the bytes go."""
    call.world.need("files:write")
    name, length = call.text("filename"), number_at(call.args, "length")
    if not name or length <= 0:
        raise Refused("invalid_arguments")
    file = Upload(call.world.next_id("F"), name, length)
    call.world.files[file.id] = file
    return {"upload_url": f"{call.base}/upload/{file.id}", "file_id": file.id}


def complete(call: Call) -> Json:
    """The files become a message; without a channel they stay private."""
    call.world.need("files:write")
    wanted = objects_at({"files": call.json("files")}, "files")
    files = [call.world.files.get(text_at(one, "id")) for one in wanted]
    found = [file for file in files if file is not None and file.data]
    if not wanted or len(found) != len(wanted):
        raise Refused("file_not_found")
    bodies = [body(file, call.base) for file in found]
    if channel := call.text("channel_id"):
        place = call.world.writable(channel)
        message: Json = {"type": "message", "user": BOT, "bot_id": BOT_ID, "app_id": APP, "files": bodies}
        message |= {"ts": call.world.next_ts(), "text": call.text("initial_comment")}
        if root := call.text("thread_ts"):
            message["thread_ts"] = root
        place.messages[text_at(message, "ts")] = message
        call.world.accept(call.method, place.id, message)
    return {"files": bodies}


def body(file: Upload, base: str) -> Json:
    """As it stands in a message."""
    return {
        "id": file.id,
        "name": file.name,
        "title": file.name,
        "mimetype": "text/plain" if file.name.endswith(".txt") else "application/octet-stream",
        "size": file.length,
        "user": file.owner,
        "mode": "hosted",
        "url_private": f"{base}/files-pri/{file.id}/{quote(file.name, safe='')}",
        "url_private_download": f"{base}/files-pri/{file.id}/download/{quote(file.name, safe='')}",
    }


METHODS: Mapping[str, Callable[[Call], Json]] = {
    "files.getUploadURLExternal": upload_url,
    "files.completeUploadExternal": complete,
}
