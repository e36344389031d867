"""Calls that wait for an approver's yes."""

import asyncio
from dataclasses import dataclass
from pathlib import Path

from core.decide.approval import LONGEST_SHOWN, VERDICTS, approval_question, as_file
from core.domain.message import OutgoingFile
from core.domain.step import AskedAbout, CallId
from core.domain.texts import Texts
from core.domain.tool import Proposal
from core.ports import Chance
from core.runtime.frame import Frame
from core.runtime.handing import Handing

# Where in the workspace proposals lie that are too long for a message.
FOLDER = "data/approvals"


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposals:
    """Shows approvers exactly what a call would do."""

    handing: Handing
    chance: Chance
    texts: Texts
    workspace: Path

    async def put(self, frame: Frame, call: CallId, tool: str, proposal: Proposal) -> None:
        """On a card, or in a file where it is long. Raises LeaseLost."""
        question = approval_question(
            proposal,
            call=call,
            tool=tool,
            asker=frame.current.said[-1].sender,
            tokens=[self.chance.key() for _ in VERDICTS],
            texts=self.texts,
        )
        if len(proposal.shown) > LONGEST_SHOWN:
            question = as_file(question, await asyncio.to_thread(self._keep, proposal))
        await self.handing.put(frame, question, AskedAbout.APPROVAL)

    def _keep(self, proposal: Proposal) -> OutgoingFile:
        folder = self.workspace / FOLDER
        folder.mkdir(parents=True, exist_ok=True)
        name = f"{proposal.digest[:16]}.txt"
        (folder / name).write_text(proposal.shown)
        return OutgoingFile(path=f"{FOLDER}/{name}", name=name)
