"""What the runtime needs from the outside, as small protocols. Each belongs to its consumer in core."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from core.domain.agent import AgentDefinition
from core.domain.chat import ChatKey, Principal
from core.domain.command import CommandCall
from core.domain.delivery import Delivery, Receipt, Settled
from core.domain.history import Exchange as Exchange
from core.domain.history import Said as Said
from core.domain.message import Dropped, Inbound, Reply
from core.domain.prompt import ModelSize as ModelSize
from core.domain.prompt import Prompt as Prompt
from core.domain.prompt import PromptCall as PromptCall
from core.domain.prompt import PromptMessage as PromptMessage
from core.domain.step import CallId, ModelAnswered, Stamped
from core.domain.tool import ToolResult, ToolSpec
from core.domain.turn import ModelChoice
from core.domain.wait import Ask, Question

# --- time and chance ------------------------------------------------------------------------------------------------


class Clock(Protocol):
    """Wall time and waiting; tests bring their own."""

    def now(self) -> int:
        """Milliseconds since 1970, UTC."""

    async def sleep(self, seconds: float) -> None:
        """Wait. A test's clock returns when it has been moved far enough."""


class Chance(Protocol):
    """Random values, so that a test can choose them."""

    def key(self) -> str:
        """22 url-safe characters of 128 random bits."""

    def jitter(self) -> float:
        """A number from 0 up to, not including, 1."""


# --- the model ------------------------------------------------------------------------------------------------------


class Model(Protocol):
    """One named model."""

    @property
    def name(self) -> str:
        """The name it has in the settings."""

    @property
    def size(self) -> ModelSize:
        """Its limits, known before the first call."""

    async def answer(self, prompt: Prompt, on_text: Callable[[str], None] | None) -> ModelAnswered:
        """One call, no retries. With `on_text` the answer is streamed: each call of it gets all text so far.

        Cancelling closes the connection. Raises ModelError and nothing else.
        """


class Models(Protocol):
    """All named models, and the choice among them."""

    def get(self, name: str) -> Model:
        """Raises ModelRefused when there is no such model any more."""

    def choose(self, wanted: str | None) -> ModelChoice:
        """The models to try, best first, for a message admitted now. An unknown `wanted` falls back to the default."""

    def names(self) -> Sequence[str]:
        """Every name, the default first."""


# --- tools ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolContext:
    """What a call may know and use. It never sees the store.

    `progress` is cosmetic and may be lost. `replay_key` names the call: the same after a crash.
    """

    chat: ChatKey
    principal: Principal
    workspace: Path
    clock: Clock
    replay_key: str
    progress: Callable[[str], None]
    uploads: Path


class Tool(Protocol):
    """One tool. It validates its own arguments: whatever text a model wrote goes in."""

    @property
    def spec(self) -> ToolSpec:
        """Name, schema, effect."""

    async def run(self, arguments: str, context: ToolContext) -> ToolResult | Ask:
        """An Ask parks the call until the person has answered.

        Raises ToolError with a text for the model; anything else is a bug and is reported as one.
        """


class Agents(Protocol):
    """The agents that can answer."""

    def get(self, agent_id: str) -> AgentDefinition:
        """Read anew; raises SettingsError that names the folder and what is wrong in it."""


# --- intake ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """The right to work on one turn of one chat. Every commit of the holder is checked against `fence`."""

    chat_row: int
    chat: ChatKey
    turn: int
    fence: int
    signals: int
    epoch: int
    agent: str
    choice: ModelChoice
    attempt: int
    shared: bool = False
    cut: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """What a renewal found: a fence other than the claim's means that the chat is not ours any more."""

    fence: int
    signals: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """What intake did with an event. It is committed: the channel may acknowledge.

    `claim` is set when the turn was claimed in the same commit. `stopped` are turns that the event ended. `command`
    is set when a command waits to be performed. `replies` says that a delivery was written, `resumed` that a parked
    turn may go on.
    """

    inbound: int
    chat_row: int
    duplicate: bool = False
    dropped: str | None = None
    claim: Claim | None = None
    queued_before: int = 0
    stopped: tuple[int, ...] = ()
    command: bool = False
    replies: bool = False
    resumed: bool = False


class Inbox(Protocol):
    """Stop 3: whatever came in, stored and decided in one commit."""

    async def accept(self, event: Inbound | Dropped, *, key: str, slot: bool) -> Accepted:
        """`slot` says that this process could start the turn at once; `key` is for a notice, should one be due.

        Raises StoreError; then nothing was stored.
        """

    async def commands(self) -> Sequence["PendingCommand"]:
        """Commands that no process has performed yet, oldest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingCommand:
    """A committed command that waits for its performer."""

    inbound: int
    chat_row: int
    chat: ChatKey
    sender: Principal
    call: CommandCall


# --- turns ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """How a turn's last commit ended.

    `lost`: the lease is not ours any more, nothing was written. `changed`: a signal came in, reload and go on.
    """

    lost: bool = False
    changed: bool = False
    delivery: Delivery | None = None
    waiting: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How a turn ends: with its last answer, or broken with a cause. The reply goes out either way."""

    reply: Reply
    step: Stamped | None = None
    cause: str | None = None


