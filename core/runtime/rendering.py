"""From a reply to the parts that its channel takes: those that are kept, or new ones."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from core.decide.retry import goes_on_at, without_markup
from core.domain.delivery import Delivery, DeliveryState
from core.domain.message import Reply, Text
from core.domain.texts import Texts
from core.ports import Anew, Clock, Outbox, Sending
from core.runtime.patience import persist

Parts = Sequence[Mapping[str, object]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendering:
    """Renders deliveries. A reply of several parts keeps them, so that an upgrade between two changes nothing."""

    outbox: Outbox
    sending: Sending
    clock: Clock
    texts: Texts

    async def parts(self, delivery: Delivery) -> Parts:
        """All parts, those that are out included."""
        begun = delivery.part or delivery.attempt > 1 or delivery.plain or delivery.state is DeliveryState.UNSURE
        if begun and (kept := await persist(lambda: self.outbox.stored_parts(delivery), self.clock)):
            return kept
        parts = self._fresh(delivery)
        if len(parts) > 1:
            await persist(lambda: self.outbox.keep_parts(delivery, parts), self.clock)
        return parts

    def anew(self, delivery: Delivery, refused: Parts, error: str) -> Anew:
        """The delivery as literal text, and where it goes on; `refused` are its parts with markup."""
        parts = self._fresh(replace(delivery, plain=True))
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

    def _fresh(self, delivery: Delivery) -> Parts:
        return self.sending.render(delivery.chat, _form(delivery))


def _form(delivery: Delivery) -> Reply:
    return without_markup(delivery.reply) if delivery.plain else delivery.reply
