"""`parley doctor` names each planted fault, and what to do about it."""

import os
import socket
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from channels.contract import AnySpec, Finding, Health
from core.runtime.ambient import SystemClock
from core.store.store import open_sqlite
from gateway.examination import Around, examine
from gateway.findings import Found
from gateway.settings import Settings, load
from tests.fakes.channel import CHANNEL
from tests.service.station import Closing, Station, TokenSettings

ONE = '[channels.fake]\ntoken = "one"\nowners = ["olga"]\n'


class Sick(Closing):
    """Finds something wrong with itself, and does not know what to do."""

    async def check(self, *, deep: bool) -> list[Finding]:
        """The same each time."""
        return [Finding(health=Health.FAULT, what="a right is missing")]


@dataclass(kw_only=True)
class Patient:
    """An installation into which faults are planted."""

    station: Station
    variables: dict[str, str]
    free: int = 10**12
    later: int = 0

    @property
    def home(self) -> Path:
        return self.station.home

    @property
    def database(self) -> Path:
        return self.home / "parley.db"

    def settings(self) -> Settings:
        return load(self.home, self.variables, {CHANNEL: lambda: TokenSettings})

    def spec(self, name: str) -> AnySpec:
        return self.station.town.spec(name)

    def remembers(self) -> None:
        """A store is there."""
        self.home.mkdir(mode=0o700, exist_ok=True)
        open_sqlite(self.database, SystemClock()).close()

    async def examined(self, *, deep: bool = False) -> list[Found]:
        """All findings."""
        around = Around(
            read=self.settings,
            load=self.spec,
            free=lambda path: self.free,
            now=lambda: SystemClock().now() - self.later,
        )
        return [found async for found in examine(around, deep=deep)]


@pytest.fixture
def patient(station: Station) -> Patient:
    """Whose settings are right."""
    station.writes(ONE)
    return Patient(station=station, variables={})


def _closed_port() -> int:
    with closing(socket.socket()) as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def _wrong_key(patient: Patient) -> None:
    patient.station.writes(ONE + "colur = 3\n")


def _no_agent(patient: Patient) -> None:
    patient.station.writes('agent = "gone"\n' + ONE)


def _no_variable(patient: Patient) -> None:
    patient.station.writes(ONE + '[models.fast]\nmodel = "openai/x"\napi_key_env = "FAST_KEY"\n')


def _no_model(patient: Patient) -> None:
    port = _closed_port()
    patient.station.writes(ONE + f'[models.fast]\nmodel = "openai/x"\napi_base = "http://127.0.0.1:{port}/v1"\n')


def _open_store(patient: Patient) -> None:
    patient.remembers()
    patient.database.chmod(0o644)


def _damaged_store(patient: Patient) -> None:
    patient.remembers()
    with patient.database.open("r+b") as file:
        file.seek(4096)
        file.write(os.urandom(40_000))


def _not_a_store(patient: Patient) -> None:
    patient.database.write_bytes(b"this is a letter, and no database" * 200)
    patient.database.chmod(0o600)


def _full_disk(patient: Patient) -> None:
    patient.free = 5_000_000


def _any_row(connection: sqlite3.Connection) -> dict[str, object]:
    """A value for each column that wants one: the newest message, whatever it is."""
    known = {"lane": "turn", "kind": "message"}
    wants = [
        row for row in connection.execute("PRAGMA table_info(inbound)") if row[3] and row[4] is None and not row[5]
    ]
    return {row[1]: known.get(row[1], SystemClock().now() if "INT" in row[2].upper() else "x") for row in wants}


def _slow_clock(patient: Patient) -> None:
    patient.remembers()
    with closing(sqlite3.connect(patient.database)) as connection:
        row = _any_row(connection)
        connection.execute("PRAGMA ignore_check_constraints = ON")
        names, marks = ", ".join(row), ", ".join("?" * len(row))
        connection.execute(f"INSERT INTO inbound ({names}) VALUES ({marks})", list(row.values()))
        connection.commit()
    patient.later = 3_600_000


def _wrong_token(patient: Patient) -> None:
    patient.station.writes(ONE.replace('"one"', '"wrong"'))


def _far_away(patient: Patient) -> None:
    patient.station.town.up = False


def _sick_channel(patient: Patient) -> None:
    patient.station.town.kind = Sick


PLANTED: list[tuple[Callable[[Patient], None], str, str, str]] = [
    (_wrong_key, "settings", "channels.fake.colur is not known here; did you mean colour?", "change that line"),
    (_no_agent, "agents", "agent names an agent that cannot answer: there is no agent gone", "parley agents list"),
    (_no_variable, "model", "models.fast.api_key_env names FAST_KEY, which is not set", "set FAST_KEY"),
    (_no_model, "model", "nobody answers at 127.0.0.1", "start that server, or mend models.fast.api_base"),
    (_open_store, "home", "parley.db is open to other users (0644)", "run chmod 600"),
    (_damaged_store, "store", "parley.db", "put a backup in its place"),
    (_not_a_store, "store", "is not a store of Parley", "the right file?"),
    (_full_disk, "disk", "5 MB are free", "make room"),
    (_slow_clock, "clock", "the clock is 3", "timedatectl set-ntp true"),
    (_wrong_token, "channels.fake", "channels.fake.token is not known in town", "correct it in [channels.fake]"),
    (_far_away, "channels.fake", "the town is far away", "is this machine online"),
    (_sick_channel, "channels.fake", "a right is missing", "look at [channels.fake]"),
]


@pytest.mark.parametrize(("plant", "part", "what", "fix"), PLANTED, ids=[one[0].__name__[1:] for one in PLANTED])
async def test_a_planted_fault_is_named_with_its_fix(
    patient: Patient, plant: Callable[[Patient], None], part: str, what: str, fix: str
) -> None:
    plant(patient)
    faults = [found for found in await patient.examined() if found.finding.health is Health.FAULT]
    (found,) = faults
    assert found.part == part
    assert what in found.finding.what
    assert fix in found.finding.fix


async def test_nothing_is_at_fault_where_nothing_was_planted(patient: Patient) -> None:
    patient.remembers()
    found = await patient.examined()
    assert [one for one in found if one.finding.health is Health.FAULT] == []
    assert ("channels.fake", "the account is ACME") in [(one.part, one.finding.what) for one in found]
    assert patient.station.town.closed == ["ACME"], "what was built to be looked at is closed again"


async def test_whatever_is_not_good_says_what_to_do(patient: Patient) -> None:
    patient.station.writes('[channels.fake]\ntoken = "one"\n')
    for found in await patient.examined():
        assert found.finding.health is Health.GOOD or found.finding.fix


async def test_what_can_safely_be_mended_mends_itself(patient: Patient) -> None:
    _open_store(patient)
    for found in await patient.examined():
        if found.mend:
            found.mend()
    assert patient.database.stat().st_mode & 0o777 == 0o600
    assert [one for one in await patient.examined() if one.finding.health is Health.FAULT] == []
