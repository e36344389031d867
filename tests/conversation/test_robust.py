"""What must not bring a conversation to a stop: bugs, refusals, cancelled calls, and messages at the wrong moment."""

import asyncio
import threading
from collections.abc import Callable
from dataclasses import replace

from sqlalchemy import Connection

from core.bus import Accept
from core.domain.chat import ChatKey
from core.domain.delivery import DeliveryState, Receipt
from core.domain.errors import ModelRefused, ModelUnreachable, StoreError
from core.domain.message import Dropped, Inbound
from core.domain.prompt import Prompt
from core.domain.step import ModelAnswered
from core.domain.tool import ToolResult
from core.models.scripted import ScriptedModel, calls, fails, hangs, says
from core.ports import Accepted, ToolContext
from core.store import listing
from core.store.lock import FileLock
from core.store.store import open_sqlite
from tests.fakes.chance import FakeChance
from tests.fakes.channel import FakeChannel
from tests.fakes.clock import FakeClock
from tests.fakes.gateway import House, opened, passing
from tests.fakes.platform import FakePart, FakePlatform
from tests.fakes.tools import FakeTool
from tests.store.desk import Desk


class StuckTool:
    """Never comes to a result; when it is cut off, it lets go only after `free` is set."""

    def __init__(self) -> None:
        self.started, self.letting_go, self.free = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self.tool = FakeTool("slow", self._run)

    async def _run(self, arguments: str, context: ToolContext) -> ToolResult:
        self.started.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.letting_go.set()
            await self.free.wait()
        return ToolResult(text="never")


async def until(true: Callable[[], bool]) -> None:
    """Let everybody run until it is so."""
    while not true():
        await asyncio.sleep(0)


