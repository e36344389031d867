"""One frozen Settings, read once, from `parley.toml` and the environment. Nothing else reads the environment."""

import os
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Final, TypeVar

from pydantic import BaseModel, ValidationError

from channels import registry
from core.decide.gate import DmPolicy
from core.domain.secret import Secret
from core.models.entry import ModelEntry
from core.validation import KeyPath, Problem, first_problem, nearest, printable, unknown
from gateway.home import Home, home_path, open_home
from gateway.references import resolved
from gateway.sections import (
    TOOLS,
    AccountTables,
    ChannelCommon,
    Limits,
    LogSettings,
    ModelSettings,
    RunCommandSettings,
    Sections,
    SendMessageSettings,
    StoreSettings,
    ToolSettings,
    WebFetchSettings,
    WebSettings,
)
from gateway.settings_file import Source, keep_private, named_variables, names_secret, read, secret_keys
from gateway.spelling import Twice, spelt

M = TypeVar("M", bound=BaseModel)

ChannelModels = Mapping[str, Callable[[], type[BaseModel]]]

SHORTEST_SECRET: Final = 6
DEFAULT_ACCOUNT: Final = "default"
ACCOUNTS: Final = "accounts"


def _of_registry(name: str) -> type[BaseModel]:
    return registry.load(name).settings


SHIPPED: Final[ChannelModels] = MappingProxyType({name: partial(_of_registry, name) for name in registry.CHANNELS})


class Environment:
    """The environment as it was at start. It prints as nothing, since half of it may be secret."""

    __slots__ = ("_variables",)

    def __init__(self, variables: Mapping[str, str]) -> None:
        self._variables = dict(variables)

    def get(self, name: str) -> str | None:
        """The variable's value; an empty one counts as not set."""
        return self._variables.get(name) or None

    def secrets(self) -> tuple[Secret, ...]:
        """The values of all variables whose name says that they are secret."""
        return tuple(Secret(value) for name, value in self._variables.items() if value and names_secret(name))

    def __repr__(self) -> str:
        return "Environment(***)"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelSettings:
    """One account of a channel: what every channel has, and the channel's own settings, checked by its own model.

    `[channels.NAME]` is the account `default`, `[channels.NAME.accounts.X]` is X, with all that it does not say itself
    as the section says it. A disabled account may be half written: only its common keys are checked, and `own` is None.
    """

    name: str
    common: ChannelCommon
    own: BaseModel | None = None
    account: str = DEFAULT_ACCOUNT
    accounts: Mapping[str, "ChannelSettings"] = field(default_factory=dict)

    def every(self) -> tuple["ChannelSettings", ...]:
        """This account and those below it."""
        return (self, *self.accounts.values())

    @property
    def key(self) -> str:
        """Where it stands in the settings."""
        below = "" if self.account == DEFAULT_ACCOUNT else f".accounts.{self.account}"
        return f"channels.{self.name}{below}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything that an operator decided. `secrets` are all values that must never be written anywhere."""

    home: Home
    model: str | None
    agent: str
    models: Mapping[str, ModelSettings]
    channels: Mapping[str, ChannelSettings]
    limits: Limits
    texts: Mapping[str, str]
    store: StoreSettings
    logs: LogSettings
    web: WebSettings
    tools: Mapping[str, ToolSettings]
    secrets: tuple[Secret, ...]
    env: Environment
    source: Source = field(repr=False)
    notices: tuple[str, ...] = ()

    @property
    def file(self) -> Path:
        """The settings file, whether it exists or not."""
        return self.source.path

    @property
    def database(self) -> Path:
        """The store's file."""
        return self.home.path / self.store.path

    @property
    def web_fetch(self) -> WebFetchSettings:
        """The bounds of a fetch."""
        settings = self.tools.get("web_fetch")
        return settings if isinstance(settings, WebFetchSettings) else WebFetchSettings()

    @property
    def run_command(self) -> RunCommandSettings:
        """How commands are confined."""
        settings = self.tools.get("run_command")
        return settings if isinstance(settings, RunCommandSettings) else RunCommandSettings()

    @property
    def send_to(self) -> tuple[str, ...]:
        """The chats that tools may write to beside their own."""
        settings = self.tools.get("send_message")
        return settings.send_to if isinstance(settings, SendMessageSettings) else ()

    def require_tools(self, known: Collection[str]) -> None:
        """Every `[tools.NAME]` names one of the tools that there are, or SettingsError."""
        for name in self.tools:
            if name not in known:
                raise self.source.error(Problem(path=("tools", name), text=unknown(name, known)))

    def accounts(self) -> tuple[ChannelSettings, ...]:
        """Every account of every channel, whether it is enabled or not."""
        return tuple(account for channel in self.channels.values() for account in channel.every())

    def model_entries(self) -> tuple[ModelEntry, ...]:
        """The named models as the model registry takes them, keys looked up, the default first."""
        names = sorted(self.models, key=lambda name: name != self.model)
        return tuple(self._entry(name, self.models[name]) for name in names)

    def _entry(self, name: str, model: ModelSettings) -> ModelEntry:
        named = self.env.get(model.api_key_env) if model.api_key_env else None
        return ModelEntry(
            name=name,
            model=model.model,
            api_base=model.api_base,
            api_key=Secret(named) if named else model.api_key,
            window=model.window,
            output=model.output,
            first_byte_s=model.first_byte_s,
            whole_s=model.whole_s,
            price_in=model.price_in,
            price_out=model.price_out,
            vision=model.vision,
            scope=model.scope,
            strength=model.strength,
            priority=model.priority,
        )


def from_process(text: str | None = None) -> Settings:
    """The settings of this process: the one place that looks at its environment."""
    return load(None, os.environ, text=text)


