"""From a claim to frames that can go on where their logs end."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from core.domain.chat import Principal
from core.domain.errors import ToolError
from core.domain.history import Exchange, Said, SubFrame
from core.domain.step import Asked, CallId, Delegated, Stamped, Steered
from core.domain.tool import Delegate, Reach
from core.ports import Asks, Children, Claim, Clock, Tool, Turns
from core.runtime.frame import Frame, FrameLog, Tree
from core.runtime.history import History, Loaded
from core.runtime.patience import LeaseLost, persist
from core.runtime.system import SystemPrompt

DEEPEST = 5


def reaches(reach: Reach, depth: int) -> bool:
    """Whether an agent that stands so many below the first has a tool of this reach."""
    match reach:
        case Reach.EVERYWHERE:
            return True
        case Reach.ROOT:
            return depth == 0
        case Reach.ABOVE_THE_LAST:
            return depth < DEEPEST


@dataclass(frozen=True, slots=True, kw_only=True)
class Log:
    """What the store holds of a turn."""

    turns: Turns
    children: Children
    asks: Asks


class Loading:
    """Reads what a turn needs: the past of its chat, its agents, their tools."""

    def __init__(
        self, log: Log, history: History, system: SystemPrompt, tools: Mapping[str, Tool], clock: Clock
    ) -> None:
        self._log = log
        self._clock = clock
        self._history = history
        self._system = system
        self._tools = tools

    async def load(self, claim: Claim) -> Frame:
        """The root frame, with all frames below it in its tree.

        Raises SettingsError when the folder of an agent is broken, StoreError when the log cannot be read.
        """
        loaded = await self._history.load(claim)
        steps = loaded.current.steps
        below = await self._log.children.of_turn(claim) if _any(steps, Delegated) else ()
        every = [*steps, *(stamped for sub in below for stamped in sub.steps)]
        tree = Tree(
            answers=await self._log.asks.answers(claim) if _any(every, Asked) else {},
            steers=_not_taken_in(loaded.current),
            last=max((stamped.seq for stamped in every), default=0),
        )
        root = self._root(claim, tree, loaded)
        for sub in below:
            self.child(root, sub)
        return root

    def child(self, parent: Frame, sub: SubFrame) -> Frame:
        """A frame of the same turn for another agent. Raises ToolError when there is no such agent any more."""
        task = Said(inbound=0, sender=self._asker(parent), content=sub.task, at=0)
        current = Exchange(turn=parent.claim.turn, said=(task,), steps=sub.steps, closed=False)
        agent, system = self._system.build(sub.agent, parent.claim.chat, current, below=True)
        frame = replace(
            parent,
            id=sub.id,
            depth=sub.depth,
            agent=agent,
            tools=self._tools_of(agent.tools, sub.depth),
            system=system,
            past=(),
            current=current,
            shared=False,
            log=FrameLog(sub.steps, parent.tree.numbers),
        )
        parent.tree.frames[frame.id] = frame
        return frame

    async def delegate(self, parent: Frame, call: CallId, wish: Delegate) -> Frame | str:
        """Log that another agent works on a call, and give its frame; or what is wrong with that agent's folder.

        Raises LeaseLost.
        """
        seq = parent.log.next_place()
        sub = SubFrame(
            id=0, parent=parent.id, call=call, agent=wish.agent, task=wish.task, depth=parent.depth + 1, steps=()
        )
        made = await persist(lambda: self._log.children.begin(parent.claim, seq, sub), self._clock)
        if made is None:
            raise LeaseLost
        parent.log.add_saved(Stamped(seq=seq, step=Delegated(call=call, frame=made)))
        try:
            return self.child(parent, replace(sub, id=made))
        except ToolError as exc:
            return str(exc)

    def refuses(self, parent: Frame, wish: Delegate) -> str | None:
        """Why this agent may not let that one work, in the words for its model; None when it may."""
        if wish.agent == parent.agent.id:
            return "an agent cannot call itself"
        try:
            self._system.require(wish.agent)
        except ToolError as error:
            return str(error)
        if not reaches(Reach.ABOVE_THE_LAST, parent.depth):
            return f"maximum agent depth ({DEEPEST}) exceeded"
        return None

    async def reload(self, frame: Frame) -> Frame | None:
        """A signal came in: the same turn as the store has it now; None when the lease is lost."""
        signals = await self._log.turns.signals(frame.claim)
        return None if signals is None else await self.load(replace(frame.claim, signals=signals))

    def remember(self, frame: Frame) -> None:
        """The turn of this root frame is committed as it stands here."""
        self._history.remember(frame.claim, frame.current, frame.log.steps)

    def _root(self, claim: Claim, tree: Tree, loaded: Loaded) -> Frame:
        agent, system = self._system.build(claim.agent, claim.chat, loaded.current)
        root = Frame(
            id=0,
            depth=0,
            claim=claim,
            tree=tree,
            agent=agent,
            tools=self._tools_of(agent.tools, 0),
            system=system,
            past=loaded.past,
            current=loaded.current,
            shared=claim.shared,
            log=FrameLog(loaded.current.steps, tree.numbers),
        )
        tree.frames[root.id] = root
        return root

    def _tools_of(self, names: Sequence[str], depth: int) -> Mapping[str, Tool]:
        known = {name: self._tools[name] for name in names if name in self._tools}
        return {name: tool for name, tool in known.items() if reaches(tool.spec.reach, depth)}

    @staticmethod
    def _asker(frame: Frame) -> Principal:
        return frame.current.said[-1].sender


def _any(steps: Sequence[Stamped], kind: type[Asked] | type[Delegated]) -> bool:
    return any(isinstance(stamped.step, kind) for stamped in steps)


def _not_taken_in(current: Exchange) -> Sequence[int]:
    taken = {stamped.step.inbound for stamped in current.steps if isinstance(stamped.step, Steered)}
    return [said.inbound for said in current.said if said.steers and said.inbound not in taken]
