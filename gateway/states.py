"""How each channel of the running service stands, in a file of the home folder that other processes read."""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

import structlog

from core.domain.errors import SettingsError
from gateway.settings import ChannelSettings
from gateway.settings_edit import write

log = structlog.get_logger(__name__)

FILE: Final = "parley.channels.json"


class Standing(StrEnum):
    """How an account stands."""

    CONNECTING = "connecting"
    LISTENING = "listening"
    UNREACHABLE = "unreachable"
    REFUSED = "wrong settings"
    ENDED = "ended"


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """One account: `key` is where it stands in the settings, `account` how its platform names it, once known."""

    key: str
    standing: Standing
    account: str = ""
    why: str = ""
    since: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What a service has told of itself. `read_at` is when it took the settings last, `problem` why it did not."""

    process: int
    read_at: int
    accounts: Sequence[State]
    notes: Sequence[str] = ()
    problem: str = ""


class States:
    """Keeps the file true. One that cannot be written costs a log line: it is only for looking at."""

    def __init__(self, home: Path, now: Callable[[], int]) -> None:
        self._path = home / FILE
        self._now = now
        self._states: dict[str, State] = {}
        self._read = Told(process=os.getpid(), read_at=now(), accounts=())

    def __getitem__(self, key: str) -> State:
        return self._states[key]

    def refusals(self) -> Sequence[str]:
        """Why accounts cannot start, one line each."""
        return [state.why for state in self._states.values() if state.standing is Standing.REFUSED]

    def all_refused(self) -> bool:
        """Whether none of them can start."""
        return all(state.standing is Standing.REFUSED for state in self._states.values())

    def set(self, section: ChannelSettings, standing: Standing, *, account: str = "", why: str = "") -> None:
        """It stands so from now on."""
        before = self._states.get(section.key)
        named = account or (before.account if before else "")
        if before and (before.standing, before.account, before.why) == (standing, named, why):
            return
        self._states[section.key] = State(key=section.key, standing=standing, account=named, why=why, since=self._now())
        fields = {"channel": section.name, "name": section.account, "account": named}
        if standing is Standing.REFUSED:
            log.error("channel.refused", **fields, why=why)
        else:
            log.info("channel.state", **fields, state=standing.value, why=why)
        self._write()

    def forget(self, section: ChannelSettings) -> None:
        """It is not configured any more."""
        self._states.pop(section.key, None)
        self._write()

    def read_again(self, *, notes: Sequence[str] = (), problem: str = "") -> None:
        """The settings were read once more."""
        self._read = Told(process=os.getpid(), read_at=self._now(), accounts=(), notes=notes, problem=problem)
        self._write()

    def close(self) -> None:
        """Nobody runs any more."""
        self._path.unlink(missing_ok=True)

    def _write(self) -> None:
        told = asdict(self._read) | {"accounts": [asdict(state) for state in self._states.values()]}
        try:
            write(self._path, json.dumps(told))
        except SettingsError as error:
            log.warning("states.not_written", error=str(error))


def told(home: Path, service: int | None) -> Told | None:
    """What the service of this process id tells; None where there is none, or it tells nothing."""
    try:
        found: object = json.loads((home / FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    match found:
        case {"process": int(process), "read_at": int(read_at), "accounts": list(accounts), **rest}:
            if process != service:
                return None
            states = [state for one in accounts if isinstance(one, dict) and (state := _state(one))]
            notes, problem = rest.get("notes"), rest.get("problem")
            return Told(
                process=process,
                read_at=read_at,
                accounts=states,
                notes=[str(note) for note in notes] if isinstance(notes, list) else (),
                problem=str(problem or ""),
            )
        case _:
            return None


def _state(one: Mapping[str, object]) -> State | None:
    match one:
        case {"key": str(key), "standing": str(standing), "account": str(account), "why": str(why), "since": int(at)}:
            return State(key=key, standing=Standing(standing), account=account, why=why, since=at)
        case _:
            return None
