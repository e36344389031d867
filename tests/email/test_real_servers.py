"""A conversation by mail over Dovecot and Postfix, and what `doctor` finds there."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from channels.contract import Checks, Health
from channels.email.body import body_of
from core.domain.tool import Approval
from core.models.scripted import ScriptedModel, calls, says
from core.tools.ask_user import ask_user
from core.tools.send_file import send_file
from tests.email.house import EmailHouse, Person, running
from tests.email.peers import Peers
from tests.fakes.platform import FakePlatform
from tests.fakes.tools import answers
from tests.fakes.waiting import until

pytestmark = pytest.mark.timeout(180)
ASSISTANT = "assistant@example.test"


@pytest.fixture
def model() -> ScriptedModel:
    return ScriptedModel()


@pytest.fixture
def house(peers: Peers, tmp_path: Path, model: ScriptedModel) -> EmailHouse:
    (tmp_path / "workspace").mkdir()
    (tmp_path / "workspace" / "plan.txt").write_text("the plan")
    return EmailHouse(
        folder=tmp_path,
        platform=FakePlatform(),
        models=[model],
        settings=peers.settings(ASSISTANT, sent="append"),
        people=frozenset({"anna@example.test"}),
        bosses=frozenset({"anna@example.test"}),
        tools={
            "ask_user": ask_user,
            "send_file": send_file,
            "pay": answers("pay", "paid", replayable=False, approval=Approval.ASK),
        },
    )


async def test_a_conversation_of_fifteen_turns_with_two_people_on_cc(
    peers: Peers, house: EmailHouse, model: ScriptedModel
) -> None:
    anna = Person(peers, "anna@example.test", "Anna Kern")
    ben = Person(peers, "ben@example.test", "Ben")
    anna.cc = ("ben@example.test", "carl@example.test")
    async with running(house):
        model.then(says("Seven parts."))
        first = await anna.writes(ASSISTANT, "Pump B", "How many parts does it have?")
        last = await anna.hears("Seven parts.")
        for number in range(2, 11):
            model.then(says(f"Answer number {number}."))
            await anna.answers(last, f"And question {number}?")
            last = await anna.hears(f"Answer number {number}.")
        # A file each way.
        model.then(calls("send_file", path="plan.txt", caption="as asked"), says("Here is the plan."))
        await anna.answers(last, "Here is my list, send me the plan.", file=("list.csv", b"a;b\n1;2\n"))
        last = await anna.hears("Here is the plan.")
        assert [part.name for part in last.parts if part.attached] == ["plan.txt"]
        # A question, answered by its number above the quote.
        model.then(calls("ask_user", question="Which colour?", choices=["blue", "red"]), says("Red it is."))
        await anna.answers(last, "Order the valve.")
        last = await anna.hears("Which colour?")
        await anna.answers(last, "2\n\nThanks\nAnna")
        last = await anna.hears("Red it is.")
        # An approval.
        model.then(calls("pay"), says("It is paid."))
        await anna.answers(last, "Pay it.")
        last = await anna.hears("May I run pay")
        command = re.search(r"/approve \d+", body_of(last).text)
        assert command is not None
        await anna.answers(last, f"{command[0]}\n\nThanks\nAnna")
        last = await anna.hears("It is paid.")
        # A bounce: somebody on Cc whom nobody can reach.
        anna.cc = ("ben@example.test", "carl@example.test", "nobody@elsewhere.test")
        model.then(says("Copied."))
        await anna.answers(last, "Copy my colleague, please.")
        last = await anna.hears("Copied.")
        await until(lambda: "bounce" in house.drops())
        # And one who is away.
        await ben.writes(ASSISTANT, "Out of office", "I am away.", Auto_Submitted="auto-replied")
        await until(lambda: "automatic" in house.drops())
        model.then(says("Goodbye."))
        await anna.answers(last, "That was all.")
        last = await anna.hears("Goodbye.")
    assert last.headers.first("references").startswith(first["Message-ID"])
    assert last.headers.text("subject") == "Re: Pump B"
    everybody_read_the_same(anna, ben)
    received = list((house.folder / "workspace" / "uploads").rglob("*list.csv"))
    assert [one.read_bytes() for one in received] == [b"a;b\n1;2\n"]


def everybody_read_the_same(anna: Person, ben: Person) -> None:
    """Each answer once, to both."""
    told = [mail for mail in ben.box() if ASSISTANT in mail.headers.first("from")]
    assert len(told) == len([mail for mail in anna.box() if ASSISTANT in mail.headers.first("from")])
    assert len({mail.headers.first("message-id") for mail in told}) == len(told)


async def test_doctor_proves_a_round_trip_through_both_servers(house: EmailHouse) -> None:
    channel = house.mailbox()
    house.database.touch()
    assert isinstance(channel, Checks)
    found = await channel.check(deep=True)
    assert "a mail to ourselves went out and came in" in [one.what for one in found]
    assert not [one for one in found if one.health is Health.FAULT]


async def test_a_wrong_password_and_a_foreign_certificate_are_named(house: EmailHouse, tmp_path: Path) -> None:
    wrong = replace(house, settings={**house.settings, "password": "other"}).mailbox()
    untrusted = replace(house, settings={**house.settings, "ca_file": None}).mailbox()
    assert isinstance(wrong, Checks)
    assert isinstance(untrusted, Checks)
    for channel, words in ((wrong, "refuses the sign-in"), (untrusted, "no mailbox answers")):
        found = await channel.check(deep=False)
        assert words in found[0].what
        assert found[0].fix
        assert found[0].health is Health.FAULT
