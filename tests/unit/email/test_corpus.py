"""The mails of the corpus, read one after the other as they came into one mailbox."""

import asyncio
import time
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import pytest

from channels.email.desk import Desk
from channels.email.imap import Fetched
from channels.email.taking import Taker
from channels.email.where import Spot
from core.domain.message import CursorMove, Dropped, Inbound
from tests.contract.email_rig import Memory, desk_of
from tests.contract.intake import Intake
from tests.corpus.labels import Label, labels, own_addresses

KINDS = {"automatic": "automatic", "bounce": "bounce", "list": "list", "bulk": "list", "own": "own"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Met:
    """A mail, what became of it, and what it cost."""

    label: Label
    event: Inbound | Dropped
    cpu_s: float


@pytest.fixture(scope="module")
def met(tmp_path_factory: pytest.TempPathFactory) -> list[Met]:
    """All of them, by the code that the channel uses."""
    return asyncio.run(taken(tmp_path_factory.mktemp("workspace")))


async def taken(workspace: Path) -> list[Met]:
    """One after the other."""
    memory, intake = Memory(), Intake()
    desk: Desk = desk_of(memory, workspace, addresses=own_addresses())
    taker = Taker(desk, memory.keeping(intake.accept))
    found = []
    for uid, label in enumerate(labels(), 1):
        before, seen = time.process_time(), len(intake.offered)
        await taker.take(
            Fetched(uid=uid, raw=label.raw, at=0, size=len(label.raw)),
            Spot(validity=1, uid=uid),
            CursorMove(scope="folder.INBOX", value=str(uid)),
            stale=False,
        )
        found.append(Met(label=label, event=intake.offered[seen], cpu_s=time.process_time() - before))
    return found


def words(event: Inbound | Dropped) -> str:
    """What was handed on."""
    return event.content if isinstance(event, Inbound) else ""


def read(met: list[Met]) -> list[Met]:
    """Those that a person wrote and that have one author."""
    return [one for one in met if one.label.kind == "message" and one.label.sender is not None]


def test_what_people_wrote_is_read_and_what_programs_wrote_is_not(met: list[Met]) -> None:
    wrong = []
    for one in met:
        kind = "message" if isinstance(one.event, Inbound) else KINDS.get(one.event.reason, "none")
        wanted = "none" if one.label.kind == "message" and one.label.sender is None else one.label.kind
        if kind != wanted:
            wrong.append((one.label.file, wanted, kind))
    assert wrong == []


def test_every_mail_has_its_author(met: list[Met]) -> None:
    wrong = [
        one.label.file
        for one in read(met)
        if not isinstance(one.event, Inbound) or one.event.sender.user_id != one.label.sender
    ]
    assert wrong == []


def test_every_mail_is_in_its_conversation_and_in_no_other(met: list[Met]) -> None:
    chats: defaultdict[str, set[str]] = defaultdict(set)
    threads: defaultdict[str, set[str]] = defaultdict(set)
    for one in read(met):
        if one.label.thread is not None:
            chats[one.label.thread].add(one.event.chat.chat_id)
            threads[one.event.chat.chat_id].add(one.label.thread)
    assert [thread for thread, found in chats.items() if len(found) > 1] == []
    assert [found for found in threads.values() if len(found) > 1] == []


def test_at_least_97_of_100_mails_show_exactly_their_new_words(met: list[Met]) -> None:
    judged = [one for one in read(met) if isinstance(one.event, Inbound)]
    wrong = [one.label.file for one in judged if not one.label.agrees(words(one.event))]
    assert len(judged) >= 150
    assert len(wrong) <= 0.03 * len(judged), wrong


def test_no_mail_costs_more_than_two_seconds(met: list[Met]) -> None:
    assert max(one.cpu_s for one in met) < 2


def test_every_attachment_has_its_name_and_lies_in_the_workspace(met: list[Met]) -> None:
    for one in read(met):
        if one.label.attachments is not None and isinstance(one.event, Inbound):
            names = [file.name for file in one.event.attachments if not file.caption.startswith("the whole mail")]
            assert names == list(one.label.attachments), one.label.file
            assert all(file.path and Path(file.path).parts[0] == "uploads" for file in one.event.attachments)
