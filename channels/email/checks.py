"""Whether a mailbox works, and what to change where it does not."""

import asyncio
import uuid
from collections import Counter
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from email.message import EmailMessage
from email.utils import format_datetime

from channels.contract import Finding, Health
from channels.email.authres import server_of
from channels.email.connection import Lost, Refused
from channels.email.desk import Desk
from channels.email.imap import Imap
from channels.email.mime import read
from channels.email.sending import sent_folder
from channels.email.smtp import hand_in, signed_in
from core.domain.errors import SendError

NEWEST = 20
ROUND_TRIP_S = 120.0


async def check(desk: Desk, *, deep: bool) -> list[Finding]:
    """Everything that can be found out; one fault hides no other."""
    found = [one async for one in _mailbox(desk)]
    found.append(await _submission(desk))
    if deep and all(one.health is not Health.FAULT for one in found):
        found.append(await _round_trip(desk))
    return found


async def _mailbox(desk: Desk) -> AsyncIterator[Finding]:
    where = f"{desk.settings.imap_host}:{desk.settings.imap_port}"
    try:
        imap = await desk.connect()
    except Refused as error:
        fix = "check channels.email.user and the password; Gmail and Microsoft 365 want an app password or xoauth2"
        yield Finding(health=Health.FAULT, what=f"the mailbox at {where} refuses the sign-in: {error}", fix=fix)
        return
    except (Lost, SendError) as error:
        fix = "check channels.email.imap_host, imap_port, and ca_file for a certificate of your own"
        yield Finding(health=Health.FAULT, what=f"no mailbox answers at {where}: {error}", fix=fix)
        return
    try:
        yield Finding(health=Health.GOOD, what=f"signed in to the mailbox at {where}")
        yield _idle(desk, imap)
        async for one in _folders(desk, imap):
            yield one
    except (Lost, Refused) as error:
        yield Finding(health=Health.FAULT, what=f"the mailbox stopped answering: {error}", fix="run this again")
    finally:
        await imap.close()


def _idle(desk: Desk, imap: Imap) -> Finding:
    if imap.has("IDLE"):
        return Finding(health=Health.GOOD, what="the server tells of new mail at once (IDLE)")
    what = f"the server has no IDLE: new mail is seen every {desk.settings.poll_s:.0f} s"
    return Finding(health=Health.WARNING, what=what, fix="lower channels.email.poll_s if that is too slow")


async def _folders(desk: Desk, imap: Imap) -> AsyncIterator[Finding]:
    folders = await imap.folders()
    for name in desk.settings.folders:
        try:
            await imap.select(name)
            yield Finding(health=Health.GOOD, what=f"folder {name} can be read")
        except Refused as error:
            fix = f"take one of: {', '.join(sorted(folders)[:20])}"
            yield Finding(health=Health.FAULT, what=f"folder {name} cannot be opened: {error}", fix=fix)
            return
    if desk.settings.sent != "none":
        yield await _sent(desk, folders)
    await imap.select(desk.settings.folders[0])
    yield _verification(desk, await _servers(imap))


async def _sent(desk: Desk, folders: dict[str, frozenset[str]]) -> Finding:
    try:
        return Finding(health=Health.GOOD, what=f"sent mail lies in {await sent_folder(desk, folders)}")
    except Refused as error:
        fix = f"set channels.email.sent_folder to one of: {', '.join(sorted(folders)[:20])}"
        return Finding(health=Health.FAULT, what=str(error), fix=fix)


async def _servers(imap: Imap) -> Counter[str]:
    """Who wrote the topmost results of the newest mails."""
    found: Counter[str] = Counter()
    for uid in (await imap.uids("ALL"))[-NEWEST:]:
        mail = await imap.fetch(uid, 0)
        results = read(mail.raw).headers.all("authentication-results") if mail else []
        if results:
            found[server_of(results[0])] += 1
    return found


def _verification(desk: Desk, servers: Counter[str]) -> Finding:
    wanted = desk.settings.trusted_authserv_id
    if desk.settings.unverified == "trust-listed":
        what = "senders are not verified: anybody can write under the name of somebody who is listed"
        return Finding(
            health=Health.WARNING, what=what, fix="set channels.email.trusted_authserv_id instead, if the server can"
        )
    if wanted is None:
        seen = servers.most_common(1)
        fix = (
            f'set channels.email.trusted_authserv_id = "{seen[0][0]}" if that is your own server'
            if seen
            else (
                "the newest mails have no Authentication-Results: let the server add them, or set "
                'channels.email.unverified = "trust-listed" and accept that senders can be forged'
            )
        )
        return Finding(health=Health.FAULT, what="nobody verifies senders, so nobody is answered", fix=fix)
    if servers and wanted.lower() not in servers:
        what = f"the newest mails were verified by {', '.join(servers)}, not by {wanted}"
        return Finding(health=Health.WARNING, what=what, fix="check channels.email.trusted_authserv_id")
    if not servers:
        what = f"no mail with a result of {wanted} is there yet"
        return Finding(health=Health.WARNING, what=what, fix="run this again once a mail from outside came in")
    return Finding(health=Health.GOOD, what=f"{wanted} verifies senders")


async def _submission(desk: Desk) -> Finding:
    where = f"{desk.settings.smtp_host}:{desk.settings.smtp_port}"
    try:
        await signed_in(desk.settings, desk.credentials, desk.tls)
    except SendError as error:
        fix = "check channels.email.smtp_host, smtp_port (465 with tls, 587 with starttls) and the password"
        return Finding(health=Health.FAULT, what=f"mail cannot be handed in at {where}: {error}", fix=fix)
    return Finding(health=Health.GOOD, what=f"mail can be handed in at {where}")


async def _round_trip(desk: Desk) -> Finding:
    """A mail from ourselves to ourselves; the listener knows it for our own."""
    own, wanted = desk.settings.address, f"<check.{uuid.uuid4().hex}@{desk.manner.domain}>"
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = own, own, "parley doctor"
    mail["Date"] = format_datetime(datetime.fromtimestamp(desk.context.clock.now() / 1000, UTC))
    mail["Message-ID"], mail["Auto-Submitted"] = wanted, "auto-generated"
    mail.set_content("parley doctor\n")
    try:
        await hand_in(desk.settings, desk.credentials, desk.tls, [own], mail.as_bytes())
        async with asyncio.timeout(ROUND_TRIP_S):
            await _arrives(desk, wanted)
    except TimeoutError:
        what = f"a mail to ourselves did not arrive within {ROUND_TRIP_S:.0f} s"
        return Finding(health=Health.FAULT, what=what, fix="look for it in the junk folder and in the server's log")
    except (SendError, Lost, Refused) as error:
        return Finding(
            health=Health.FAULT, what=f"a mail to ourselves did not go out: {error}", fix="see the server's log"
        )
    return Finding(health=Health.GOOD, what="a mail to ourselves went out and came in")


async def _arrives(desk: Desk, wanted: str) -> None:
    imap = await desk.connect()
    try:
        while True:
            await imap.select(desk.settings.folders[0])
            found = await imap.holds(wanted)
            if found:
                for uid in found if imap.has("UIDPLUS") else []:
                    await imap.remove(uid)
                return
            await desk.context.clock.sleep(1.0)
    finally:
        await imap.close()