async def test_a_backlog_longer_than_the_slots_waits_for_no_poll(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(*(says(f"answer {n}") for n in range(20)))
    # The clock stands still, so that nobody is hinted at anything; nineteen polls would take nineteen seconds.
    async with opened(replace(house, turns=1, clock=FakeClock())), asyncio.timeout(10):
        for n in range(20):
            platform.says("anna", f"question {n}", chat=f"c{n}")
        for n in range(20):
            await platform.hears("answer", chat=f"c{n}")


async def test_a_stand_in_that_refuses_does_not_end_the_tries_of_the_best_model(
    house: House, platform: FakePlatform
) -> None:
    clock = FakeClock()
    best = ScriptedModel(fails(ModelUnreachable("overloaded")), says("back again"), name="best")
    stand_in = ScriptedModel(fails(ModelRefused("no key")), name="stand-in")
    async with opened(replace(house, models=[best, stand_in], clock=clock, chance=FakeChance())) as gateway:
        await platform.person("anna").says("hello")
        await passing(gateway, clock, platform.hears("back again"))
    assert (best.asked, stand_in.asked) == (2, 1)


async def test_a_turn_whose_acceptance_was_cut_off_is_answered_when_its_lease_runs_out(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    class Hasty(FakeChannel):
        """Gives up waiting while a message of the chat `lost` is being stored, and goes on with the next event."""

        async def listen(self, accept: Accept) -> None:
            async def hurry(event: Inbound | Dropped) -> Accepted:
                try:
                    async with asyncio.timeout(0 if event.chat.chat_id == "lost" else None):
                        return await accept(event)
                except TimeoutError:
                    raise StoreError("took too long") from None

            await super().listen(hurry)

    clock = FakeClock()
    model.then(hangs(), says("found again"))
    async with opened(replace(house, channel=Hasty, clock=clock)) as gateway:
        await platform.person("ben", chat="busy").says("keeps the worker renewing its leases")
        await until(lambda: model.asked == 1)
        # Whatever the worker was claiming is claimed by now: all slots but one are free for acceptances.
        await gateway.world.store.run(listing.inbox_one, "1")
        platform.says("anna", "hello", chat="lost")
        await passing(gateway, clock, platform.hears("found again", chat="lost"), step=1)
    assert model.asked == 2


async def test_a_message_that_comes_while_the_worker_ends_is_taken_and_answered_by_the_next_one(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    clock, stuck, service = FakeClock(), StuckTool(), FileLock(house.service)
    model.then(calls("slow"), says("to ben"))
    world = replace(house, clock=clock, chance=FakeChance(), tools={"slow": stuck.tool}, grace_s=0.01)
    async with opened(world) as gateway:
        await platform.person("anna", chat="one").says("go")
        await stuck.started.wait()
        service.acquire()
        await passing(gateway, clock, stuck.letting_go.wait())
        # From here on time stands still: a channel that broke over this message would not be back to try again.
        await platform.person("ben", chat="two").says("hello")
        service.release()
        stuck.free.set()
        await passing(gateway, clock, platform.hears("to ben", chat="two"))


async def test_a_message_that_is_being_stored_while_the_worker_ends_is_answered_by_the_next_one(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    handed_over, gate = asyncio.Event(), threading.Event()

    class Telling(FakeChannel):
        """Tells when a message was handed over to be stored."""

        async def listen(self, accept: Accept) -> None:
            async def tell(event: Inbound | Dropped) -> Accepted:
                handed_over.set()
                return await accept(event)

            await super().listen(tell)

    def hold_up(conn: Connection) -> None:
        gate.wait(10)

    clock, service, worker = FakeClock(), FileLock(house.service), FileLock(house.worker)
    model.then(says("at work"), says("here I am"))
    async with opened(replace(house, channel=Telling, clock=clock)) as gateway, asyncio.TaskGroup() as group:
        await platform.person("anna").says("hello")
        await platform.hears("at work")
        group.create_task(gateway.world.store.run(hold_up))
        handed_over.clear()
        event = platform.says("anna", "are you there?")
        await handed_over.wait()
        service.acquire()
        await clock.run_until(until(lambda: not worker.taken()))
        # From here on time stands still: a channel that broke over this message would not be back to try again.
        gate.set()
        await platform.acknowledges(event)
        service.release()
        await passing(gateway, clock, platform.hears("here I am"))


async def test_a_third_turn_waits_until_the_first_ones_tools_have_let_go(house: House, platform: FakePlatform) -> None:
    stuck = StuckTool()
    too_early: list[str] = []

    def answer(prompt: Prompt) -> ModelAnswered:
        said = prompt.messages[-1].content
        if said == "first":
            return calls("slow")
        if said == "third" and not stuck.free.is_set():
            too_early.append(said)
        return says(f"to {said}")

    anna, ben = platform.person("anna"), platform.person("ben", chat="other")
    model = ScriptedModel(answer, repeat_last=True)
    async with opened(replace(house, models=[model], tools={"slow": stuck.tool})):
        await anna.says("first")
        await stuck.started.wait()
        await anna.says("/stop")
        await anna.hears("Stopped.")
        await anna.says("second")
        await anna.says("/stop")
        await anna.hears("Stopped.")
        await anna.says("third")
        # Whoever could begin before Ben's turn has begun when he is answered.
        await ben.says("meanwhile")
        await ben.hears("to meanwhile")
        stuck.free.set()
        await anna.hears("to third")
    assert too_early == []


async def test_a_bug_in_a_channels_send_ends_one_reply_and_nothing_else(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    class Buggy(FakeChannel):
        """Cannot say `one`."""

        async def send(self, chat: ChatKey, part: FakePart, key: str) -> Receipt:
            if part["text"] == "one":
                raise KeyError("a bug")
            return await super().send(chat, part, key)

    model.then(says("one"), says("two"), says("three"))
    async with opened(replace(house, channel=Buggy)) as gateway:
        await platform.person("anna").says("first")
        await until(lambda: model.asked == 1)
        await platform.person("ben", chat="other").says("second")
        await platform.hears("two", chat="other")
        await platform.person("anna").says("third")
        await platform.hears("three")
        (dead,) = await gateway.world.store.read(listing.outbox_list, 10, DeliveryState.DEAD)
    assert (dead.text, dead.error) == ("one", "an internal error: see the log")


async def test_a_stored_command_that_nobody_performs_any_more_is_said_not_to_work(
    house: House, platform: FakePlatform
) -> None:
    store = open_sqlite(house.database, house.clock)
    # As the window of an earlier gateway left it.
    assert (await Desk(store).hears("/exit")).command
    store.close()
    async with opened(house):
        await platform.hears("/exit did not work: an internal error.")
        await platform.person("anna").says("/help")
        await platform.hears("/stop")


async def test_a_command_of_the_terminal_is_a_message_for_the_agent_elsewhere(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(says("Where to?"))
    async with opened(house):
        await platform.person("anna").says("/exit now")
        await platform.hears("Where to?")
    assert model.prompts[-1].messages[-1].content == "/exit now"
