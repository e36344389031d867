"""/why"""

from core.domain.message import Reply, says
from core.domain.turn import TurnState
from core.ports import ChatLog, ChatSettings, LastTurn, Models, PendingCommand

_STATES = {
    TurnState.QUEUED: "waits its turn",
    TurnState.RUNNING: "is being worked on",
    TurnState.WAITING: "waits for an answer of a person",
    TurnState.STOPPED: "was stopped",
}


class Why:
    """Which agent and model answer here and why, and what became of the last message."""

    def __init__(self, chats: ChatSettings, log: ChatLog, models: Models) -> None:
        self._chats = chats
        self._log = log
        self._models = models

    async def __call__(self, command: PendingCommand) -> Reply:
        """One to three lines."""
        wanted = await self._chats.model(command.chat_row)
        choice = self._models.choose(wanted).names
        lines = [f"Model: {choice[0]}, {_reason(wanted, choice[0])}"]
        if len(choice) > 1:
            lines[0] += f"; if it fails: {', '.join(choice[1:])}"
        last = await self._log.last_turn(command.chat_row)
        if last is not None:
            lines = [f"Agent: {last.agent}", *lines, f"Last message ({last.turn}): {_fate(last)}"]
        return says("\n".join(lines))


def _reason(wanted: str | None, chosen: str) -> str:
    if wanted is None:
        return "the default"
    return "chosen with /model" if wanted == chosen else f"the default, since there is no {wanted} any more"


def _fate(last: LastTurn) -> str:
    match last.state:
        case TurnState.DONE:
            return f"answered by {last.answered}" if last.answered else "answered"
        case TurnState.BROKEN:
            tried = f" (tried: {', '.join(last.models)})" if last.models else ""
            return f"failed, {last.cause}{tried}"
        case state:
            return _STATES[state]
