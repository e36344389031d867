"""What people see of the work on their messages, beside the words of a reply."""

from dataclasses import dataclass
from enum import StrEnum


class Reaction(StrEnum):
    """What stands on a person's message; the value is the name by which platforms know the sign."""

    QUEUED = "hourglass"
    TAKEN = "eyes"
    DONE = "white_check_mark"
    FAILED = "x"


class Outcome(StrEnum):
    """How the work on a turn came to an end. PARKED: it waits for a person, and will go on."""

    ANSWERED = "answered"
    FAILED = "failed"
    STOPPED = "stopped"
    PARKED = "parked"


class Ack(StrEnum):
    """In which chats messages get reactions."""

    OFF = "off"
    SHARED = "shared"
    ALL = "all"


class Streaming(StrEnum):
    """In which chats answers are shown while they are written."""

    OFF = "off"
    DM = "dm"
    ALL = "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class Etiquette:
    """What the operator wants of a channel."""

    ack: Ack = Ack.SHARED
    streaming: Streaming = Streaming.DM


@dataclass(frozen=True, slots=True, kw_only=True)
class Rhythm:
    """When a platform shows what, in seconds.

    `typing_s`: how long its sign of typing lasts, 0 for until it is taken away. `progress_s`: until a turn has its
    progress message, where messages can be changed; `change_s`: between two changes. `notice_s`: until the one notice
    that a turn still runs, where they cannot be changed. 0 for the last three: never, as often as wanted, never.
    """

    typing_s: float = 0.0
    progress_s: float = 10.0
    change_s: float = 3.0
    notice_s: float = 0.0


USUAL = Rhythm()


@dataclass(frozen=True, slots=True, kw_only=True)
class Abilities:
    """What can be shown in a chat.

    `line`: beside the conversation there is a place for steps and drafts, so no message is needed. `changes`: a message
    can be changed, and so become the draft and the reply; `removes`: it can be taken away. `drafts`: text can be shown
    before it is complete. `types`: there is a sign of typing.
    """

    line: bool = False
    changes: bool = False
    removes: bool = False
    drafts: bool = False
    types: bool = False
    reacts: bool = False
    rhythm: Rhythm = USUAL
