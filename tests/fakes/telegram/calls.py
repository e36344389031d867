"""One call of the Bot API as the methods see it."""

import json
from dataclasses import dataclass, field

from tests.fakes.telegram.refused import bad
from tests.fakes.telegram.world import Chat, File, World
from tests.fakes.wire import Json, number_at, text_at


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """`args` is a form whose fields are text, or JSON as text; `uploads` its files by the name of their field."""

    method: str
    args: Json = field(hash=False)
    world: World
    uploads: dict[str, tuple[str, bytes]] = field(default_factory=dict, hash=False)

    def text(self, name: str) -> str:
        """An argument as text; "" where there is none."""
        return text_at(self.args, name)

    def number(self, name: str) -> int:
        """A whole number; 0 where there is none."""
        return number_at(self.args, name)

    def json(self, name: str) -> object:
        """An argument that is JSON. Raises Refused for text that is none."""
        found = self.args.get(name)
        if not isinstance(found, str) or not found:
            return found
        try:
            return json.loads(found)
        except ValueError:
            raise bad(f"can't parse {name.replace('_', ' ')} JSON object") from None

    def flag(self, name: str) -> bool:
        """Whether it is true."""
        return self.text(name).lower() in ("true", "1") or self.args.get(name) is True

    def chat(self) -> Chat:
        """Where it writes. Raises Refused."""
        return self.world.writable(self.text("chat_id"))

    def file(self, name: str) -> File:
        """A file that is uploaded with the call, or one that is known by its id. Raises Refused."""
        given = self.text(name)
        uploaded = self.uploads.get(given.removeprefix("attach://")) or self.uploads.get(name)
        if uploaded:
            if not uploaded[1]:
                raise bad("file must be non-empty")
            return self.world.keep(*uploaded)
        if given not in self.world.files:
            raise bad("wrong remote file identifier specified: Wrong character in the string")
        return self.world.files[given]
