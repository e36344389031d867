"""The commands that only look."""

from collections.abc import Mapping

from core.runtime.commands.help import Help
from core.runtime.commands.sessions import Sessions
from core.runtime.commands.sources import Sources
from core.runtime.commands.status import Status
from core.runtime.commands.usage import ShowUsage
from core.runtime.commands.whoami import WhoAmI
from core.runtime.commands.why import Why
from core.runtime.control import Performer


def looking(known: Sources) -> Mapping[str, Performer]:
    """They change nothing, so it does not matter how often a crash repeats them."""
    return {
        "help": Help(known.commands),
        "status": Status(known.chats, known.mode, known.models, known.clock),
        "sessions": Sessions(known.log, known.texts),
        "whoami": WhoAmI(),
        "why": Why(known.chats, known.log, known.models),
        "usage": ShowUsage(known.log, known.clock),
    }
