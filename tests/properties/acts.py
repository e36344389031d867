"""What people, the platform and the clock may do to a gateway; two numbers choose with whom and with what."""

from collections.abc import Awaitable, Callable, Mapping

from core.domain.errors import NotSent, RateLimited
from core.ports import Lane
from core.store import outbox
from core.store.claims import claim
from core.store.store import open_sqlite
from gateway.wiring import Gateway
from tests.fakes.channel import ACCOUNT, CHANNEL
from tests.fakes.platform import Event, Fault
from tests.properties.town import CHATS, PEOPLE, VERBS, Town, breathe, open_waits, tokens

Act = tuple[str, int, int]

ORDERS = (
    *("/stop", "/new", "/undo", "/retry", "/status", "/sessions", "/resume 1", "/steer {} more", "/approve 1"),
    *("/queue queue", "/queue steer", "/queue collect", "/queue interrupt"),
)
SHORT_S, NAP_S, NIGHT_S = 2.0, 20.0, 13 * 3600.0


async def say(town: Town, gateway: Gateway, n: int, m: int) -> None:
    """Somebody says something that the model takes for an order."""
    town.says(PEOPLE[n % 3], f"{town.number()} {VERBS[m % len(VERBS)]}", n // 3)


async def answer(town: Town, gateway: Gateway, n: int, m: int) -> None:
    """Whoever is asked says something: a choice, a number, or something else."""
    found = await gateway.world.store.read(open_waits, "question")
    if found:
        _, asked, chat = found[n % len(found)]
        town.says(asked, ("red", "2", "7", f"{town.number()} neither")[m % 4], _chat(chat))


async def press(town: Town, gateway: Gateway, n: int, m: int) -> None:
    """Somebody presses a button, of an open question or of an old one."""
    found = await gateway.world.store.read(tokens)
    if found:
        token, chat = found[n % len(found)]
        body = {"chat": chat, "user": (*PEOPLE, "olga")[m % 4], "text": token, "at": 0, "kind": "button"}
        town.platform.hands_out(body)


async def decide(town: Town, gateway: Gateway, n: int, m: int) -> None:
    """The owner approves or denies, or somebody tries to who may not."""
    found = await gateway.world.store.read(open_waits, "approval")
    if found:
        number, _, chat = found[n % len(found)]
        words = ("/approve {}", "/approve {} always", "/deny {}")[m % 3].format(number)
        town.says("anna" if m % 4 == 0 else "olga", words, _chat(chat))


async def order(town: Town, gateway: Gateway, n: int, m: int) -> None:
    """Somebody gives a command."""
    town.says((*PEOPLE, "olga")[n % 4], ORDERS[m % len(ORDERS)].format(town.number()), n // 4)


async def edit(town: Town, gateway: Gateway, n: int, m: int) -> None:
    """A message is written anew; its number stays."""
    if old := _said(town, n):
        number = str(old.body["text"]).split(" ")[0]
        town.platform.edits(old, f"{number} {VERBS[m % len(VERBS)]}", user=_by(old, m))


async def delete(town: Town, gateway: Gateway, n: int, m: int) -> None:
    """A message is taken back."""
    if old := _said(town, n):
        town.platform.deletes(old, user=_by(old, m))


async def again(town: Town, gateway: Gateway, n: int, m: int) -> None:
    """The platform hands an event out once more."""
    if old := _said(town, n):
        town.platform.events.add(old)


async def wait(town: Town, gateway: Gateway, n: int, m: int) -> None:
    """Everybody gets on with what they do, and a little time passes."""
    await breathe(gateway, 1 + n % 8)
    if m % 2:
        await town.passes(gateway, SHORT_S)


async def go(town: Town, gateway: Gateway, n: int, m: int) -> None:
    """Tools and models that took long come to their end."""
    town.gate.opens()
    await breathe(gateway, n % 6)


async def sleep(town: Town, gateway: Gateway, n: int, m: int) -> None:
    """The machine sleeps: longer than any lease, or over a reminder and, the second time, a question."""
    await town.passes(gateway, NIGHT_S if m % 3 == 0 else NAP_S)


async def fault(town: Town, gateway: Gateway, n: int, m: int) -> None:
    """The next call to the platform fails."""
    faults = (NotSent("try later"), RateLimited("too fast", retry_in=3.0), Fault.TAKEN_UNANSWERED)
    town.platform.fails_next(faults[m % 3])


ACTS: Mapping[str, Callable[[Town, Gateway, int, int], Awaitable[None]]] = {
    one.__name__: one for one in (say, answer, press, decide, order, edit, delete, again, wait, go, sleep, fault)
}

# These two need the gateway to be closed.
RESTART, CRASH = "restart", "crash"
USUAL = (*ACTS, *("say", "answer", "wait", "order") * 3, RESTART, CRASH)


async def left_behind(town: Town, n: int) -> None:
    """What a process leaves that is killed: a turn that it had claimed, a part that may have been sent."""
    store = open_sqlite(town.house.database, town.clock)
    try:
        await store.run(claim, "somebody who is gone", 15_000, 1 + n % 2)
        for row in await store.read(outbox.due, Lane(channel=CHANNEL, account=ACCOUNT)):
            await store.run(outbox.next_delivery, row)
    finally:
        store.close()


def _chat(name: str) -> int:
    return [chat for chat, _ in CHATS].index(name)


def _said(town: Town, n: int) -> Event | None:
    return town.said[-1 - n % len(town.said)] if town.said else None


def _by(old: Event, m: int) -> str:
    return "ben" if m % 5 == 0 else str(old.body["user"])
