"""What Parley talks to when no model is configured: by the first key in the environment, else an Ollama here."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from core.domain.secret import Secret
from core.models.entry import ModelEntry
from core.models.probe import get_json

DEFAULT_NAME = "default"
OLLAMA_HOST = "127.0.0.1"
OLLAMA_PORT = 11434
OLLAMA_PATIENCE_S = 0.2
OLLAMA_WINDOW = 4_096
OLLAMA_OUTPUT = 1_024

# The windows of these models are larger. A chat that fills a million tokens is slow and dear, so less is used.
KNOWN_WINDOW = 200_000
KNOWN_OUTPUT = 8_192

KEYS: Mapping[str, str] = MappingProxyType(
    {
        "ANTHROPIC_API_KEY": "anthropic/claude-sonnet-5-5",
        "OPENAI_API_KEY": "openai/gpt-6.1-terra",
        "GEMINI_API_KEY": "gemini/gemini-3.8-flash",
        "OPENROUTER_API_KEY": "openrouter/openrouter/auto",
    }
)
SEES_IMAGES = frozenset({"ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A model that nobody configured, and why it is used, in words for the operator."""

    entry: ModelEntry
    why: str


def from_environment(env: Callable[[str], str | None]) -> Found | None:
    """The model of the first key that is set, in the order of `KEYS`."""
    for key, model in KEYS.items():
        value = (env(key) or "").strip()
        if value:
            entry = ModelEntry(
                name=DEFAULT_NAME,
                model=model,
                api_key=Secret(value),
                window=KNOWN_WINDOW,
                output=KNOWN_OUTPUT,
                vision=key in SEES_IMAGES,
            )
            return Found(entry=entry, why=f"{key} is set in the environment")
    return None


async def ask_ollama(
    host: str = OLLAMA_HOST, port: int = OLLAMA_PORT, *, patience_s: float = OLLAMA_PATIENCE_S
) -> Found | None:
    """The first chat model of the Ollama that listens there; None when nothing answers in time. Raises nothing."""
    name = _first_chat_model(await get_json(host, port, "/api/tags", patience_s=patience_s))
    if name is None:
        return None
    entry = ModelEntry(
        name=DEFAULT_NAME,
        model=f"ollama_chat/{name}",
        api_base=f"http://{host}:{port}",
        window=OLLAMA_WINDOW,
        output=OLLAMA_OUTPUT,
    )
    return Found(entry=entry, why=f"Ollama answers on {host}:{port} and no key is set")


def _first_chat_model(listed: object) -> str | None:
    models = listed.get("models") if isinstance(listed, dict) else None
    for model in models if isinstance(models, list) else ():
        name = model.get("name") if isinstance(model, dict) else None
        if isinstance(name, str) and name and "embed" not in name:
            return name
    return None