def load(
    home: Path | None, environ: Mapping[str, str], channels: ChannelModels = SHIPPED, *, text: str | None = None
) -> Settings:
    """Read and check everything, or raise SettingsError with one line and change nothing that runs.

    With a `text` as if that stood in the file.
    Makes the home folder and its subfolders when they are missing, and takes other users' rights from it and from a
    file with secrets in it.
    """
    opened = open_home(home or home_path(environ))
    source = resolved(read(opened.path, environ, text), environ)
    sections = checked(Sections, source.table, source)
    _default_model_exists(sections, source)
    tools = {name: _tool(name, table, source) for name, table in sections.tools.items()}
    named = {name: _channel(name, table, source, channels) for name, table in sections.channels.items()}
    env = Environment(environ)
    private = keep_private(source) if text is None else None
    notices = (*opened.notices, private, *_missing_keys(sections, env))
    return Settings(
        home=opened,
        model=sections.model,
        agent=sections.agent,
        models=MappingProxyType(dict(sections.models)),
        channels=MappingProxyType(named),
        limits=sections.limits,
        texts=MappingProxyType(dict(sections.texts)),
        store=sections.store,
        logs=sections.logs,
        web=sections.web,
        tools=MappingProxyType(tools),
        secrets=_secrets(source, env),
        env=env,
        source=source,
        notices=tuple(notice for notice in notices if notice),
    )


def checked(
    model: type[M], table: Mapping[str, object], source: Source, under: KeyPath = (), also: Collection[str] = ()
) -> M:
    """The table as that model, or SettingsError about the first thing that is wrong in it."""
    try:
        return model.model_validate(_spelt(table, source, under, model))
    except ValidationError as error:
        raise source.error(first_problem(error, model, also=also), under) from None


def _spelt(
    table: Mapping[str, object], source: Source, under: KeyPath, *models: type[BaseModel]
) -> Mapping[str, object]:
    try:
        return spelt(table, *models)
    except Twice as twice:
        text = f"is given twice, also as {printable(twice.other)}: keep one of them"
        raise source.error(Problem(path=twice.path, text=text), under) from None


def _channel(name: str, table: Mapping[str, object], source: Source, models: ChannelModels) -> ChannelSettings:
    under = ("channels", name)
    if name not in models:
        raise source.error(Problem(path=under, text=unknown(name, models)))
    known = [ChannelCommon, *([models[name]()] if table.get("enabled", True) or ACCOUNTS in table else ())]
    written = {key: value for key, value in table.items() if key != ACCOUNTS}
    section = _spelt(written, source, under, *known)
    first = _account(ChannelSettings(name=name, common=ChannelCommon()), section, source, models)
    others: dict[str, ChannelSettings] = {}
    for account, own in checked(AccountTables, {ACCOUNTS: table.get(ACCOUNTS, {})}, source, under).accounts.items():
        if account == DEFAULT_ACCOUNT:
            text = f"is the section [channels.{name}] itself: write its keys there"
            raise source.error(Problem(path=(*under, ACCOUNTS, account), text=text))
        blank = ChannelSettings(name=name, common=ChannelCommon(), account=account)
        own = _spelt(own, source, (*under, ACCOUNTS, account), *known)
        others[account] = _account(blank, {**section, **own}, source, models)
    return replace(first, accounts=MappingProxyType(others))


def _account(
    blank: ChannelSettings, table: Mapping[str, object], source: Source, models: ChannelModels
) -> ChannelSettings:
    below = () if blank.account == DEFAULT_ACCOUNT else (ACCOUNTS, blank.account)
    under = ("channels", blank.name, *below)
    shared = ChannelCommon.model_fields
    common = checked(ChannelCommon, {key: table[key] for key in table if key in shared}, source, under)
    if not common.enabled:
        return replace(blank, common=common)
    if common.dm_policy is DmPolicy.PAIRING and blank.name in registry.CHANNELS:
        _gives_codes(blank.name, source, (*under, "dm_policy"))
    own = {key: table[key] for key in table if key not in shared}
    return replace(blank, common=common, own=checked(models[blank.name](), own, source, under, also=shared))


def _gives_codes(name: str, source: Source, path: KeyPath) -> None:
    """Where strangers are told nothing, nobody can be given a code."""
    if not registry.load(name).refuses:
        text = (
            "cannot be pairing here, since strangers are never written to: use allowlist and name people in allow_from"
        )
        raise source.error(Problem(path=path, text=text))


def _tool(name: str, table: Mapping[str, object], source: Source) -> ToolSettings:
    return checked(TOOLS.get(name, ToolSettings), table, source, ("tools", name))


def _default_model_exists(sections: Sections, source: Source) -> None:
    if sections.model is None or sections.model in sections.models:
        return
    meant = nearest(sections.model, sections.models)
    known = f"did you mean {meant}?" if meant else f"known are {', '.join(sorted(sections.models)) or 'none yet'}"
    raise source.error(Problem(path=("model",), text=f"names a model that has no section [models.NAME]; {known}"))


def _missing_keys(sections: Sections, env: Environment) -> Iterator[str]:
    for name, model in sections.models.items():
        if model.api_key_env and env.get(model.api_key_env) is None:
            yield f"models.{name}.api_key_env names {model.api_key_env}, which is not set: this model has no key"


def _secrets(source: Source, env: Environment) -> tuple[Secret, ...]:
    """Whatever is secret by its key, by its variable's name, or because a key ending in _env names its variable."""
    values = [value for _, value in secret_keys(source.table)]
    values += [secret.reveal() for secret in env.secrets()]
    values += [env.get(name) or "" for name in named_variables(source.table)]
    return tuple(Secret(value) for value in dict.fromkeys(values) if len(value) >= SHORTEST_SECRET)
