"""What an edit or a delete of a message does. It never becomes a command or an answer."""

from core.decide.decisions import Change, Drop, Halt, Replace, Steer, Withdraw
from core.decide.view import Target
from core.domain.message import Inbound, InboundKind

# Before words that replace others which the model has read already.
EDITED = "(edited) "


def change(inbound: Inbound, target: Target | None) -> Change | Steer | Drop:
    """Only a person's own messages, and only while their turn is not over."""
    kind = inbound.kind.value
    if target is None or not target.live or not target.said:
        return Drop(reason=f"{kind}_of_nothing_open")
    if target.sender != inbound.sender.user_id:
        return Drop(reason=f"{kind}_of_another")
    return _delete(target) if inbound.kind is InboundKind.DELETE else _edit(inbound, target)


def _edit(inbound: Inbound, target: Target) -> Replace | Steer | Drop:
    if not inbound.content.strip() or inbound.content == target.content:
        # Platforms also tell of an edit when only a preview of a link was added.
        return Drop(reason="edit_changes_nothing")
    if target.begun:
        return Steer(turn=target.turn, said=f"{EDITED}{inbound.content}")
    return Replace(inbound=target.inbound, turn=target.turn)


def _delete(target: Target) -> Halt | Withdraw | Drop:
    if not target.opens:
        # It steered a turn that has a reason of its own.
        return Drop(reason="delete_of_nothing_open")
    if target.begun:
        return Halt(turn=target.turn)
    return Withdraw(inbound=target.inbound, turn=target.turn)
