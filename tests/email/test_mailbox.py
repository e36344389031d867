"""What the mailbox does to us, and what we do with it: against a mail server in this process."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from channels.email.channel import EmailChannel
from core.domain.delivery import Settled
from core.domain.errors import Unsure
from core.domain.message import Dropped, Inbound, says
from core.ports import Accepted
from tests.contract.email_rig import ROOT, EmailRig, Impatient, Memory, channel_on, email, mail, now
from tests.contract.intake import Intake, listening
from tests.fakes.email import MailServer
from tests.fakes.waiting import until

WEEK = 7 * 86_400_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """A mailbox that was never looked at."""

    server: MailServer
    memory: Memory
    folder: Path

    def channel(self, **more: object) -> EmailChannel:
        """Not connected yet."""
        return channel_on(self.server, self.memory, self.folder, Impatient(), **more)


@pytest.fixture
async def scene(tmp_path: Path) -> AsyncIterator[Scene]:
    async with MailServer(clock=now) as server:
        yield Scene(server=server, memory=Memory(), folder=tmp_path)


@pytest.fixture
async def rig() -> AsyncIterator[EmailRig]:
    async with email() as opened:
        yield opened


@asynccontextmanager
async def listening_and_keeping(scene: Scene, channel: EmailChannel, intake: Intake) -> AsyncIterator[None]:
    """It listens, and what is taken is kept."""
    async with asyncio.TaskGroup() as group:
        task = group.create_task(channel.listen(scene.memory.keeping(intake.accept)))
        try:
            yield
        finally:
            task.cancel()


def heard(intake: Intake) -> list[str]:
    """What people said, each event once, as a store keeps it."""
    found = {one.event_key: one.content for one in intake.offered if isinstance(one, Inbound)}
    return list(found.values())


async def test_ten_thousand_old_mails_at_the_first_look_are_not_read_at_all(scene: Scene) -> None:
    old = mail("old")
    for _ in range(10_000):
        scene.server.box.inbox.add(old, now() - WEEK)
    intake, channel = Intake(), scene.channel()
    async with listening_and_keeping(scene, channel, intake):
        await intake.stores(1)
        scene.server.arrives(mail("new"))
        await until(lambda: heard(intake) == ["new"])
    assert scene.server.commands.count("UID FETCH") == 2
    assert scene.server.box.ledger == []


async def test_a_mailbox_made_anew_loses_nothing_and_repeats_nothing(scene: Scene) -> None:
    intake, channel = Intake(), scene.channel()
    async with listening_and_keeping(scene, channel, intake):
        await intake.stores(1)
        for number in range(3):
            scene.server.arrives(mail(f"mail {number}"))
        await until(lambda: len(heard(intake)) == 3)
    scene.server.box.inbox.made_anew(200)
    scene.server.box.inbox.add(mail("mail 3"), now())
    async with listening_and_keeping(scene, channel, intake):
        await until(lambda: len(heard(intake)) == 4)
        scene.server.arrives(mail("mail 4"))
        await until(lambda: len(heard(intake)) == 5)
    assert heard(intake) == [f"mail {number}" for number in range(5)]


async def test_numbers_that_fall_back_are_a_mailbox_made_anew(scene: Scene) -> None:
    intake, channel = Intake(), scene.channel()
    async with listening_and_keeping(scene, channel, intake):
        await intake.stores(1)
        for number in range(3):
            scene.server.arrives(mail(f"mail {number}"))
        await until(lambda: len(heard(intake)) == 3)
    inbox = scene.server.box.inbox
    inbox.mails, inbox.next = [], 1
    inbox.add(mail("after"), now())
    async with listening_and_keeping(scene, channel, intake):
        await until(lambda: heard(intake)[-1] == "after")
    assert len(heard(intake)) == 4


async def test_the_same_mail_in_several_places_has_one_key(rig: EmailRig) -> None:
    twin, intake = mail("once", message_id="<dup@example.org>"), Intake()
    for _ in range(3):
        rig.server.box.inbox.add(twin, now())
    async with listening(rig.channel, intake):
        await intake.stores(3)
    assert len({event.event_key for event in intake.offered}) == 1


async def test_a_server_that_hangs_up_in_idle_is_connected_to_again(rig: EmailRig) -> None:
    rig.server.faults.refuse("IDLE", "* BYE timeout")
    intake = Intake()
    async with listening(rig.channel, intake):
        await until(lambda: rig.server.commands.count("LOGIN") == 2)
        rig.says("still there?")
        await intake.stores(1)
        rig.server.drop_connections()
        rig.says("and now?")
        assert await intake.hears(2) == ["still there?", "and now?"]


async def test_one_unreadable_mail_does_not_keep_the_next_one_waiting(rig: EmailRig) -> None:
    broken = (Path(__file__).parents[1] / "unit" / "email" / "mails" / "EM-54.eml").read_bytes()
    intake = Intake()
    async with listening(rig.channel, intake):
        for raw in (mail("before"), broken, b"\x00\xff" * 1000, mail("after")):
            rig.server.arrives(raw)
        await intake.stores(4)
    assert [heard(intake)[0], heard(intake)[-1]] == ["before", "after"]


@pytest.mark.parametrize("wanted", [False, True])
async def test_reading_marks_nothing_as_read_unless_that_is_wanted(scene: Scene, wanted: bool) -> None:
    intake, channel = Intake(), scene.channel(mark_seen=wanted)
    async with listening_and_keeping(scene, channel, intake):
        await intake.stores(1)
        kept = scene.server.arrives(mail("look"))
        await intake.stores(2)
        scene.server.arrives(mail("and here"))
        await intake.stores(3)
    assert ("\\Seen" in kept.flags) is wanted


async def test_a_mail_that_was_taken_is_sent_whatever_follows(rig: EmailRig) -> None:
    rig.server.faults.refuse("QUIT", "close")
    (part,) = rig.channel.render(says("Once only."))
    assert (await rig.channel.send(rig.chat, part, "k")).message_id.startswith("<k.")
    assert len(rig.server.box.ledger) == 1


@pytest.mark.parametrize(("when", "settled"), [("before", Settled.NOT_SENT), ("after", Settled.SENT)])
async def test_an_unsure_mail_is_settled_by_what_the_provider_filed(
    when: str, settled: Settled, tmp_path: Path
) -> None:
    async with MailServer(files_sent=True, clock=now) as server:
        rig = EmailRig(server, tmp_path, sent="provider")
        server.faults.cuts.append(when)
        (part,) = rig.channel.render(says("perhaps"))
        with pytest.raises(Unsure):
            await rig.channel.send(rig.chat, part, "k")
        assert await rig.channel.settle(rig.chat, part, "k") is settled


async def test_a_repeat_has_the_same_message_id(rig: EmailRig) -> None:
    (part,) = rig.channel.render(says("perhaps"))
    rig.server.faults.cuts.append("after")
    with pytest.raises(Unsure):
        await rig.channel.send(rig.chat, part, "k")
    assert await rig.channel.settle(rig.chat, part, "k") is Settled.UNKNOWN
    receipt = await rig.channel.send(rig.chat, part, "k")
    first, second = (one.raw for one in rig.server.box.ledger)
    assert receipt.message_id.encode() in first
    assert receipt.message_id.encode() in second


async def test_two_assistants_writing_to_each_other_stop_at_one(rig: EmailRig) -> None:
    (part,) = rig.channel.render(says("an answer"))
    await rig.channel.send(rig.chat, part, "k")
    # The other one is a Parley too: what it gets is what we sent, under its own account.
    intake = Intake()
    async with listening(rig.channel, intake):
        rig.server.arrives(rig.server.box.ledger[0].raw.replace(b"@example.com", b"@example.net"))
        (event,) = await intake.stores(1)
    assert isinstance(event, Dropped)
    assert event.reason == "automatic"


async def test_somebody_who_is_not_let_in_does_not_get_the_next_answer(rig: EmailRig) -> None:
    intake = Refusing()
    async with listening(rig.channel, intake):
        rig.server.arrives(mail("me too", sender="mallory@example.net", In_Reply_To=ROOT, References=ROOT))
        await intake.stores(2)
    (part,) = rig.channel.render(says("an answer"))
    await rig.channel.send(rig.chat, part, "k")
    assert rig.server.box.ledger[0].recipients == ("anna@example.org",)


class Refusing(Intake):
    """Nobody is let in."""

    async def accept(self, event: Inbound | Dropped) -> Accepted:
        """Stored, and refused."""
        return replace(await super().accept(event), dropped="not_listed")
