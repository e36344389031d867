"""What a gateway with a real channel is started with."""

import json
import time
from dataclasses import asdict, dataclass

from tests.crash.matrix.points import Moment
from tests.crash.matrix.wire import Death
from tests.fakes.wire import Json

# Time runs so many times as fast, for gateways and platforms alike: nobody has to wait for the pace of a real one.
PACE = 5


def hurried(since: float) -> float:
    """Seconds since 1970, in a time that runs faster since then."""
    return since + PACE * (time.time() - since)


@dataclass(frozen=True, slots=True, kw_only=True)
class Birth:
    """`settings` are those of the channel, `people` the ids of whoever is let in, `since` is when time began to run."""

    folder: str
    channel: str
    account: str
    settings: Json
    people: tuple[str, ...]
    since: float
    death: Death | None = None

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
        return cls(**{**given, "people": tuple(given["people"])}, death=death)
