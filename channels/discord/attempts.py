"""What this process knows of its own messages, by the key of the part."""

from collections import OrderedDict
from dataclasses import dataclass, field

REMEMBERED = 10_000


@dataclass(eq=False, slots=True)
class Attempts:
    """The newest 10,000. `tried`: when a part was first sent; `echoed`: the message that the gateway told of."""

    tried: "OrderedDict[str, int]" = field(default_factory=OrderedDict)
    echoed: "OrderedDict[str, str]" = field(default_factory=OrderedDict)

    def begins(self, key: str, now: int) -> None:
        """The first attempt counts: from then on the nonce holds."""
        self.tried.setdefault(key, now)
        if len(self.tried) > REMEMBERED:
            self.tried.popitem(last=False)

    def hears(self, nonce: str, message_id: str) -> None:
        """The gateway told of our own message."""
        self.echoed[nonce] = message_id
        if len(self.echoed) > REMEMBERED:
            self.echoed.popitem(last=False)
