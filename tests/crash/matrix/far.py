"""What a gateway has of the world outside: a line to the platform, and behind it channel, model and tools."""

import asyncio
import itertools
import os
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from channels.contract import Limits
from channels.markup.controls import strip_controls
from core.bus import Accept
from core.domain.chat import ChatKey, Principal
from core.domain.delivery import Receipt, Settled
from core.domain.errors import ModelError, ModelRefused, NotSent, SendError, Unacceptable, Unreachable, Unsure
from core.domain.message import Dropped, Inbound, InboundKind, Reply, plain, says
from core.domain.pace import Once
from core.domain.presence import Rhythm
from core.domain.prompt import ModelSize, Prompt
from core.domain.step import Call, ModelAnswered
from core.domain.tool import Approval, Effect, ToolResult, ToolSpec
from core.ports import Lane, ToolContext
from tests.crash.matrix.answers import TEXT
from tests.crash.matrix.fate import Fate
from tests.crash.matrix.points import Moment
from tests.crash.matrix.wire import Button, Line, Part, read, write
from tests.fakes.channel import ACCOUNT, CHANNEL
from tests.fakes.platform import Profile

# What a turn does is shown at the first look, and as often as it changes.
AT_ONCE = Rhythm(progress_s=0.001, change_s=0.001)
LIMITS = Limits(text=TEXT, buttons=8, edits=True, threads=True, drafts=True, rhythm=AT_ONCE)
SIZE = ModelSize(window=128_000, output=4_096)
SEND_ERRORS: dict[str, type[SendError]] = {
    "unacceptable": Unacceptable,
    "not_sent": NotSent,
    "unsure": Unsure,
    "unreachable": Unreachable,
}


