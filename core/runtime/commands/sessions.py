"""/sessions"""

from datetime import datetime

from core.domain.message import Reply, says
from core.domain.session import Session
from core.domain.texts import Texts
from core.ports import ChatLog, PendingCommand


class Sessions:
    """Lists the conversations of a chat."""

    def __init__(self, log: ChatLog, texts: Texts) -> None:
        self._log = log
        self._texts = texts

    async def __call__(self, command: PendingCommand) -> Reply:
        """One line a conversation, newest first: a mark at the current one, its number, its date, its first words."""
        found = await self._log.sessions(command.chat_row)
        return says("\n".join(self._line(session) for session in found))

    def _line(self, session: Session) -> str:
        mark = "*" if session.current else " "
        if session.began is None:
            return f"{mark} {session.number}  {self._texts.say('session_empty')}"
        date = datetime.fromtimestamp(session.began / 1000).astimezone().strftime("%Y-%m-%d")
        return f"{mark} {session.number}  {date}  {session.words}"
