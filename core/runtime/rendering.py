"""From a reply to the parts that its channel takes: those that are kept, or new ones."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from core.decide.long_reply import opening, with_file
from core.decide.retry import goes_on_at, without_markup
from core.domain.delivery import Delivery, DeliveryState
from core.domain.message import Reply, Text, plain
from core.domain.texts import Texts
from core.ports import Anew, Clock, Outbox, ReplyFiles, Sending
from core.runtime.patience import persist

Parts = Sequence[Mapping[str, object]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendering:
    """Renders deliveries. A reply of several parts keeps them, so that an upgrade between two changes nothing.

    One of more than `most` parts goes as a file, with its first part as text, where the channel takes files.
    """

    outbox: Outbox
    sending: Sending
    files: ReplyFiles
    clock: Clock
    texts: Texts
    most: int

    async def parts(self, delivery: Delivery) -> Parts:
        """All parts, those that are out included."""
        begun = delivery.part or delivery.attempt > 1 or delivery.plain or delivery.state is DeliveryState.UNSURE
        if begun and (kept := await persist(lambda: self.outbox.stored_parts(delivery), self.clock)):
            return kept
        parts = await self._fresh(delivery)
        if len(parts) > 1:
            await persist(lambda: self.outbox.keep_parts(delivery, parts), self.clock)
        return parts

    async def anew(self, delivery: Delivery, refused: Parts, error: str) -> Anew:
        """The delivery as literal text, and where it goes on; `refused` are its parts with markup."""
        parts = await self._fresh(replace(delivery, plain=True))
        part = goes_on_at(delivery.part, before=len(refused), now=len(parts))
        return Anew(parts=parts, part=part, error=error)

    def labelled(self, delivery: Delivery) -> Parts | None:
        """A reply of one part with the label of a repeat; None where that would not fit into one."""
        reply = _form(delivery)
        labelled = replace(reply, fragments=(self._label, *reply.fragments))
        parts = self.sending.render(delivery.chat, labelled)
        return parts if len(parts) == 1 else None

    def label(self, delivery: Delivery) -> Parts:
        """The label of a repeat as a message of its own."""
        return self.sending.render(delivery.chat, Reply(fragments=(self._label,)))

    def placeholder(self, delivery: Delivery, part: Mapping[str, object]) -> Mapping[str, object] | None:
        """What goes out first, to be edited into the part; None where the part goes out at once."""
        return self.sending.placeholder(delivery.chat, part, self.texts.say("placeholder"))

    @property
    def _label(self) -> Text:
        return Text(text=self.texts.say("possible_repeat"))

    async def _fresh(self, delivery: Delivery) -> Parts:
        reply = _form(delivery)
        parts = self.sending.render(delivery.chat, reply)
        return parts if len(parts) <= self.most else await self._as_file(delivery, reply) or parts

    async def _as_file(self, delivery: Delivery, reply: Reply) -> Parts | None:
        """The file is written before any part of it is stored or sent; None where it cannot go as one."""
        text, chat = plain(reply), delivery.chat
        if len(text.encode("utf-8", "replace")) > self.sending.manners(chat).file_bytes:
            return None
        path = await self.files.keep(chat, f"{delivery.id}.md", text)
        if path is None:
            return None
        beginning = opening(reply, lambda one: len(self.sending.render(chat, one)) <= 1)
        return self.sending.render(chat, with_file(reply, beginning, path))


def _form(delivery: Delivery) -> Reply:
    return without_markup(delivery.reply) if delivery.plain else delivery.reply
