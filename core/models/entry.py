"""One named model, as the settings describe it."""

from dataclasses import dataclass

from core.domain.prompt import ModelSize
from core.domain.secret import Secret

DEFAULT_WINDOW = 32_768
DEFAULT_OUTPUT = 4_096
DEFAULT_PRIORITY = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelEntry:
    """`model` is a litellm id such as "openai/NAME". Where requests go (`api_base`) is said here and nowhere else.

    `window` and `output` are tokens, `first_byte_s` and `whole_s` seconds, prices US dollars per million tokens. A
    lower `priority` is tried earlier when the chosen model cannot be reached. `strength` and `scope` say what the
    model is good for; nothing selects by them yet.
    """

    name: str
    model: str
    api_base: str | None = None
    api_key: Secret | None = None
    window: int = DEFAULT_WINDOW
    output: int = DEFAULT_OUTPUT
    first_byte_s: float = 60.0
    whole_s: float = 600.0
    price_in: float | None = None
    price_out: float | None = None
    vision: bool = False
    scope: str | None = None
    strength: str | None = None
    priority: int = DEFAULT_PRIORITY

    @property
    def size(self) -> ModelSize:
        """What fits."""
        return ModelSize(window=self.window, output=self.output)