class Far:
    """The line: calls that are answered, and events that come by themselves."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, fate: Fate) -> None:
        self.events: deque[Line] = deque()
        self.came = asyncio.Event()
        self._reader = reader
        self._writer = writer
        self._fate = fate
        self._numbers = itertools.count()
        self._asked: dict[object, tuple[asyncio.Future[Line], Callable[[str], None] | None]] = {}
        self._done: list[str] = []

    async def run(self) -> None:
        """A gateway without a platform has nobody who would end it."""
        while (line := await read(self._reader)) is not None:
            self._hear(line)
        os._exit(3)

    def _hear(self, line: Line) -> None:
        match line:
            case {"event": dict(event)}:
                self.events.append(event)
                self.came.set()
            case {"sleep": True}:
                self._sleep()
            case {"n": number, "so_far": str(words)}:
                _, shown = self._asked[number]
                if shown is not None:
                    shown(words)
            case {"n": number}:
                future, _ = self._asked.get(number, (None, None))
                if future is not None and not future.done():
                    future.set_result(line)

    def _sleep(self) -> None:
        if not self._fate.sleeps():
            asyncio.get_running_loop().call_soon(self._sleep)

    def tell(self, do: str, **said: object) -> None:
        """Nobody answers this."""
        self._tell_done()
        write(self._writer, {"do": do, **said})

    def did(self, name: str) -> None:
        """Tell that something came to its end; what happens in one step of the loop shares a line."""
        if not self._done:
            asyncio.get_running_loop().call_soon(self._tell_done)
        self._done.append(name)

    def _tell_done(self) -> None:
        if self._done:
            write(self._writer, {"do": "did", "names": self._done})
            self._done.clear()

    async def ask(self, do: str, name: str, shown: Callable[[str], None] | None = None, /, **said: object) -> Line:
        """A call that is a point of its own: `name`."""
        self._fate.passes(name, Moment.BEFORE)
        number = next(self._numbers)
        future: asyncio.Future[Line] = asyncio.get_running_loop().create_future()
        self._asked[number] = (future, shown)
        self.tell(do, n=number, name=name, **said)
        try:
            with self._fate.calling():
                answered = await future
        finally:
            del self._asked[number]
        self._fate.passes(name, Moment.AFTER)
        self.did(name)
        return answered


@dataclass(frozen=True, slots=True, kw_only=True)
class FarChannel:
    """A channel over the line. `hasty` acknowledges before anything is stored, `blind` never says that it is unsure."""

    far: Far
    fate: Fate
    profile: Profile
    hasty: bool = False
    blind: bool = False

    @property
    def limits(self) -> Limits:
        """Where only edits can be repeated, every text begins as a placeholder."""
        return replace(LIMITS, once=Once.PLACEHOLDER) if self.profile is Profile.EDIT else LIMITS

    def placeholder(self, part: Part, text: str) -> Part:
        """Anything can be edited into anything."""
        return Part(text=text, choices=[])

    @property
    def lane(self) -> Lane:
        """All chats of the account."""
        return Lane(channel=CHANNEL, account=ACCOUNT)

    async def listen(self, accept: Accept) -> None:
        """One event after the other, as a platform hands them out."""
        while True:
            while not self.far.events:
                self.far.came.clear()
                await self.far.came.wait()
            event = self.far.events.popleft()
            self.fate.passes("Channel.listen", Moment.BEFORE)
            if self.hasty:
                self.far.tell("ack", event=event["id"])
            await accept(_inbound(event))
            self.far.tell("ack", event=event["id"])
            self.fate.passes("Channel.listen", Moment.AFTER)
            self.far.did("Channel.listen")

    def render(self, reply: Reply) -> Sequence[Part]:
        """Cut at the limit; choices go with the last part."""
        text = strip_controls(plain(reply))
        parts = [Part(text=text[at : at + TEXT], choices=[]) for at in range(0, max(1, len(text)), TEXT)]
        parts[-1]["choices"] = [Button(label=choice.label, token=choice.token) for choice in reply.choices]
        return parts

    async def send(self, chat: ChatKey, part: Part, key: str) -> Receipt:
        """Taken, or one of the errors that a message asked for."""
        place = {"chat": chat.chat_id, "thread": chat.thread_id or ""}
        return _receipt(await self.far.ask("send", "Channel.send", **place, part=part, key=key))

    async def edit(self, chat: ChatKey, receipt: Receipt, part: Part, key: str) -> Receipt:
        """The same edit twice is one."""
        return _receipt(await self.far.ask("edit", "Edits.edit", message=receipt.message_id, part=part, key=key))

    async def settle(self, chat: ChatKey, part: Part, key: str) -> Settled:
        """Where a key counts, saying it again is harmless; where it can be read back, it is; else nobody knows."""
        if self.profile is Profile.KEY or self.blind:
            return Settled.NOT_SENT
        if self.profile is not Profile.READBACK:
            return Settled.UNKNOWN
        found = await self.far.ask("settle", "Channel.settle", key=key)
        return Settled.SENT if found["settled"] else Settled.NOT_SENT

    async def delete(self, chat: ChatKey, receipt: Receipt) -> None:
        """What is gone already is gone."""
        await self.far.ask("delete", "Deletes.delete", message=receipt.message_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class FarModel:
    """The platform answers in its place."""

    far: Far
    name: str
    size: ModelSize = SIZE

    async def answer(self, prompt: Prompt, on_text: Callable[[str], None] | None) -> ModelAnswered:
        """It is asked with the newest words of a person, and the results that came after them."""
        last = max(place for place, message in enumerate(prompt.messages) if message.role == "user")
        results = [message.content for message in prompt.messages[last:] if message.role == "tool"]
        said = prompt.messages[last].content
        streams = on_text is not None
        answered = await self.far.ask("model", "Model.answer", on_text, said=said, results=results, streams=streams)
        match answered:
            case {"error": "refused"}:
                raise ModelRefused("it will not do this")
            case {"text": str(text), "calls": list(calls)}:
                made = tuple(Call(name=name, arguments=arguments) for name, arguments in calls)
                return ModelAnswered(text=text, calls=made, model=self.name)
        raise ModelError(f"no answer: {answered}")


class FarTool:
    """A tool whose effect lies with the platform, where it can be counted."""

    def __init__(self, far: Far, name: str, *, replayable: bool, approval: Approval = Approval.NEVER) -> None:
        self.spec = ToolSpec(
            name=name,
            description=f"The tool {name}.",
            schema={"type": "object", "properties": {}},
            effect=Effect.READS if replayable else Effect.EXTERNAL,
            replayable=replayable,
            approval=approval,
        )
        self._far = far

    async def run(self, arguments: str, context: ToolContext) -> ToolResult:
        """The same call has the same key after a crash."""
        name = self.spec.name
        point = f"Tool.run of {'look' if self.spec.replayable else 'count'}"
        if name == "tell":
            await context.say(says(f"told {context.replay_key}"))
        done = await self._far.ask("tool", point, tool=name, key=context.replay_key, arguments=arguments)
        return ToolResult(text=str(done["text"]))


def _receipt(answered: Line) -> Receipt:
    match answered:
        case {"message": str(message)}:
            return Receipt(message_id=message)
        case {"error": str(error)}:
            raise SEND_ERRORS[error](f"the platform says {error}")
    raise AssertionError(f"no receipt: {answered}")


def _inbound(event: Line) -> Inbound | Dropped:
    match event:
        case {
            "id": str(name),
            "chat": str(chat),
            "thread": str(thread),
            "user": str(user),
            "text": str(text),
            "at": int(at),
        }:
            key = ChatKey(channel=CHANNEL, account=ACCOUNT, chat_id=chat, thread_id=thread or None)
            sender = Principal(channel=CHANNEL, account=ACCOUNT, user_id=user, name=user.title())
            kind = InboundKind(str(event["kind"]))
            return Inbound(event_key=name, chat=key, sender=sender, content=text, at=at, kind=kind)
    raise AssertionError(f"no event: {event}")
