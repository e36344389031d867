"""Whether a call may run now, must wait for a person's yes, or may not run at all."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

from core.decide.actions import CallAction, Close, Propose, Run
from core.decide.approval import Leave, leave_for, usual_proposal
from core.decide.gate import lowest
from core.domain.chat import Role
from core.domain.errors import ToolError
from core.domain.tool import Proposal
from core.ports import Asks, Proposes
from core.runtime.bench import Bench, broke
from core.runtime.frame import Frame
from core.runtime.supervised import BROKEN, supervised

# Whoever is let in by `*`, and whoever speaks in one turn with such a person.
GUESTS_HAVE = frozenset({"ask_user", "current_time", "load_skill"})
NOT_FOR_GUESTS = "{name} may not be used here: somebody who speaks in this conversation is a guest."
DENIED = "{name} may not be used here: the operator denied it."


@dataclass(frozen=True, slots=True, kw_only=True)
class Permission:
    """The rules for calls that need leave. `modes` are the settings of single tools, before the tools' own rules."""

    modes: Mapping[str, str]
    asks: Asks
    bench: Bench

    async def clear(self, frame: Frame, action: CallAction) -> CallAction:
        """The action itself where nothing is to be asked; else what takes its place.

        What was approved runs only while it still is exactly that: a script that changed meanwhile is asked about
        anew. The person with the fewest rights of those who spoke in the turn decides what it may do.
        """
        if not isinstance(action, Run):
            return action
        name, role = action.call.name, self._role(frame)
        if role is Role.GUEST and name not in GUESTS_HAVE:
            return Close(id=action.id, result=NOT_FOR_GUESTS.format(name=name))
        match leave_for(frame.tools[name].spec.approval, self.modes.get(name), role):
            case Leave.FREE:
                return action
            case Leave.DENIED:
                return Close(id=action.id, result=DENIED.format(name=name))
            case Leave.ASK:
                return await self._asked(frame, action)

    async def _asked(self, frame: Frame, action: Run) -> CallAction:
        name = action.call.name
        proposal = await supervised(self._proposed(frame, action), "tool.broke")
        if proposal is BROKEN:
            return Close(id=action.id, result=broke(name).text)
        if isinstance(proposal, str):
            return Close(id=action.id, result=proposal)
        if action.approved == proposal.digest or await self.asks.granted(frame.claim, name, proposal.digest):
            return action
        return Propose(id=action.id, tool=name, proposal=proposal)

    async def _proposed(self, frame: Frame, action: Run) -> Proposal | str:
        name = action.call.name
        tool = frame.tools[name]
        if not isinstance(tool, Proposes):
            return usual_proposal(name, action.call.arguments)
        try:
            async with asyncio.timeout(self.bench.tool_s):
                return await tool.propose(action.call.arguments, self.bench.context(frame, action.id, name))
        except ToolError as exc:
            return str(exc)
        except TimeoutError:
            return f"What {name} would do could not be found out in time."

    def _role(self, frame: Frame) -> Role:
        return lowest(said.role for said in frame.tree.frames[0].current.said)
