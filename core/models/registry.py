"""All named models of a process, and the choice among them."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from core.domain.errors import ModelRefused, SettingsError
from core.domain.turn import ModelChoice
from core.models.entry import ModelEntry
from core.models.guide import GUIDE_NAME, Guide
from core.models.known import Found, ask_ollama, from_environment
from core.models.litellm import Library, LiteLLMModel
from core.models.select import fingerprint, line_up
from core.ports import Model

NOTHING_FOUND = "no model is configured, no key is set and no Ollama answers"


@dataclass(frozen=True, slots=True, kw_only=True)
class Active:
    """The model that answers where nobody chose another one: its name, what it is, and why it is the one."""

    name: str
    model: str
    why: str


class Registry:
    """The models of the settings. It never changes: other settings make another registry, with another version.

    Models are made when they are first asked for and then kept. Without any entry the built-in guide answers.
    """

    def __init__(
        self, entries: Sequence[ModelEntry], *, default: str | None = None, why: str = "", library: Library
    ) -> None:
        self._entries: Mapping[str, ModelEntry] = MappingProxyType({entry.name: entry for entry in entries})
        self._default = default or (entries[0].name if entries else GUIDE_NAME)
        self._why = why
        self._library = library
        self._made: dict[str, Model] = {} if entries else {GUIDE_NAME: Guide()}
        self._version = fingerprint(entries, self._default)
        if self._default not in self._entries and entries:
            raise SettingsError(
                f"parley.toml: the default model {self._default!r} has no table [models.{self._default}]; "
                f"name one of: {', '.join(self._entries)}"
            )

    def get(self, name: str) -> Model:
        """Raises ModelRefused when there is no such model any more."""
        if name not in self._made:
            entry = self._entries.get(name)
            if entry is None:
                raise ModelRefused(f"{name}: there is no [models.{name}] in parley.toml any more")
            self._made[name] = LiteLLMModel(entry, self._library)
        return self._made[name]

    def choose(self, wanted: str | None) -> ModelChoice:
        """The models to try, best first. An unknown `wanted` falls back to the default."""
        names = line_up(tuple(self._entries.values()), wanted, self._default)
        return ModelChoice(names=names, registry=self._version)

    def names(self) -> Sequence[str]:
        """Every name, the default first."""
        others = [name for name in self._entries if name != self._default]
        return (self._default, *others)

    def describe(self) -> Active:
        """Which model is active and why, for people."""
        entry = self._entries.get(self._default)
        return Active(name=self._default, model=entry.model if entry else "built-in guide", why=self._why)


class ReadyModels:
    """The same over models that somebody else made: the first is the default, the others stand in, in their order."""

    def __init__(self, *models: Model) -> None:
        self._models = {model.name: model for model in models}

    def get(self, name: str) -> Model:
        """Raises ModelRefused when there is none of that name."""
        if name not in self._models:
            raise ModelRefused(f"{name}: there is no such model")
        return self._models[name]

    def choose(self, wanted: str | None) -> ModelChoice:
        """The wanted one first."""
        names = self.names()
        first = [name for name in names if name == wanted]
        return ModelChoice(names=(*first, *(name for name in names if name != wanted)), registry="ready")

    def names(self) -> Sequence[str]:
        """In the order in which they were given."""
        return tuple(self._models)


async def make_registry(
    entries: Sequence[ModelEntry],
    *,
    default: str | None,
    env: Callable[[str], str | None],
    library: Library,
    probe: Callable[[], Awaitable[Found | None]] = ask_ollama,
) -> Registry:
    """The settings' models; without any, the first key of the environment; without any, an Ollama; else the guide.

    The probe runs only when there is neither entry nor key, and takes 200 ms at most.
    """
    if entries:
        chosen = default or entries[0].name
        why = "chosen in parley.toml" if default else "the first one in parley.toml"
        return Registry(entries, default=chosen, why=f"[models.{chosen}] is {why}", library=library)
    if default:
        raise SettingsError(f"parley.toml: the default model {default!r} has no table [models.{default}]; add it")
    found = from_environment(env) or await probe()
    if found is None:
        return Registry((), why=NOTHING_FOUND, library=library)
    return Registry((found.entry,), why=found.why, library=library)
