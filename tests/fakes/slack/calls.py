"""One call of the Web API as the methods see it."""

import json
from dataclasses import dataclass, field

from tests.fakes.slack.world import World
from tests.fakes.wire import Json, number_at, text_at


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """`args` from a form, a query or a JSON body; what forms write as JSON text is read. `base` is the server's URL."""

    method: str
    args: Json = field(hash=False)
    world: World
    base: str = ""

    def text(self, name: str) -> str:
        """An argument as text; "" where there is none."""
        return text_at(self.args, name)

    def json(self, name: str) -> object:
        """An argument that is JSON, or JSON in a string."""
        found = self.args.get(name)
        return json.loads(found) if isinstance(found, str) and found else found


def paged(items: list[Json], call: Call, most: int = 1000) -> tuple[list[Json], str]:
    """One page by `limit` and `cursor`, and the cursor of the next one: "" when there is none."""
    size = min(number_at(call.args, "limit", default=100) or 100, most)
    start = int(call.text("cursor") or 0)
    return items[start : start + size], str(start + size) if start + size < len(items) else ""