class Turns(Protocol):
    """Stops 5 to 7: claim, log, finish. Every call is one commit and checked against the fence."""

    async def claim(self, most: int) -> Sequence[Claim]:
        """Up to `most` turns, those that wait longest, of chats whose lease is free."""

    async def history(self, claim: Claim, since: int) -> Sequence[Exchange]:
        """The chat's exchanges after turn `since` (0 for all that may matter), the claimed turn's own last."""

    async def append(self, claim: Claim, steps: Sequence[Stamped]) -> bool:
        """Add to the log; False when the lease is lost."""

    async def finish(self, claim: Claim, ending: Ending, *, key: str, send_now: bool) -> Finished:
        """Close the turn, write its reply, free the chat for its next turn: one commit."""

    async def ask(self, claim: Claim, seq: int, question: Question, *, key: str) -> bool:
        """Log that a call waits for a person and ask them; False when the lease is lost."""

    async def answers(self, claim: Claim) -> Mapping[CallId, str]:
        """What people said to the questions of the turn so far."""

    async def park(self, claim: Claim) -> Finished:
        """Give the chat up until an answer comes; `changed` when one came in already."""

    async def signals(self, claim: Claim) -> int | None:
        """The chat's signals now; None when the lease is lost."""

    async def release(self, claim: Claim) -> None:
        """Give an unfinished turn back, for any worker to go on with it; not counted as an attempt."""

    async def renew(self, chat_rows: Sequence[int]) -> Mapping[int, Lease]:
        """Prolong the leases on these chats in one statement; gives chat row -> lease for those still ours."""

    async def void_leases(self) -> int:
        """At the start of the one worker process of a file: whatever ran before runs no more. Gives how many."""


# --- deliveries -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Lane:
    """What one sender serves: all chats of an account, or one of them."""

    channel: str
    account: str
    chat_id: str | None = None

    def serves(self, chat: ChatKey) -> bool:
        """Whether a delivery to this chat is this lane's to send."""
        return (chat.channel, chat.account) == (self.channel, self.account) and self.chat_id in (None, chat.chat_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class Retry:
    """A part stays where it is until `not_before`; `unsure` when it may have been sent."""

    not_before: int
    error: str
    unsure: bool = False
    repeat: int = 0


class Outbox(Protocol):
    """Stop 8: what goes out, one delivery a chat at a time."""

    async def due(self, lane: Lane) -> Sequence[int]:
        """The chats (rows) of a lane that have something to send now."""

    async def next(self, chat_row: int) -> Delivery | None:
        """Mark the oldest open delivery of a chat as sending and hand it over; an unsure one comes as it is."""

    async def resume(self, delivery: Delivery) -> None:
        """An unsure part was settled as not sent: mark it as sending again."""

    async def keep_parts(self, delivery: Delivery, parts: Sequence[Mapping[str, object]]) -> None:
        """Keep the rendered parts of a long reply, so that an upgrade between two parts changes nothing."""

    async def stored_parts(self, delivery: Delivery) -> Sequence[Mapping[str, object]]:
        """What `keep_parts` kept; empty for a reply of one part."""

    async def sent(self, delivery: Delivery, receipt: Receipt, *, more: bool, stored: bool) -> None:
        """Record the receipt; with `more` the next part is marked as sending in the same commit."""

    async def retry(self, delivery: Delivery, retry: Retry) -> None:
        """Leave the part for later."""

    async def dead(self, delivery: Delivery, error: str) -> None:
        """Give the delivery up; it stays listed with its reason."""

    async def answer(self, command: "PendingCommand", reply: Reply, *, key: str) -> None:
        """Answer a command and close it; a second call for the same command changes nothing."""

    async def unsettle(self, lane: Lane) -> int:
        """At start: what was being sent may have been sent. Gives how many became unsure."""


class Sending(Protocol):
    """The channels, as the delivery of core sees them."""

    def render(self, chat: ChatKey, reply: Reply) -> Sequence[Mapping[str, object]]:
        """The parts of a reply; pure."""

    async def send(self, chat: ChatKey, part: Mapping[str, object], key: str) -> Receipt:
        """One call out. Raises SendError."""

    async def edit(self, chat: ChatKey, receipt: Receipt, part: Mapping[str, object], key: str) -> Receipt | None:
        """Change a message that was sent; None where the channel cannot. Raises SendError. Repeating it is harmless."""

    async def settle(self, chat: ChatKey, part: Mapping[str, object], key: str) -> Settled:
        """Was it sent?"""


class Waits(Protocol):
    """Questions whose time runs out."""

    async def tick(self) -> Sequence[tuple[int, ChatKey]]:
        """Expire and remind what is due; gives the chats (row and key) that have something to say."""


class Wakeup(Protocol):
    """A hint that the store may hold work. Losing one costs latency, never a message."""

    def set(self) -> None:
        """Something was committed."""

    async def wait(self, seconds: float) -> None:
        """Return at the next hint, or after `seconds`."""


class ChatSettings(Protocol):
    """What a chat remembers about itself."""

    async def model(self, chat_row: int) -> str | None:
        """The model that was chosen for this chat."""

    async def set_model(self, chat_row: int, name: str | None) -> None:
        """Kept over restarts; counts from the next admitted message."""

    async def queue(self, chat_row: int) -> "QueueView":
        """What runs and what waits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueView:
    """What `/status` shows of a chat."""

    running: int | None
    since: int | None
    waiting: int
    undelivered: int
