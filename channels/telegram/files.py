"""The files of a message: what each is called, how large it is, and the id to fetch it by. Pure."""

import mimetypes
import re
from collections.abc import Sequence
from dataclasses import dataclass

from channels.telegram.raw import Raw, number_at, object_at, objects_at, text_at
from core.domain.message import Attachment

UNKNOWN_TYPE = "application/octet-stream"
LONGEST_NAME = 100
# A file of these kinds, the ending of its name and its type where the message does not tell.
KINDS = (
    ("animation", "mp4", "video/mp4"),
    ("document", "bin", UNKNOWN_TYPE),
    ("video", "mp4", "video/mp4"),
    ("audio", "mp3", "audio/mpeg"),
    ("voice", "ogg", "audio/ogg"),
    ("video_note", "mp4", "video/mp4"),
)
_UNSAFE = re.compile(r"[\x00-\x1f\x7f/\\:*?\"<>|\u202a-\u202e\u2066-\u2069\ud800-\udfff]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """A file that came with a message; `file_id` is what getFile takes, `message_id` where it stood."""

    attachment: Attachment
    file_id: str
    message_id: str


def files_of(message: Raw) -> Sequence[Sent]:
    """At most one: Telegram's messages hold no more, and albums are several messages."""
    photo = _photo(message)
    if photo:
        return [_sent(message, photo, "photo", "jpg", "image/jpeg")]
    for kind, ending, media_type in KINDS:
        found = object_at(message, kind)
        if found:
            return [_sent(message, found, kind, ending, media_type)]
    return []


def safe_name(name: str) -> str:
    """A name that is one file in one folder, whatever it was."""
    cleaned = _UNSAFE.sub("_", name).strip(" .") or "file"
    if len(cleaned) <= LONGEST_NAME:
        return cleaned
    stem, dot, ending = cleaned.rpartition(".")
    return f"{stem[: LONGEST_NAME - 20]}{dot}{ending[:19]}" if dot else cleaned[:LONGEST_NAME]


def _photo(message: Raw) -> Raw:
    """The largest of the sizes in which a photo comes."""
    sizes = objects_at(message, "photo")
    return max(sizes, key=lambda one: (number_at(one, "width") or 0) * (number_at(one, "height") or 0), default={})


def _sent(message: Raw, found: Raw, kind: str, ending: str, media_type: str) -> Sent:
    number = number_at(message, "message_id") or 0
    told = text_at(found, "mime_type") or media_type
    guessed = (mimetypes.guess_extension(told) or f".{ending}") if told != media_type else f".{ending}"
    attachment = Attachment(
        name=text_at(found, "file_name") or f"{kind}-{number}{guessed}",
        media_type=told,
        size=number_at(found, "file_size") or 0,
        caption=text_at(message, "caption"),
    )
    return Sent(attachment=attachment, file_id=text_at(found, "file_id"), message_id=str(number))
