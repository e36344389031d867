"""Builds the object graph by hand, top to bottom. Read it to know what a gateway is made of.

`wire` makes everything out of a World; `opened` makes the World of this process out of its settings.
"""

import hashlib
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from channels.contract import ChannelContext
from core.bus import Bus
from core.catalog.agents import FolderAgents
from core.catalog.skills import FolderSkills
from core.decide.next_step import Budget
from core.decide.view import Rules
from core.domain.chat import ChatKey
from core.domain.command import COMMANDS
from core.domain.secret import Secret
from core.domain.texts import Texts
from core.models.entry import ModelEntry
from core.models.litellm import Library
from core.models.local import LocalServer, wants_engine
from core.models.registry import Registry, make_registry
from core.runtime.ambient import SystemChance, SystemClock
from core.runtime.asking import Asking
from core.runtime.bench import Bench
from core.runtime.bursts import Bursts
from core.runtime.calls import Calls
from core.runtime.closing import Closing
from core.runtime.commands import performers
from core.runtime.commands.sources import Sources
from core.runtime.control import Control
from core.runtime.delivery import Dispatch, Ways
from core.runtime.engine import Engine, Power
from core.runtime.handing import Handing
from core.runtime.history import History
from core.runtime.intake import Intake
from core.runtime.loading import Loading, Log
from core.runtime.pacer import Pacer
from core.runtime.permission import Permission
from core.runtime.proposals import Proposals
from core.runtime.quotas import Quotas
from core.runtime.rendering import Rendering
from core.runtime.saying import Saying
from core.runtime.sender import Sender
from core.runtime.shown import Manner
from core.runtime.slots import Slots
from core.runtime.system import SystemPrompt
from core.runtime.turn import Means, TurnRunner
from core.runtime.worker import Worker
from core.store.admission import Admission, Holder
from core.store.calls_port import StoredAsks, StoredChildren
from core.store.chat_log_port import StoredChatLog
from core.store.lock import FileLock
from core.store.outbox_port import StoredForms, StoredLaneFacts, StoredOutbox, StoredSayings
from core.store.ports import StoredChats, StoredDrafts, StoredInbox
from core.store.store import Store, open_sqlite
from core.store.turns_port import StoredTurns
from core.store.waits_port import StoredWaits
from core.store.wakeup import LocalWakeup
from gateway import by_chat
from gateway.answering import require_agents
from gateway.conversation_log import ConversationLog, conversation_file
from gateway.home import WORKER_LOCK
from gateway.locks import Place
from gateway.presence import Shows
from gateway.redaction import Redactor
from gateway.reply_files import WorkspaceReplies
from gateway.resources import agent_folders, skill_folders
from gateway.roster import Roster
from gateway.sender import ChannelSending
from gateway.settings import DEFAULT_ACCOUNT, ChannelSettings, Settings
from gateway.toolbox import tools_of
from gateway.world import Choices, World

LEASE_MS = 15_000
SERVICE_LOCK = "run.lock"
# How long running tools are waited for at the end: a service is given 20 s by whoever stops it, a person is impatient.
SERVICE_GRACE_S = 15.0
WINDOW_GRACE_S = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Gateway:
    """Everything that runs. `wakeups` are hinted when another process commits."""

    world: World
    bus: Bus
    turns: StoredTurns
    worker: Worker
    bursts: Bursts
    control: Control
    sender: Sender
    presence: Shows
    wakeups: tuple[LocalWakeup, ...]


def wire(world: World) -> Gateway:
    """Build everything; start nothing."""
    bus = Bus()
    work, send, command = LocalWakeup(), LocalWakeup(), LocalWakeup()
    owner = world.chance.key()
    turns = StoredTurns(world.store, Holder(owner=owner, lease_ms=LEASE_MS, texts=world.choices.texts))
    outbox = StoredOutbox(world.store)
    inbox = StoredInbox(world.store, _admission(world, owner))
    presence = Shows(bus, world.channels, StoredDrafts(world.store), _manner(world), world.mask)
    lanes = [one.lane for one in world.channels]
    sender = Sender(_dispatch(world, outbox, bus), lanes, StoredLaneFacts(world.store), send)
    runner = _runner(world, bus, turns, sender, presence, work)
    worker = Worker(turns, runner, work, world.clock, Slots(world.choices.turns))
    bursts = Bursts(work, world.clock)
    bus.serve(
        Intake(
            inbox=inbox,
            worker=worker,
            bursts=bursts,
            sender=sender,
            work=work,
            commands=command,
            chance=world.chance,
            bus=bus,
        ).accept
    )
    return Gateway(
        world=world,
        bus=bus,
        turns=turns,
        worker=worker,
        bursts=bursts,
        control=_control(world, inbox, outbox, sender, work, command),
        sender=sender,
        presence=presence,
        wakeups=(work, send, command),
    )


