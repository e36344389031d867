"""Builds the object graph by hand, top to bottom. Read it to know what a gateway is made of."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from channels.contract import Channel
from core.bus import Bus
from core.decide.gate import Policy
from core.decide.intake import Rules
from core.decide.next_step import Budget
from core.decide.texts import Texts
from core.domain.chat import ChatKey
from core.domain.command import CommandSpec
from core.ports import Agents, Chance, Clock, Models, Tool
from core.runtime.asking import Asking
from core.runtime.calls import Bench
from core.runtime.commands import performers
from core.runtime.control import Control
from core.runtime.delivery import Sender, Ways
from core.runtime.history import History
from core.runtime.intake import Intake
from core.runtime.system import SystemPrompt
from core.runtime.turn import Means, TurnRunner
from core.runtime.worker import Worker
from core.store.inbox import Admission
from core.store.ports import Holder, StoredChats, StoredInbox, StoredOutbox, StoredTurns
from core.store.store import Store
from core.store.wakeup import LocalWakeup
from gateway.presence import Presence
from gateway.sender import ChannelSending

LEASE_MS = 15_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """What the operator decided, as the core needs it."""

    workspace: Path
    policy: Policy
    commands: Sequence[CommandSpec]
    texts: Texts
    budget: Budget
    agent: Callable[[ChatKey], str]
    queued_chat: int
    turns: int
    tool_s: float
    turn_hours: float = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """What a gateway is built on; tests bring their own clock, chance, channels and models."""

    store: Store
    clock: Clock
    chance: Chance
    channels: Sequence[Channel[Any]]
    models: Models
    agents: Agents
    tools: Mapping[str, Tool]
    choices: Choices


@dataclass(frozen=True, slots=True, kw_only=True)
class Gateway:
    """Everything that runs. `wakeups` are hinted when another process commits."""

    world: World
    bus: Bus
    turns: StoredTurns
    worker: Worker
    control: Control
    sender: Sender
    presence: Presence
    wakeups: tuple[LocalWakeup, ...]


def wire(world: World) -> Gateway:
    """Build everything; start nothing."""
    bus = Bus()
    work, send, command = LocalWakeup(), LocalWakeup(), LocalWakeup()
    owner = world.chance.key()
    turns = StoredTurns(world.store, Holder(owner=owner, lease_ms=LEASE_MS))
    outbox = StoredOutbox(world.store)
    inbox = StoredInbox(world.store, _admission(world, owner))
    presence = Presence(bus, world.channels)
    sender = Sender(outbox, [channel.lane for channel in world.channels], send, _ways(world, bus))
    means = _means(world, bus, turns, presence)
    runner = TurnRunner(means, History(turns), sender, work.set)
    worker = Worker(turns, runner, work, world.clock, world.choices.turns)
    bus.serve(Intake(inbox=inbox, worker=worker, sender=sender, commands=command, chance=world.chance, bus=bus).accept)
    control = Control(
        inbox=inbox,
        outbox=outbox,
        performers=performers(
            world.choices.commands, StoredChats(world.store), world.models, world.choices.texts, world.clock
        ),
        sender=sender,
        wakeup=command,
        chance=world.chance,
    )
    return Gateway(
        world=world,
        bus=bus,
        turns=turns,
        worker=worker,
        control=control,
        sender=sender,
        presence=presence,
        wakeups=(work, send, command),
    )


def uploads_of(workspace: Path, chat: ChatKey) -> Path:
    """Where a chat's attachments lie: a folder that only this chat's turns see."""
    name = "\0".join((chat.channel, chat.account, chat.chat_id, chat.thread_id or ""))
    return workspace / "uploads" / hashlib.sha256(name.encode()).hexdigest()[:16]


def _admission(world: World, owner: str) -> Admission:
    choices = world.choices
    rules = Rules(
        policy=choices.policy, commands=choices.commands, texts=choices.texts, queued_chat=choices.queued_chat
    )
    return Admission(
        rules=rules, choose=world.models.choose, agent=choices.agent, owner=owner, lease_ms=LEASE_MS, key=""
    )


def _ways(world: World, bus: Bus) -> Ways:
    return Ways(
        sending=ChannelSending(world.channels),
        clock=world.clock,
        chance=world.chance,
        bus=bus,
        texts=world.choices.texts,
    )


def _means(world: World, bus: Bus, turns: StoredTurns, presence: Presence) -> Means:
    choices = world.choices
    bench = Bench(
        workspace=choices.workspace,
        uploads=lambda chat: uploads_of(choices.workspace, chat),
        tool_s=choices.tool_s,
        clock=world.clock,
        bus=bus,
    )
    asking = Asking(models=world.models, clock=world.clock, chance=world.chance, bus=bus, watches=presence.watches)
    return Means(
        turns=turns,
        asking=asking,
        system=SystemPrompt(world.agents, choices.workspace, world.clock),
        tools=world.tools,
        bench=bench,
        budget=choices.budget,
        hours=choices.turn_hours,
        texts=choices.texts,
        bus=bus,
        chance=world.chance,
    )
