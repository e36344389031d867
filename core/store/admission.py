"""What intake needs to know beside the event and the store."""

from collections.abc import Callable
from dataclasses import dataclass

from core.decide.view import Rules
from core.domain.chat import ChatKey
from core.domain.texts import Texts
from core.domain.turn import ModelChoice


@dataclass(frozen=True, slots=True, kw_only=True)
class Admission:
    """The same for every event, but for `owner` and `key`."""

    rules: Rules
    choose: Callable[[str | None], ModelChoice]
    agent: Callable[[ChatKey], str]
    owner: str | None  # set when this process could start the turn at once
    lease_ms: int
    key: str  # for the notice, should one be due


@dataclass(frozen=True, slots=True, kw_only=True)
class Holder:
    """Who takes leases, and for how long."""

    owner: str
    lease_ms: int
    texts: Texts
