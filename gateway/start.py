"""From settings to a gateway that is ready to run; lets go of everything at the end."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

from channels.contract import Channel, ChannelContext, ChannelSpec
from core.catalog.agents import FolderAgents
from core.decide.gate import Policy
from core.decide.next_step import Budget
from core.decide.texts import Texts
from core.domain.command import COMMANDS
from core.domain.secret import Secret
from core.models.entry import ModelEntry
from core.models.litellm import Library
from core.models.local import LocalServer, wants_engine
from core.models.registry import Registry, make_registry
from core.ports import Tool
from core.runtime.ambient import SystemChance, SystemClock
from core.store.lock import FileLock
from core.store.store import Store, open_sqlite
from core.tools.fetch import Fetch
from core.tools.registry import shipped
from gateway.conversation_log import ConversationLog, conversation_file
from gateway.redaction import Redactor
from gateway.resources import agents_folder
from gateway.roles import Place
from gateway.settings import Settings
from gateway.wiring import Choices, Gateway, World, wire

WORKER_LOCK = "worker.lock"
SERVICE_LOCK = "run.lock"


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A gateway that is ready to run, and what belongs to it."""

    gateway: Gateway
    store: Store
    models: Registry
    library: Library
    conversation: ConversationLog


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """One channel to serve: its account and the channel itself."""

    spec: ChannelSpec[Any]
    account: str
    channel: Channel[Any]


@asynccontextmanager
async def opened(settings: Settings, served: Sequence[Served]) -> AsyncIterator[Opened]:
    """Everything built, nothing running yet. Raises SettingsError or StoreError with what to change."""
    clock = SystemClock()
    async with AsyncExitStack() as stack:
        store = open_sqlite(settings.database, clock, relaxed=settings.store.durability == "relaxed")
        stack.callback(store.close)
        library = Library()
        stack.push_async_callback(library.close)
        entries = [await _entry(entry, settings, stack) for entry in settings.model_entries()]
        models = await make_registry(entries, default=settings.model, env=settings.env.get, library=library)
        world = World(
            store=store,
            clock=clock,
            chance=SystemChance(),
            channels=[one.channel for one in served],
            models=models,
            agents=FolderAgents([settings.home.workspace / "agents", agents_folder()]),
            tools=_tools(settings),
            choices=_choices(settings, served),
        )
        gateway = wire(world)
        redactor = Redactor(settings.secrets)
        log = ConversationLog(gateway.bus, conversation_file(settings.home, settings.logs), clock, redactor)
        yield Opened(gateway=gateway, store=store, models=models, library=library, conversation=log)


def place_of(settings: Settings, *, window: bool) -> Place:
    """The locks of this home. A window works only while no service does."""
    home = settings.home.path
    return Place(
        database=settings.database,
        lock=FileLock(home / WORKER_LOCK),
        service=FileLock(home / SERVICE_LOCK) if window else None,
    )


def context_of(settings: Settings, account: str) -> ChannelContext:
    """What every channel is built with."""
    return ChannelContext(
        account=account,
        workspace=settings.home.workspace,
        clock=SystemClock(),
        commands=COMMANDS,
        env=settings.env.get,
    )


async def _entry(entry: ModelEntry, settings: Settings, stack: AsyncExitStack) -> ModelEntry:
    """The entry as it is, or, for the local engine, with the address of the engine that was started for it."""
    if not wants_engine(entry):
        return entry
    server = LocalServer(settings.home.weights, key=Secret(SystemChance().key()))
    await stack.enter_async_context(server)
    return server.entry(entry)


def _tools(settings: Settings) -> Mapping[str, Tool]:
    denied = {name for name, tool in settings.tools.items() if tool.approval == "deny"}
    return {name: tool for name, tool in shipped(Fetch()).items() if name not in denied}


def _choices(settings: Settings, served: Sequence[Served]) -> Choices:
    limits = settings.limits
    return Choices(
        workspace=settings.home.workspace,
        policy=_policy(settings, served),
        commands=COMMANDS,
        texts=Texts(settings.texts),
        budget=Budget(model_calls=limits.model_calls, tokens=limits.turn_tokens),
        agent=lambda chat: settings.agent_of(chat.channel),
        queued_chat=limits.queued_chat,
        turns=limits.turns,
        tool_s=limits.tool_s,
        turn_hours=limits.turn_hours,
    )


def _policy(settings: Settings, served: Sequence[Served]) -> Policy:
    listed: dict[tuple[str, str], frozenset[str]] = {}
    for one in served:
        section = settings.channels.get(one.spec.name)
        listed[(one.spec.name, one.account)] = frozenset(section.common.allow_from if section else ())
    trusted = frozenset((one.spec.name, one.account) for one in served if one.spec.trusted)
    return Policy(trusted=trusted, listed=listed)
