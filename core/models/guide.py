"""What `parley chat` talks to until there is a model. It says so."""

from collections.abc import Callable

from core.domain.prompt import ModelSize, Prompt
from core.domain.step import ModelAnswered
from core.models.known import KEYS

GUIDE_NAME = "guide"
GUIDE_SIZE = ModelSize(window=32_768, output=1_024)

WORDS = f"""I am the built-in guide, not a model: I say these same words to everything. To talk to a model, do one of \
these, then start Parley again.

1. Set one of these keys in the environment: {", ".join(KEYS)}.

2. Name a model in `parley.toml`:

```toml
[models.main]
model = "{KEYS["OPENAI_API_KEY"]}"
```

Its key is taken from the environment, or from a line `api_key = "..."` below it.

3. Run a small model on this machine, without any key:

```
parley models add local
```

`parley status` shows which model is used and why."""


class Guide:
    """Answers everything with the same words; repeats nothing of what was said to it."""

    @property
    def name(self) -> str:
        """Always the same."""
        return GUIDE_NAME

    @property
    def size(self) -> ModelSize:
        """It reads nothing, so anything fits."""
        return GUIDE_SIZE

    async def answer(self, prompt: Prompt, on_text: Callable[[str], None] | None) -> ModelAnswered:
        """At once, at no cost."""
        if on_text is not None:
            on_text(WORDS)
        return ModelAnswered(text=WORDS, model=GUIDE_NAME)
