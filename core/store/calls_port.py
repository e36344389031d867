"""What the calls of a turn need of the store: child frames, and people who are asked."""

from collections.abc import Mapping, Sequence

from core.domain.history import SubFrame
from core.domain.step import Stamped
from core.domain.texts import Texts
from core.domain.wait import Answered, Question
from core.ports import Claim
from core.store import asking, frames, grants
from core.store.store import Store


class StoredChildren:
    """Children on the store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def begin(self, claim: Claim, seq: int, sub: SubFrame) -> int | None:
        """Make a child frame."""
        return await self._store.run(frames.begin, claim, seq, sub)

    async def of_turn(self, claim: Claim) -> Sequence[SubFrame]:
        """The child frames of a turn."""
        return await self._store.read(frames.of_turn, claim.turn)


class StoredAsks:
    """Asks on the store."""

    def __init__(self, store: Store, texts: Texts) -> None:
        self._store = store
        self._texts = texts

    async def ask(self, claim: Claim, frame: int, asked: Stamped, question: Question, *, key: str) -> bool:
        """Ask a person."""
        return await self._store.run(asking.ask, claim, frame, asked, question, key, self._texts)

    async def answers(self, claim: Claim) -> Mapping[int, Answered]:
        """How waits ended so far."""
        return await self._store.read(asking.answers, claim.turn)

    async def granted(self, claim: Claim, tool: str, digest: str) -> bool:
        """Whether this was allowed for good."""
        return await self._store.read(grants.granted, claim, tool, digest)
