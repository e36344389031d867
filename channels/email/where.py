"""The mailbox that we are, and how its mail is read. Pure."""

from dataclasses import dataclass, field

from channels.email.addresses import base, domain
from core.domain.chat import ChatKey

CHANNEL = "email"


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """What the settings say about reading. `addresses` are all of ours; `commands` the names of chat commands."""

    account: str
    addresses: frozenset[str]
    authserv_id: str | None = None
    trust_all: bool = False
    split_topics: bool = False
    commands: frozenset[str] = field(default_factory=frozenset)

    def is_ours(self, address: str) -> bool:
        """Also with a plus-tag, in any case."""
        return base(address) in self.addresses

    @property
    def domain(self) -> str:
        """Ours: the right side of our Message-IDs."""
        return domain(self.account) or "parley.invalid"


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """Where a mail lies, and when the server got it, in milliseconds UTC; 0 for a mail that lies nowhere."""

    folder: str = "INBOX"
    validity: int = 0
    uid: int = 0
    at: int = 0

    @property
    def name(self) -> str:
        """For a mail without an id of its own."""
        return f"{self.folder}.{self.validity}.{self.uid}"


def chat_of(root: str, manner: Manner) -> ChatKey:
    """The conversation that began with this mail."""
    return ChatKey(channel=CHANNEL, account=manner.account, chat_id=root)
