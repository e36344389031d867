"""Lines of JSON between the platform, which is never killed, and a gateway, which is."""

import asyncio
import json
from dataclasses import asdict, dataclass
from typing import TypedDict

from tests.crash.matrix.points import Moment, Point

LONGEST = 1 << 20

Line = dict[str, object]


class Button(TypedDict):
    """One choice of a question."""

    label: str
    token: str


class Part(TypedDict):
    """One message as this platform takes it."""

    text: str
    choices: list[Button]


@dataclass(frozen=True, slots=True, kw_only=True)
class Death:
    """Where a gateway ends: at the `nth` time that it comes by this point."""

    name: str
    moment: Moment
    nth: int = 1

    @property
    def point(self) -> Point:
        """Without the count."""
        return Point(name=self.name, moment=self.moment)


@dataclass(frozen=True, slots=True, kw_only=True)
class Birth:
    """What a gateway is started with. `ahead` is how far its time is ahead of the machine's, in milliseconds."""

    socket: str
    folder: str
    profile: str
    death: Death | None = None
    ahead: int = 0
    plant: str = ""
    lock: str = "worker.lock"

    def text(self) -> str:
        """One line."""
        return json.dumps(asdict(self))

    @classmethod
    def read(cls, text: str) -> "Birth":
        """What `text` gave."""
        given = json.loads(text)
        death = given.pop("death")
        if death is not None:
            death = Death(**{**death, "moment": Moment(death["moment"])})
        return cls(**given, death=death)


def write(writer: asyncio.StreamWriter, line: Line) -> None:
    """One line, at once as far as the socket takes it: whoever dies after this has written it."""
    writer.write(json.dumps(line).encode() + b"\n")


async def read(reader: asyncio.StreamReader) -> Line | None:
    """The next line; None when the other side is gone."""
    try:
        text = await reader.readline()
    except ConnectionError:
        return None
    if not text.endswith(b"\n"):
        return None
    line: Line = json.loads(text)
    return line
