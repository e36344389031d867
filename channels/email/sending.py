"""One mail out, and whether it went out."""

import asyncio
from contextlib import suppress

import structlog

from channels.email.compose import Enclosed, Letter, letter, message_id
from channels.email.connection import Lost, Refused
from channels.email.desk import Desk
from channels.email.files import read_out
from channels.email.outbound import MOST_FILE_BYTES, EmailPart
from channels.email.smtp import hand_in
from core.domain.chat import ChatKey
from core.domain.delivery import Receipt, Settled
from core.domain.errors import NotSent, SendError, Unacceptable, Unreachable

log = structlog.get_logger(__name__)

SENT_ATTRIBUTE = "\\sent"
USUAL_NAMES = ("Sent", "Sent Items", "Sent Messages", "INBOX.Sent", "[Gmail]/Sent Mail")


async def send(desk: Desk, chat: ChatKey, part: EmailPart, key: str) -> Receipt:
    """Under a Message-ID that is the same on every attempt. Raises SendError."""
    known = await desk.conversation(chat.chat_id)
    if known is None:
        raise Unreachable("no mail of this conversation is known, so there is nobody to write to")
    try:
        files = await asyncio.to_thread(_enclosed, desk, part)
        now = desk.context.clock.now()
        mail = letter(part, known, key, desk.manner, desk.style, files=files, now=now)
    except ValueError as error:
        raise Unreachable(f"this mail cannot be addressed: {error}") from error
    await hand_in(desk.settings, desk.credentials, desk.tls, mail.recipients, mail.raw)
    if desk.settings.sent == "append":
        await _file(desk, mail)
    return Receipt(message_id=mail.message_id)


async def settle(desk: Desk, chat: ChatKey, part: EmailPart, key: str) -> Settled:
    """By the folder of what was sent; only where the provider files it is a mail that is not there surely not sent."""
    if desk.settings.sent == "none":
        return Settled.UNKNOWN
    wanted = message_id(key, chat.chat_id, desk.manner, asks=part["asks"])
    try:
        imap = await desk.connect()
        try:
            folder = await sent_folder(desk, await imap.folders())
            await imap.select(folder)
            found = await imap.holds(wanted)
        finally:
            await imap.close()
    except (Lost, Refused, SendError) as error:
        log.warning("mail.not_settled", error=str(error))
        return Settled.UNKNOWN
    if found:
        return Settled.SENT
    return Settled.NOT_SENT if desk.settings.sent == "provider" else Settled.UNKNOWN


async def sent_folder(desk: Desk, folders: dict[str, frozenset[str]]) -> str:
    """The one in the settings, else the one that the server marks as such, else one with a usual name."""
    if desk.settings.sent_folder:
        return desk.settings.sent_folder
    marked = [name for name, attributes in folders.items() if SENT_ATTRIBUTE in attributes]
    usual = [name for name in USUAL_NAMES if name in folders]
    if not marked and not usual:
        raise Refused("no folder for what was sent; set channels.email.sent_folder")
    return (marked or usual)[0]


async def _file(desk: Desk, mail: Letter) -> None:
    """The mail is out already: what goes wrong here is only told."""
    try:
        imap = await desk.connect()
        try:
            await imap.append(await sent_folder(desk, await imap.folders()), mail.raw)
        finally:
            with suppress(Lost):
                await imap.close()
    except (Lost, Refused, NotSent) as error:
        log.warning("mail.not_filed", error=str(error))


def _enclosed(desk: Desk, part: EmailPart) -> list[Enclosed]:
    """Every file that can be read. Raises Unacceptable when all together are more than a mail carries."""
    found, left = [], MOST_FILE_BYTES
    for file in part["files"]:
        try:
            data = read_out(desk.context.workspace, file["path"], left)
        except (OSError, ValueError) as error:
            log.warning("mail.file_left_out", path=file["path"], error=str(error))
            continue
        if data is None:
            raise Unacceptable(f"{file['name']} and the files before it are more than one mail can carry")
        left -= len(data)
        found.append(Enclosed(name=file["name"], data=data))
    return found
