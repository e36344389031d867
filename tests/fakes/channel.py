"""A channel that speaks to a FakePlatform."""

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import replace

from pydantic import BaseModel, ConfigDict

from channels.contract import ChannelContext, ChannelSpec, Limits
from channels.markup.controls import strip_controls
from core.bus import Accept
from core.domain.chat import ChatKey, Principal, SenderKind
from core.domain.delivery import Receipt, Settled
from core.domain.errors import StoreError, Unreachable
from core.domain.message import Dropped, Inbound, InboundKind, Reply, plain
from core.ports import Lane
from tests.fakes.platform import BOT, Event, FakePart, FakePlatform, Profile

CHANNEL = "fake"
ACCOUNT = "acme"
LIMITS = Limits(text=4_000, files=10, file_bytes=25_000_000, buttons=8, edits=True, threads=True, drafts=True)
SHOWN = 1_000


class FakeChannel:
    """One account on a FakePlatform."""

    def __init__(self, platform: FakePlatform, *, account: str = ACCOUNT, limits: Limits = LIMITS) -> None:
        self.limits = limits
        self.drafts: deque[tuple[ChatKey, str]] = deque(maxlen=SHOWN)
        self.steps: deque[tuple[ChatKey, str]] = deque(maxlen=SHOWN)
        self._platform = platform
        self._account = account

    @property
    def lane(self) -> Lane:
        """All chats of the account."""
        return Lane(channel=CHANNEL, account=self._account)

    async def listen(self, accept: Accept) -> None:
        """Until cancelled. What could not be stored stays open at the platform, which hands it out again later."""
        self._platform.events.redeliver()
        while True:
            event = await self._platform.events.next()
            try:
                await accept(read(event, account=self._account))
            except StoreError:
                continue
            self._platform.events.acknowledge(event)

    def render(self, reply: Reply) -> Sequence[FakePart]:
        """Cut at the limit; files and choices go with the last part."""
        text = strip_controls(plain(reply))
        size = self.limits.text or len(text) or 1
        parts = [_part(text[start : start + size]) for start in range(0, len(text), size)] or [_part("")]
        parts[-1]["files"] = [strip_controls(file.path) for file in reply.files]
        parts[-1]["choices"] = [strip_controls(choice.label) for choice in reply.choices]
        parts[-1]["tokens"] = [choice.token for choice in reply.choices]
        return parts

    async def send(self, chat: ChatKey, part: FakePart, key: str) -> Receipt:
        """Raises what the test asked for, and Unreachable for a chat of another account."""
        if not self.lane.serves(chat):
            raise Unreachable(f"{self._account} is not in {chat.chat_id}")
        return Receipt(message_id=await self._platform.post(chat=chat, part=part, key=key))

    async def edit(self, chat: ChatKey, receipt: Receipt, part: FakePart, key: str) -> Receipt:
        """The message as it is from now on."""
        await self._platform.edit(message_id=receipt.message_id, chat=chat, part=part, key=key)
        return receipt

    async def settle(self, chat: ChatKey, part: FakePart, key: str) -> Settled:
        """NOT_SENT where a repeat under the key is harmless, the truth where it can be read back, else UNKNOWN."""
        match self._platform.profile:
            case Profile.KEY:
                return Settled.NOT_SENT
            case Profile.READBACK:
                return Settled.NOT_SENT if self._platform.ledger.of(key) is None else Settled.SENT
            case Profile.EDIT | Profile.NONE:
                return Settled.UNKNOWN

    def placeholder(self, part: FakePart, text: str) -> FakePart | None:
        """A text can be edited into any other; what comes with files cannot."""
        return None if part["files"] else _part(text)

    def draft(self, chat: ChatKey, text: str) -> None:
        """Remembered, newest last."""
        self.drafts.append((chat, text))

    def progress(self, chat: ChatKey, text: str) -> None:
        """Remembered, newest last."""
        self.steps.append((chat, text))


def _part(text: str) -> FakePart:
    return FakePart(text=text, files=[], choices=[], tokens=[])


class FakeSettings(BaseModel):
    """FakeChannel has none."""

    model_config = ConfigDict(frozen=True, extra="forbid")


def spec(platform: FakePlatform) -> ChannelSpec[FakeSettings]:
    """The channel as the gateway finds channels, bound to one platform."""

    def build(settings: FakeSettings, context: ChannelContext) -> FakeChannel:
        return FakeChannel(platform, account=context.account)

    return ChannelSpec(name=CHANNEL, settings=FakeSettings, build=build)


def read(event: Event, *, account: str) -> Inbound | Dropped:
    """What the event means; Dropped when it is our own message, or cannot be read."""
    match event.body:
        case {"chat": str(chat), "user": str(user), "text": str(text), "at": int(at), **rest}:
            key = ChatKey(channel=CHANNEL, account=account, chat_id=chat, thread_id=_text(rest.get("thread")))
            if user == BOT:
                return Dropped(reason="own", event_key=event.id, chat=key, at=at)
            sender = Principal(channel=CHANNEL, account=account, user_id=user, name=user.title())
            addressed = rest.get("addressed")
            said = Inbound(event_key=event.id, chat=key, sender=sender, content=text, at=at, addressed=None)
            said = replace(said, message_id=_text(rest.get("message")), kind=_kind(rest.get("kind")))
            said = replace(said, shared=rest.get("shared") is True, admin=rest.get("admin") is True)
            said = replace(said, reply_to=_text(rest.get("reply")), place=_text(rest.get("place")))
            said = replace(said, twins=_texts(rest.get("twins")), sender=_sort(sender, rest))
            return replace(said, addressed=addressed) if isinstance(addressed, bool) else said
        case {"chat": str(chat), "user": str(user), "press": str(token), "at": int(at), **rest}:
            key = ChatKey(channel=CHANNEL, account=account, chat_id=chat, thread_id=_text(rest.get("thread")))
            sender = Principal(channel=CHANNEL, account=account, user_id=user, name=user.title())
            pressed = Inbound(event_key=event.id, chat=key, sender=sender, content=token, at=at)
            return replace(pressed, kind=InboundKind.BUTTON, place=_text(rest.get("place")))
        case _:
            unknown = ChatKey(channel=CHANNEL, account=account, chat_id="unknown")
            return Dropped(reason="unreadable", event_key=event.id, chat=unknown, at=0)


def _sort(sender: Principal, rest: Mapping[str, object]) -> Principal:
    kind = SenderKind.BOT if rest.get("bot") is True else SenderKind.PERSON
    return replace(sender, kind=kind, roles=_texts(rest.get("roles")))


def _texts(value: object) -> tuple[str, ...]:
    return tuple(str(one) for one in value) if isinstance(value, list) else ()


def _kind(value: object) -> InboundKind:
    return InboundKind(value) if isinstance(value, str) and value in list(InboundKind) else InboundKind.MESSAGE


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
