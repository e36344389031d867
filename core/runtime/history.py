"""What earlier turns of a chat look like in a prompt, remembered between turns so that the log is read once."""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

from core.decide.context import Block, block
from core.decide.prompt import exchange_messages
from core.domain.history import Exchange
from core.domain.step import Stamped
from core.ports import Claim, Turns

# Exchanges of one chat that a prompt can reach back to, and exchanges kept over all chats.
CHAT_EXCHANGES = 200
KEPT_EXCHANGES = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """The past of a chat as blocks, oldest first, and the turn at hand."""

    past: tuple[Block, ...]
    current: Exchange


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    epoch: int
    last: int
    blocks: tuple[Block, ...]


class History:
    """Reads the log of a chat from where it left off. What it remembers is only a copy: losing it costs one read."""

    def __init__(self, turns: Turns) -> None:
        self._turns = turns
        self._known: OrderedDict[int, _Known] = OrderedDict()
        self._kept = 0

    async def load(self, claim: Claim) -> Loaded:
        """Everything up to the claimed turn."""
        known = self._known.get(claim.chat_row)
        if known is None or known.epoch != claim.epoch:
            known = _Known(epoch=claim.epoch, last=0, blocks=())
        exchanges = await self._turns.history(claim, known.last)
        current = exchanges[-1]
        known = _extend(known, exchanges[:-1], shared=claim.shared)
        self._keep(claim.chat_row, known)
        return Loaded(past=known.blocks, current=current)

    def remember(self, claim: Claim, current: Exchange, steps: Sequence[Stamped]) -> None:
        """The turn is committed: add it without reading it back."""
        known = self._known.get(claim.chat_row)
        if known is not None and known.epoch == claim.epoch and known.last < claim.turn:
            closed = Exchange(turn=current.turn, said=current.said, steps=tuple(steps))
            self._keep(claim.chat_row, _extend(known, (closed,), shared=claim.shared))

    def _keep(self, chat_row: int, known: _Known) -> None:
        before = self._known.pop(chat_row, None)
        self._kept += len(known.blocks) - (len(before.blocks) if before else 0)
        self._known[chat_row] = known
        while self._kept > KEPT_EXCHANGES and len(self._known) > 1:
            _, oldest = self._known.popitem(last=False)
            self._kept -= len(oldest.blocks)


def _extend(known: _Known, exchanges: Sequence[Exchange], *, shared: bool) -> _Known:
    if not exchanges:
        return known
    added = tuple(block(exchange_messages(exchange, shared=shared)) for exchange in exchanges)
    return _Known(epoch=known.epoch, last=exchanges[-1].turn, blocks=(known.blocks + added)[-CHAT_EXCHANGES:])
