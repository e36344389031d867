"""A model that plays a script: for tests, for trying things out, and for whoever builds on Parley.

    model = ScriptedModel(calls("read_file", path="a.txt"), says("It is empty."))

It also is the referee of every dialogue: a prompt that some provider would refuse is an error here.
"""

import asyncio
import json
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import assert_never

from core.domain.errors import ModelError
from core.domain.prompt import ModelSize, Prompt
from core.domain.step import Call, ModelAnswered
from core.models.validity import faults

KEPT_PROMPTS = 100
SIZE = ModelSize(window=128_000, output=4_096)

Gate = Callable[[], Awaitable[object]]


class ScriptOver(AssertionError):
    """The model was asked more often than its script has acts."""


class InvalidPrompt(AssertionError):
    """The prompt is one that some provider would refuse; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """An act with a pause: it shows `shown` if somebody watches, waits for the gate, then ends with `then`."""

    gate: Gate
    then: ModelAnswered | ModelError
    shown: str = ""


Ending = ModelAnswered | ModelError | Scene
Act = Ending | Callable[[Prompt], Ending]


def says(text: str) -> ModelAnswered:
    """An answer of text alone."""
    return ModelAnswered(text=text)


def calls(name: str, /, **arguments: object) -> ModelAnswered:
    """One tool call."""
    return ModelAnswered(text="", calls=(Call(name=name, arguments=json.dumps(arguments)),))


def calls_raw(name: str, arguments: str) -> ModelAnswered:
    """One tool call whose arguments are this text, be it JSON or not."""
    return ModelAnswered(text="", calls=(Call(name=name, arguments=arguments),))


def together(*answers: ModelAnswered) -> ModelAnswered:
    """One answer with all their text and all their calls."""
    text = "".join(answer.text for answer in answers)
    return ModelAnswered(text=text, calls=tuple(call for answer in answers for call in answer.calls))


def cut(answer: ModelAnswered) -> ModelAnswered:
    """The same answer, ended by the output limit."""
    return replace(answer, cut=True)


def fails(error: ModelError) -> ModelError:
    """No answer but this error."""
    return error


def waits(gate: Gate, then: ModelAnswered | ModelError) -> Scene:
    """Nothing until the gate opens (`event.wait`), then this."""
    return Scene(gate=gate, then=then)


def says_slowly(shown: str, gate: Gate, rest: str) -> Scene:
    """The first words at once, the others when the gate opens."""
    return Scene(gate=gate, then=says(shown + rest), shown=shown)


def breaks_off(shown: str, error: ModelError) -> Scene:
    """Some words, then this error, as a stream that is cut."""
    return Scene(gate=_open, then=error, shown=shown)


def hangs() -> Scene:
    """No answer at all; only cancelling ends it."""
    return Scene(gate=asyncio.Event().wait, then=says(""))


class ScriptedModel:
    """Takes one act a call, in order. `repeat_last` makes the last act stand for all that follow.

    The newest hundred prompts are kept in `prompts`, all calls are counted in `asked`; what was wrong is listed in
    `faults` too, since a supervisor may have caught the error.
    """

    def __init__(
        self,
        *script: Act,
        name: str = "scripted",
        size: ModelSize = SIZE,
        repeat_last: bool = False,
        validate: bool = True,
        keep: int = KEPT_PROMPTS,
    ) -> None:
        self.prompts: deque[Prompt] = deque(maxlen=keep)
        self.asked = 0
        self.faults: list[str] = []
        self._script = deque(script)
        self._name = name
        self._size = size
        self._repeat_last = repeat_last
        self._validate = validate

    @property
    def name(self) -> str:
        """The name it was given."""
        return self._name

    @property
    def size(self) -> ModelSize:
        """The size it was given."""
        return self._size

    def then(self, *acts: Act) -> None:
        """More acts at the end of the script."""
        self._script.extend(acts)

    async def answer(self, prompt: Prompt, on_text: Callable[[str], None] | None) -> ModelAnswered:
        """Play the next act. Streams word by word; costs nothing."""
        self.asked += 1
        self.prompts.append(prompt)
        wrong = faults(prompt) if self._validate else ()
        if wrong:
            self.faults.extend(wrong)
            raise InvalidPrompt("; ".join(wrong))
        act = self._next()
        ending = act if isinstance(act, ModelAnswered | ModelError | Scene) else act(prompt)
        return await self._play(ending, on_text)

    def _next(self) -> Act:
        if not self._script:
            fault = f"the script of {self._name} is over: call {self.asked} has no act"
            self.faults.append(fault)
            raise ScriptOver(fault)
        return self._script[0] if self._repeat_last and len(self._script) == 1 else self._script.popleft()

    async def _play(self, ending: Ending, on_text: Callable[[str], None] | None) -> ModelAnswered:
        match ending:
            case Scene(gate=gate, then=then, shown=shown):
                _show("", shown, on_text)
                await gate()
                return self._end(then, shown, on_text)
            case ModelAnswered() | ModelError():
                await asyncio.sleep(0)
                return self._end(ending, "", on_text)
            case _:
                assert_never(ending)

    def _end(
        self, ending: ModelAnswered | ModelError, shown: str, on_text: Callable[[str], None] | None
    ) -> ModelAnswered:
        if isinstance(ending, ModelError):
            raise ending
        _show(shown, ending.text.removeprefix(shown), on_text)
        return replace(ending, model=self._name)


def _show(before: str, text: str, on_text: Callable[[str], None] | None) -> None:
    if on_text is None or not text:
        return
    words: Sequence[str] = text.split(" ")
    for count in range(1, len(words) + 1):
        on_text(before + " ".join(words[:count]))


async def _open() -> None:
    await asyncio.sleep(0)
