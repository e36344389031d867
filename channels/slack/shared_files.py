"""The files of a message: what they are called, and where their bytes lie."""

from dataclasses import dataclass

from channels.slack.raw import Json, number_at, objects_at, text_at
from core.domain.message import Attachment


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedFile:
    """One file of a message; without a URL nothing can be fetched."""

    id: str
    name: str
    media_type: str
    size: int
    url: str

    def named(self) -> Attachment:
        """As it is known before it is fetched."""
        return Attachment(name=self.name, media_type=self.media_type, size=self.size)


def shared_files(message: Json) -> list[SharedFile]:
    """Every file that is still there; deleted ones are told as tombstones."""
    return [
        SharedFile(
            id=text_at(file, "id"),
            name=text_at(file, "name") or text_at(file, "title") or text_at(file, "id") or "file",
            media_type=text_at(file, "mimetype") or "application/octet-stream",
            size=max(0, number_at(file, "size")),
            url=text_at(file, "url_private_download") or text_at(file, "url_private"),
        )
        for file in objects_at(message, "files")
        if text_at(file, "mode") not in ("tombstone", "hidden_by_limit")
    ]


def attachments(message: Json) -> tuple[Attachment, ...]:
    """As they stand in the message: named, not fetched."""
    return tuple(file.named() for file in shared_files(message))
