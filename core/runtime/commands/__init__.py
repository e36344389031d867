"""One performer a file; `performers` is the table."""

from collections.abc import Mapping, Sequence

from core.domain.command import CommandSpec
from core.domain.texts import Texts
from core.ports import ChatSettings, Clock, Models
from core.runtime.commands.help import Help
from core.runtime.commands.model import ChooseModel
from core.runtime.commands.status import Status
from core.runtime.control import Performer


def performers(
    commands: Sequence[CommandSpec], chats: ChatSettings, models: Models, texts: Texts, clock: Clock
) -> Mapping[str, Performer]:
    """Everything that is performed beside a turn; `/stop` and `/new` are applied by intake itself."""
    return {
        "help": Help(commands),
        "status": Status(chats, models, clock),
        "model": ChooseModel(chats, models, texts),
    }
