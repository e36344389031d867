"""An event that has its row: what the operations of T1 hand to each other."""

from dataclasses import dataclass

from core.domain.message import Dropped, Inbound
from core.domain.texts import Texts
from core.domain.turn import ModelChoice
from core.ports import Accepted
from core.store.admission import Admission
from core.store.chat_lock import Locked


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """An event, its id, and all that its transaction knows."""

    event: Inbound | Dropped
    id: int
    chat: Locked
    choice: ModelChoice
    admission: Admission

    @property
    def inbound(self) -> Inbound:
        """Only what a person said can be more than dropped."""
        assert isinstance(self.event, Inbound)
        return self.event

    @property
    def texts(self) -> Texts:
        """The texts in force."""
        return self.admission.rules.texts

    def accepted(self, *, resumed: bool = False) -> Accepted:
        """What intake tells of it, to be added to."""
        return Accepted(inbound=self.id, chat_row=self.chat.id, resumed=resumed)
