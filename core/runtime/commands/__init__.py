"""One performer a file; `performers` is the table."""

from collections.abc import Mapping

from core.runtime.commands.looking import looking
from core.runtime.commands.model import ChooseModel
from core.runtime.commands.queue import ChooseQueue
from core.runtime.commands.sources import Sources
from core.runtime.commands.steer import Steer
from core.runtime.control import Performer


def performers(known: Sources) -> Mapping[str, Performer]:
    """Everything that is performed beside a turn; what stops one or changes the history is applied by intake itself."""
    return {
        **looking(known),
        "queue": ChooseQueue(known.chats, known.mode, known.texts),
        "steer": Steer(known.texts),
        "model": ChooseModel(known.chats, known.models, known.texts),
    }
