"""Logs as models, crashes and damage may leave them, and a turn played through by the rules alone."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from hypothesis import settings
from hypothesis import strategies as st

from core.decide.actions import Action, Blocked, CallModel, Close, Confirm, Fail, Finish, Run
from core.decide.next_step import Budget, next_actions
from core.decide.open_calls import Circumstances
from core.domain.chat import Principal
from core.domain.history import Exchange, Said
from core.domain.message import Attachment, OutgoingFile
from core.domain.step import (
    Asked,
    AskedAbout,
    Call,
    CallId,
    Delegated,
    ModelAnswered,
    Nudged,
    Stamped,
    Steered,
    Step,
    ToolFinished,
    ToolStarted,
)
from core.domain.turn import Usage
from core.domain.wait import Answered

# `look` and `ask` may be repeated, `pay` may not; `magic` does not exist.
TOOLS: Mapping[str, bool] = {"look": True, "pay": False, "ask": True}
NAMES = ("look", "pay", "ask", "magic")

# The same examples on every run, however busy the machine is.
steady = settings(deadline=None, derandomize=True)

texts = st.text(max_size=12)
arguments = st.one_of(
    st.sampled_from(["", " ", "null", "{}", '{"a": 1}', "[]", "1", '"x"', "{", '{"a"', "{}{}", "[" * 2_000]), texts
)
model_calls = st.builds(lambda name, text: Call(name=name, arguments=text), st.sampled_from(NAMES), arguments)
model_answers = st.builds(
    lambda text, calls, cut, tokens: ModelAnswered(
        text=text, calls=tuple(calls), cut=cut, usage=Usage(prompt_tokens=tokens)
    ),
    st.sampled_from(["", "  \n", "hello"]),
    st.lists(model_calls, max_size=3),
    st.booleans(),
    st.integers(0, 100),
)
call_ids = st.builds(lambda step, index: CallId(step=step, index=index), st.integers(-1, 9), st.integers(-1, 3))
steps: st.SearchStrategy[Step] = st.one_of(
    model_answers,
    st.builds(lambda call: ToolStarted(call=call), call_ids),
    st.builds(lambda call, about: Asked(call=call, about=about), call_ids, st.sampled_from(AskedAbout)),
    st.builds(lambda call: Delegated(call=call, frame=1), call_ids),
    st.builds(lambda inbound: Steered(inbound=inbound), st.integers(0, 3)),
    st.builds(lambda call, text: ToolFinished(call=call, result=text), call_ids, texts),
    st.just(Nudged(text="go on")),
)


def stamped(happened: Sequence[Step], *, start: int = 1) -> tuple[Stamped, ...]:
    """Steps in their places."""
    return tuple(Stamped(seq=seq, step=step) for seq, step in enumerate(happened, start))


damaged = st.lists(steps, max_size=10).map(stamped)
"""Steps in any order, with results of calls that nobody made, and calls that nobody answered."""

attachments = st.builds(
    lambda name, path, caption: Attachment(name=name, media_type="a/b", size=1, path=path, caption=caption),
    texts,
    st.none() | texts,
    texts,
)
people = st.builds(
    lambda user, name: Principal(channel="fake", account="acme", user_id=user, name=name),
    st.text("abcU0123", min_size=1, max_size=6),
    texts,
)
messages = st.builds(
    lambda sender, content, files: Said(inbound=1, sender=sender, content=content, at=0, attachments=tuple(files)),
    people,
    texts,
    st.lists(attachments, max_size=2),
)
exchanges = st.builds(
    lambda turn, said, log: Exchange(turn=turn, said=tuple(said), steps=log),
    st.integers(1, 10**12),
    st.lists(messages, min_size=1, max_size=2),
    damaged,
)


@dataclass(slots=True, eq=False)
class Turn:
    """A turn that is played by asking `next_actions` and doing what it says; the play may crash in between.

    `ask` waits for a person; whoever plays answers when the turn is blocked.
    """

    budget: Budget
    answer: Callable[[], ModelAnswered]
    crashes: Callable[[], bool]
    log: list[Stamped] = field(default_factory=list)
    answers: dict[int, Answered] = field(default_factory=dict)
    resumed: bool = True
    ran: list[CallId] = field(default_factory=list)

    def add(self, step: Step) -> None:
        """The next step of the log."""
        self.log.append(Stamped(seq=len(self.log) + 1, step=step))

    def decide(self) -> Sequence[Action]:
        """What is to be done now."""
        return next_actions(
            self.log, Circumstances(tools=TOOLS, answers=self.answers, resumed=self.resumed), self.budget
        )

    def do(self, actions: Sequence[Action]) -> Finish | Fail | None:
        """Do it; the end when it is one."""
        self.resumed = False
        first = actions[0]
        if isinstance(first, Finish | Fail):
            return first
        if isinstance(first, CallModel):
            self._ask(first)
        elif all(isinstance(action, Blocked) for action in actions):
            # Every question is answered with its first choice: an interrupted call runs again.
            self.answers |= {one.seq: Answered(text="yes", choice=0) for one in self.log if isinstance(one.step, Asked)}
        else:
            self._perform([action for action in actions if isinstance(action, Run | Confirm | Close)])
        return None

    def _ask(self, action: CallModel) -> None:
        if action.nudge is not None:
            self.add(Nudged(text=action.nudge))
        if not self._crashed():
            self.add(self.answer())

    def _perform(self, actions: Sequence[Run | Confirm | Close]) -> None:
        for action in actions:
            if isinstance(action, Run) and action.record:
                self.add(ToolStarted(call=action.id))
        for action in actions:
            if isinstance(action, Run):
                self.ran.append(action.id)
            if self._crashed():
                return
            if isinstance(action, Confirm):
                self.add(Asked(call=action.id, about=AskedAbout.INTERRUPTED))
            elif isinstance(action, Run) and action.call.name == "ask":
                self.add(Asked(call=action.id))
            else:
                files = (OutgoingFile(path=f"{action.id.index}", name="f"),)
                self.add(ToolFinished(call=action.id, result="done", files=files))

    def _crashed(self) -> bool:
        """The process died here: what is in the log stays, and nothing runs any more."""
        self.resumed = self.resumed or self.crashes()
        return self.resumed
