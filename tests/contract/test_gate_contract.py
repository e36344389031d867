"""What every channel has to tell the gate, so that nobody is let in by accident."""

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from core.decide.gate import DmPolicy, Door, GroupPolicy, Policy, Refused, authorize
from core.domain.chat import Role, SenderKind
from core.domain.message import Inbound, InboundKind
from tests.contract.intake import Intake, listening
from tests.contract.rigs import SUBJECTS, Gathers, PartT, Rig, Subject


def named(subject: Subject) -> str:
    """The name in the test's id."""
    return subject.name


@pytest.fixture(params=SUBJECTS, ids=named)
async def rig(request: pytest.FixtureRequest) -> AsyncIterator[object]:
    """Every channel."""
    async with request.param.opens() as opened:
        yield opened


@pytest.fixture(params=[subject for subject in SUBJECTS if subject.gathers], ids=named)
async def gathering(request: pytest.FixtureRequest) -> AsyncIterator[object]:
    """Those that have groups."""
    async with request.param.opens() as opened:
        yield opened


async def heard(rig: Rig[PartT]) -> Inbound:
    """What the channel makes of a person's words."""
    intake = Intake()
    async with listening(rig.channel, intake):
        rig.says("let me in")
        found = [event for event in await intake.stores(1) if isinstance(event, Inbound)]
    return found[0]


async def test_a_sender_is_a_person_with_an_id_on_the_account_of_the_chat(rig: Rig[PartT]) -> None:
    said = await heard(rig)
    assert said.sender.user_id
    assert said.sender.kind is SenderKind.PERSON
    assert said.sender.verified
    assert (said.sender.channel, said.sender.account) == (said.chat.channel, said.chat.account)


@pytest.mark.parametrize("kind", InboundKind)
async def test_nobody_is_let_in_unless_the_operator_says_so(rig: Rig[PartT], kind: InboundKind) -> None:
    said = replace(await heard(rig), kind=kind)
    doors = [Door(), Door(dm=DmPolicy.PAIRING), Door(group=GroupPolicy.OPEN)]
    key = (said.chat.channel, said.chat.account)
    assert all(isinstance(authorize(said, Policy(doors={key: door})), Refused) for door in doors)


async def test_the_id_lets_a_person_in_and_the_name_does_not(rig: Rig[PartT]) -> None:
    said = await heard(rig)
    key, sender = (said.chat.channel, said.chat.account), said.sender

    def listing(word: str) -> Policy:
        door = Door(groups=frozenset({said.place or ""}), authors=frozenset({word}))
        return Policy(listed={key: frozenset({word})}, doors={key: door})

    assert authorize(said, listing(sender.user_id)) is Role.MEMBER
    for word in {sender.name, sender.user_id.swapcase(), sender.user_id + " "} - {sender.user_id, "*"}:
        assert isinstance(authorize(said, listing(word)), Refused)


async def test_words_in_a_group_say_which_and_whether_they_are_for_us(gathering: Gathers[PartT]) -> None:
    intake = Intake()
    async with listening(gathering.channel, intake):
        gathering.says_in_group("for you", addressed=True)
        gathering.says_in_group("among us", addressed=False)
        found = [event for event in await intake.stores(2) if isinstance(event, Inbound)]
    for_us, among = found
    assert for_us.place == among.place is not None
    assert for_us.addressed is True
    assert among.addressed is not True
    assert for_us.shared
    assert among.shared
    key = (for_us.chat.channel, for_us.chat.account)
    alone = Policy(listed={key: frozenset({for_us.sender.user_id})})
    assert authorize(for_us, alone) == Refused(reason="place_not_listed")