def _control(
    world: World, inbox: StoredInbox, outbox: StoredOutbox, sender: Sender, work: LocalWakeup, wakeup: LocalWakeup
) -> Control:
    choices = world.choices
    return Control(
        inbox=inbox,
        outbox=outbox,
        performers=performers(_sources(world)),
        waits=StoredWaits(world.store, choices.texts),
        sender=sender,
        work=work,
        wakeup=wakeup,
        chance=world.chance,
        texts=choices.texts,
    )


def uploads_of(choices: Choices, chat: ChatKey) -> Path:
    """What a chat's turns see of all attachments: those of the chat itself, or for the owner all."""
    uploads = choices.workspace / "uploads"
    if (chat.channel, chat.account) in choices.policy.trusted:
        return uploads
    name = "\0".join((chat.channel, chat.account, chat.chat_id, chat.thread_id or ""))
    return uploads / hashlib.sha256(name.encode()).hexdigest()[:16]


def _admission(world: World, owner: str) -> Admission:
    choices = world.choices
    rules = Rules(
        policy=choices.policy,
        commands=choices.commands,
        texts=choices.texts,
        queueing=choices.queueing,
        max_age=choices.max_age,
        answerers=choices.answerers,
        refuses=choices.refuses,
    )
    return Admission(
        rules=rules, choose=world.models.choose, agent=choices.agent, owner=owner, lease_ms=LEASE_MS, key=""
    )


def _sources(world: World) -> Sources:
    choices = world.choices
    return Sources(
        commands=choices.commands,
        chats=StoredChats(world.store),
        log=StoredChatLog(world.store),
        models=world.models,
        texts=choices.texts,
        clock=world.clock,
        mode=choices.queueing.mode,
    )


def _dispatch(world: World, outbox: StoredOutbox, bus: Bus) -> Dispatch:
    choices, sending = world.choices, ChannelSending(world.channels, world.mask)
    pacer = Pacer(sending.paces, world.clock)
    return Dispatch(
        outbox=outbox,
        forms=StoredForms(world.store),
        rendering=Rendering(
            outbox=outbox,
            sending=sending,
            files=WorkspaceReplies(workspace=choices.workspace, uploads=lambda chat: uploads_of(choices, chat)),
            clock=world.clock,
            texts=choices.texts,
            most=choices.reply_parts,
        ),
        ways=Ways(sending=sending, pacer=pacer, clock=world.clock, chance=world.chance, bus=bus),
    )


def _manner(world: World) -> Manner:
    texts = world.choices.texts
    return Manner(etiquette=world.etiquette, texts=texts, clock=world.clock, chance=world.chance)


