"""What a part takes along: its files; and the thread that it belongs into, where that is not there yet."""

from channels.discord.desk import Desk
from channels.discord.fields import Json
from channels.discord.files import most_out, read_out
from channels.discord.known import Known
from channels.discord.outbound import DiscordPart
from channels.discord.rest import THREAD_THERE, Refused, Upload
from channels.discord.words import words_of
from core.domain.chat import ChatKey

MESSAGES = "/channels/{channel_id}/messages"
MESSAGE = MESSAGES + "/{message_id}"
LONGEST_TITLE = 90


def files_of(desk: Desk, chat: ChatKey, part: DiscordPart) -> tuple[list[Upload], list[str]]:
    """What goes out, and a line for each file that cannot: none takes its siblings or the text with it."""
    place = desk.known.places.get(chat.chat_id)
    guild = desk.known.guilds.get(place.guild or "") if place else None
    most = most_out(guild.boost if guild else 0)
    uploads: list[Upload] = []
    notes: list[str] = []
    for file in part["files"]:
        try:
            data = read_out(desk.context.workspace, file["path"], most)
        except OSError:
            notes.append(desk.context.texts.say("file_missing", name=file["name"]))
            continue
        if data is None:
            notes.append(desk.context.texts.say("file_too_large", name=file["name"]))
        else:
            uploads.append(Upload(name=file["name"], data=data, caption=file["caption"]))
    return uploads, notes


async def open_thread(desk: Desk, channel_id: str, message_id: str) -> None:
    """The thread of a message, named by its first words; no error when it is there already. Raises Refused."""
    place = {"channel_id": channel_id, "message_id": message_id}
    try:
        message = await desk.rest.call("GET", MESSAGE, **place)
        name = title_of(message if isinstance(message, dict) else {}, desk.known)
        await desk.rest.call("POST", MESSAGE + "/threads", {"name": name}, **place)
    except Refused as refused:
        if refused.code != THREAD_THERE:
            raise


def title_of(message: Json, known: Known) -> str:
    """The first words of a message, as the name of its thread."""
    words = " ".join(words_of(message, known).split())
    if len(words) > LONGEST_TITLE:
        words = words[:LONGEST_TITLE].rpartition(" ")[0] or words[:LONGEST_TITLE]
    return words or known.name or "thread"
