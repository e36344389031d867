"""What intake may decide about something that came in. The store carries each of them out in the same commit."""

from dataclasses import dataclass

from core.decide.sessions import Rewinding
from core.domain.command import CommandCall
from core.domain.wait import Given, Wait


@dataclass(frozen=True, slots=True, kw_only=True)
class Enqueue:
    """Becomes a turn: at once when the chat is idle, else after those before it.

    `waits_for` is somebody else whose answer comes first; the person is told so once. `burst_ms` is how long an idle
    chat waits for more before the turn starts. `said` is what was said when that is not all of the content.
    """

    waits_for: str | None = None
    burst_ms: int = 0
    said: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Collect:
    """Opens a turn that waits already, together with the messages before it; `burst_ms` more are waited for others."""

    turn: int
    burst_ms: int
    said: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Steer:
    """Is told to a turn that has begun, at its next step."""

    turn: int
    said: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Interrupt:
    """Ends the turn at work, and nothing else; what was said becomes a turn as usual."""

    turn: int
    then: Enqueue


@dataclass(frozen=True, slots=True, kw_only=True)
class Replace:
    """Takes the place of a message that nobody has read yet."""

    inbound: int
    turn: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Withdraw:
    """Takes back a message that nobody has read yet; a turn that has no other ends."""

    inbound: int
    turn: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Halt:
    """Takes back what a turn was begun for: that turn ends, and nothing else."""

    turn: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """Closes a question, and its turn goes on. `for_good`: what was approved needs no yes again."""

    wait: Wait
    given: Given
    card: str
    for_good: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Cancel:
    """Ends every live turn of the chat; with `cut` a new conversation starts after them."""

    call: CommandCall
    cut: bool
    notice: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewind:
    """Changes the history of the chat, and stops what runs as far as that touches it.

    `waiting` counts the messages behind the turn at work.
    """

    call: CommandCall
    to: Rewinding
    waiting: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """Is performed beside the running turn."""

    call: CommandCall


@dataclass(frozen=True, slots=True, kw_only=True)
class Drop:
    """Starts nothing. With `notice` the person is told why; `kept` says that what was said stays readable.

    `refusal`: the notice says that the person is not let in, and what they said is forgotten.
    `pairs`: they get a code by which somebody can let them in, as often as that is allowed.
    """

    reason: str
    notice: str | None = None
    kept: bool = False
    refusal: bool = False
    pairs: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Overhear:
    """Was not said to us: it is read along with what is said to us next. `trusted`: by somebody who is listed."""

    trusted: bool = True


Begin = Enqueue | Collect | Steer | Interrupt
Change = Replace | Withdraw | Halt
Decision = Begin | Change | Answer | Cancel | Rewind | Command | Overhear | Drop
