"""One REST call as the routes see it, and the answers that all of them share."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field

from tests.fakes.discord.world import World
from tests.fakes.wire import Json, text_at

Tell = Callable[[str, Json], Awaitable[None]]
Answer = Json | Sequence[Json] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """A file in a multipart body."""

    name: str
    data: bytes
    media_type: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """`ids` are what the path names; `tell` sends an event to whoever is connected; `base` is the server's URL."""

    ids: Mapping[str, str]
    query: Mapping[str, str]
    body: object = field(hash=False)
    files: Sequence[Upload] = ()
    world: World
    tell: Tell
    base: str

    def text(self, name: str) -> str:
        """A field of the body; "" where there is none."""
        return text_at(self.body, name)


Route = Callable[[Call], Awaitable[Answer]]