def _runner(
    world: World, bus: Bus, turns: StoredTurns, sender: Sender, presence: Shows, work: LocalWakeup
) -> TurnRunner:
    choices = world.choices
    system = SystemPrompt(world.agents, world.skills, choices.workspace, world.clock)
    children, asks = StoredChildren(world.store), StoredAsks(world.store, choices.texts)
    log = Log(turns=turns, children=children, asks=asks)
    loading = Loading(log, History(turns), system, world.tools, world.clock)
    bench = Bench(
        workspace=choices.workspace,
        uploads=lambda chat: uploads_of(choices, chat),
        tool_s=choices.tool_s,
        clock=world.clock,
        bus=bus,
        saying=Saying(sayings=StoredSayings(world.store), sender=sender, clock=world.clock),
    )
    closing = Closing(
        turns=turns,
        sender=sender,
        clock=world.clock,
        chance=world.chance,
        texts=choices.texts,
        bus=bus,
        wake=work.set,
        settle=presence.settle,
    )
    permission = Permission(modes=choices.approvals, asks=asks, bench=bench)
    handing = Handing(
        asks=asks,
        sender=sender,
        clock=world.clock,
        chance=world.chance,
        texts=choices.texts,
        bus=bus,
    )
    proposals = Proposals(handing=handing, chance=world.chance, texts=choices.texts, workspace=choices.workspace)
    power = Power(
        asking=Asking(models=world.models, clock=world.clock, chance=world.chance, bus=bus, watches=presence.watches),
        calls=Calls(bench, permission, closing, handing, proposals, loading),
        closing=closing,
        budget=choices.budget,
        quotas=Quotas(StoredChatLog(world.store), choices.budget, world.clock),
    )
    return TurnRunner(Means(loading=loading, engine=Engine(power), closing=closing, hours=choices.turn_hours))


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A gateway that is ready to run, and what belongs to it."""

    gateway: Gateway
    roster: Roster
    store: Store
    models: Registry
    library: Library
    conversation: ConversationLog


@asynccontextmanager
async def opened(roster: Roster) -> AsyncIterator[Opened]:
    """Everything built, nothing running yet. Raises SettingsError or StoreError with what to change."""
    settings = roster.settings
    agents = FolderAgents(agent_folders(settings.home))
    skills = FolderSkills(skill_folders(settings.home), settings.env.get)
    require_agents(settings, agents)
    clock = SystemClock()
    async with AsyncExitStack() as stack:
        store = open_sqlite(settings.database, clock, relaxed=settings.store.durability == "relaxed")
        stack.callback(store.close)
        library = Library()
        stack.push_async_callback(library.close)
        entries = [await _entry(entry, settings, stack) for entry in settings.model_entries()]
        models = await make_registry(entries, default=settings.model, env=settings.env.get, library=library)
        redactor = Redactor(settings.secrets)
        world = World(
            store=store,
            clock=clock,
            chance=SystemChance(),
            channels=roster,
            models=models,
            agents=agents,
            skills=skills,
            tools=tools_of(settings, roster, agents, skills),
            choices=_choices(roster),
            etiquette=by_chat.etiquette(roster),
            mask=redactor.known,
        )
        gateway = wire(world)
        log = ConversationLog(gateway.bus, conversation_file(settings.home, settings.logs), clock, redactor)
        yield Opened(gateway=gateway, roster=roster, store=store, models=models, library=library, conversation=log)


def place_of(settings: Settings, *, window: bool) -> Place:
    """The locks of this home. A window works only while no service does."""
    home = settings.home.path
    return Place(
        database=settings.database,
        lock=FileLock(home / WORKER_LOCK),
        service=FileLock(home / SERVICE_LOCK) if window else None,
        grace_s=WINDOW_GRACE_S if window else SERVICE_GRACE_S,
    )


def context_of(settings: Settings, section: ChannelSettings | None, account: str) -> ChannelContext:
    """What a channel is built with that needs nothing of the store: a window, or one that is only looked at."""
    return ChannelContext(
        account=account,
        workspace=settings.home.workspace,
        clock=SystemClock(),
        commands=COMMANDS,
        texts=Texts(settings.texts),
        env=settings.env.get,
        start=section.common.start if section else "now",
        name=section.account if section else DEFAULT_ACCOUNT,
    )


async def _entry(entry: ModelEntry, settings: Settings, stack: AsyncExitStack) -> ModelEntry:
    """The entry as it is, or, for the local engine, with the address of the engine that was started for it."""
    if not wants_engine(entry):
        return entry
    server = LocalServer(settings.home.weights, key=Secret(SystemChance().key()))
    await stack.enter_async_context(server)
    return server.entry(entry)


def _choices(roster: Roster) -> Choices:
    settings = roster.settings
    limits = settings.limits
    return Choices(
        workspace=settings.home.workspace,
        policy=roster.policy,
        commands=tuple(spec for spec in COMMANDS if not spec.terminal_only),
        texts=Texts(settings.texts),
        budget=Budget(
            model_calls=limits.model_calls,
            tokens=limits.turn_tokens,
            person_tokens=limits.member_tokens,
            person_cost=limits.member_budget,
        ),
        agent=by_chat.agent(roster),
        turns=limits.turns,
        queueing=by_chat.queueing(roster),
        answerers=by_chat.answerers(roster),
        refuses=by_chat.refuses(roster),
        max_age=by_chat.max_age(roster),
        tool_s=limits.tool_s,
        turn_hours=limits.turn_hours,
        reply_parts=limits.reply_parts,
        approvals={name: tool.approval for name, tool in settings.tools.items() if tool.approval},
    )
