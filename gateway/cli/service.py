"""The running `parley run` as other verbs see it."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.store.lock import FileLock
from gateway.home import WORKER_LOCK
from gateway.settings import Settings
from gateway.states import State, Told, told
from gateway.wiring import SERVICE_LOCK


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One configured account; `state` is on or off where no service runs."""

    key: str
    account: str
    state: str
    why: str = ""

    @property
    def name(self) -> str:
        """The channel, and the account where it is not the only one."""
        return self.key.removeprefix("channels.").replace(".accounts.", ":")


def process(settings: Settings) -> int | None:
    """The process of the service, where one runs."""
    lock = FileLock(settings.home.path / SERVICE_LOCK)
    return lock.holder() if lock.taken() else None


def worker(settings: Settings) -> int | None:
    """The process that works on the store right now."""
    lock = FileLock(settings.home.path / WORKER_LOCK)
    return lock.holder() if lock.taken() else None


def report(settings: Settings) -> Told | None:
    """What it tells of itself."""
    service = process(settings)
    return told(settings.home.path, service) if service else None


def standing(settings: Settings) -> Sequence[Row]:
    """Every configured account, in the order of the settings."""
    found = report(settings)
    states = {state.key: state for state in found.accounts} if found else {}
    return [_row(account.key, states.get(account.key), on=account.common.enabled) for account in settings.accounts()]


def _row(key: str, state: State | None, *, on: bool) -> Row:
    if state is None:
        return Row(key=key, account="", state="on" if on else "off")
    return Row(key=key, account=state.account, state=state.standing.value, why=state.why)
