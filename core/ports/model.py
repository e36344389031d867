"""Models as the engine asks them."""

from collections.abc import Callable, Sequence
from typing import Protocol

from core.domain.prompt import ModelSize, Prompt
from core.domain.step import ModelAnswered
from core.domain.turn import ModelChoice


class Model(Protocol):
    """One named model."""

    @property
    def name(self) -> str:
        """The name it has in the settings."""

    @property
    def size(self) -> ModelSize:
        """Its limits, known before the first call."""

    async def answer(self, prompt: Prompt, on_text: Callable[[str], None] | None) -> ModelAnswered:
        """One call, no retries. With `on_text` the answer is streamed: each call of it gets all text so far.

        Cancelling closes the connection. Raises ModelError and nothing else.
        """


class Models(Protocol):
    """All named models, and the choice among them."""

    def get(self, name: str) -> Model:
        """Raises ModelRefused when there is no such model any more."""

    def choose(self, wanted: str | None) -> ModelChoice:
        """The models to try, best first, for a message admitted now. An unknown `wanted` falls back to the default."""

    def names(self) -> Sequence[str]:
        """Every name, the default first."""
