"""The sections of `parley.toml`: every key, its default, its bounds and what it means."""

import string
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Final, Literal, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    WithJsonSchema,
    field_validator,
    model_validator,
)

from core.decide.gate import Activation, AllowBots, DmPolicy, GroupContext, GroupPolicy
from core.decide.view import Answerers
from core.domain.chat import QueueMode
from core.domain.presence import Ack, Streaming
from core.domain.secret import Secret
from core.domain.texts import TEXTS
from core.models.entry import DEFAULT_OUTPUT, DEFAULT_PRIORITY, DEFAULT_WINDOW
from core.validation import unknown, wrong_key

LONGEST_NAME: Final = 64


def _secret(value: object) -> object:
    return Secret(value) if isinstance(value, str) else value


def _identity(value: object) -> object:
    """Platforms' ids are often numbers, and people write them without quotes."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _one_word(name: str) -> str:
    if not name or len(name) > LONGEST_NAME or not name.isprintable() or " " in name:
        raise ValueError("is a name that cannot be typed in a chat: use letters, digits and - _ .")
    return name


def _place(name: str) -> str:
    if not 3 <= len(name.split(":")) <= 4 or not all(name.split(":")):
        raise ValueError("is no chat: write channel:account:chat, as in terminal:default:notes")
    return name


def _text_name(name: str) -> str:
    if name not in TEXTS:
        raise ValueError(unknown(name, TEXTS))
    return name


SecretText = Annotated[
    Secret, BeforeValidator(_secret), WithJsonSchema({"type": "string", "format": "password", "writeOnly": True})
]
Identity = Annotated[str, BeforeValidator(_identity), Field(min_length=1)]
Variable = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
ModelName = Annotated[str, AfterValidator(_one_word)]
TextName = Annotated[str, AfterValidator(_text_name)]
Whole = Annotated[int, Field(ge=1)]
Seconds = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Dollars = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class Section(BaseModel):
    """Base of all sections: nothing undeclared, nothing changed later, and `true` is not the number 1."""

    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True)

    @model_validator(mode="before")
    @classmethod
    def _no_truth_for_numbers(cls, value: object) -> object:
        if isinstance(value, Mapping):
            for name, given in value.items():
                field = cls.model_fields.get(name)
                kinds = {field.annotation, *get_args(field.annotation)} if field else set()
                if isinstance(given, bool) and kinds & {int, float} and bool not in kinds:
                    raise wrong_key(name, "must be a number, not true or false")
        return value


class ModelSettings(Section):
    """`[models.NAME]`: one model under a name of its own."""

    model: str = Field(min_length=1, description="litellm id, with the provider first", examples=["openai/gpt-5-mini"])
    api_base: str | None = Field(default=None, pattern=r"^https?://\S+$", examples=["http://127.0.0.1:8080/v1"])
    api_key_env: Variable | None = Field(
        default=None, description="environment variable that holds the key", examples=["OPENAI_API_KEY"]
    )
    api_key: SecretText | None = Field(default=None, description="the key itself; api_key_env keeps it out of the file")
    window: Whole = Field(default=DEFAULT_WINDOW, description="tokens that the model can read", examples=[128_000])
    output: Whole = Field(default=DEFAULT_OUTPUT, description="tokens of the window kept for the answer")
    price_in: Dollars | None = Field(default=None, description="US dollars per million tokens read", examples=[0.25])
    price_out: Dollars | None = Field(default=None, description="US dollars per million tokens written", examples=[2.0])
    scope: str | None = Field(default=None, min_length=1, description="what it is good for", examples=["coding"])
    strength: Literal["very_low", "low", "average", "high", "very_high"] | None = Field(default=None)
    priority: int = Field(default=DEFAULT_PRIORITY, description="the lower number is tried earlier")
    vision: bool = Field(default=False, description="takes images")
    first_byte_s: Seconds = Field(default=60, description="seconds until the first word")
    whole_s: Seconds = Field(default=600, description="seconds for the whole answer")

    @model_validator(mode="after")
    def _one_key(self) -> "ModelSettings":
        if self.api_key is not None and self.api_key_env is not None:
            raise wrong_key("api_key", "is given beside api_key_env: keep one of them")
        return self

    @model_validator(mode="after")
    def _room_for_the_prompt(self) -> "ModelSettings":
        if self.output >= self.window:
            raise wrong_key("output", f"must be less than the window of {self.window} tokens")
        return self


class ChannelAccess(Section):
    """Who may speak in a channel, when it listens, and who may decide."""

    dm_policy: DmPolicy | None = Field(
        default=None, description="who may write directly; the default is the channel's own"
    )
    allow_from: tuple[Identity, ...] = Field(
        default=(), description="ids of those who may write; empty means nobody", examples=[["U024BE7LH"]]
    )
    group_policy: GroupPolicy = Field(
        default=GroupPolicy.ALLOWLIST, description="which groups count: those in groups, all (open), or none (disabled)"
    )
    groups: tuple[Identity, ...] = Field(
        default=(), description="ids of the groups where it listens; empty means none", examples=[["C024BE91L"]]
    )
    group_allow_from: tuple[Identity, ...] = Field(
        default=(),
        description="ids of those who may write in groups, or of their roles; * is everybody, as guests",
        examples=[["U024BE7LH"]],
    )
    activation: Activation = Field(
        default=Activation.MENTION, description="what begins a turn in a group: what is said to it, or everything"
    )
    thread_follow: bool = Field(default=True, description="no mention is needed in a thread where it has answered")
    allow_bots: AllowBots = Field(
        default=AllowBots.OFF,
        description="other programs that are heard: none, listed ones that mention it, or listed ones like people",
    )
    max_bot_turns_per_thread: Annotated[int, Field(ge=0)] | None = Field(
        default=None, description="turns an hour that programs may begin in one thread; 3, by mail 1", examples=[3]
    )
    group_context: GroupContext = Field(
        default=GroupContext.LISTED, description="whose unaddressed words in groups are read along: listed, or all"
    )
    owners: tuple[Identity, ...] = Field(
        default=(), description="ids of those who may write and do everything", examples=[["U024BE7LH"]]
    )
    question_answerers: Answerers = Field(
        default=Answerers.ASKER, description="whose words answer a question of the agent"
    )
    approvers: tuple[Identity, ...] = Field(
        default=(), description="ids of those who let calls run that need leave; empty means the owners"
    )


class ChannelCommon(ChannelAccess):
    """The keys that every `[channels.NAME]` has beside its own."""

    enabled: bool = Field(default=True)
    agent: str | None = Field(default=None, min_length=1, description="agent of this channel", examples=["main"])
    queue: QueueMode = Field(default=QueueMode.QUEUE, description="what becomes of messages while a turn runs")
    start: Literal["now", "unread"] = Field(
        default="now", description="what the very first connection answers: only what is new, or what is unread too"
    )
    max_age: Annotated[float, Field(gt=0, le=8_760, allow_inf_nan=False)] | None = Field(
        default=None,
        description="hours after which a message is not answered any more; the default is the channel's own",
        examples=[24],
    )
    ack_reaction: Ack = Field(default=Ack.SHARED, description="chats in which messages get reactions: off, shared, all")
    streaming: Streaming = Field(
        default=Streaming.DM, description="chats in which answers are shown while they are written: off, dm, all"
    )


class AccountTables(Section):
    """The accounts of a channel beside `default`, by the names that the operator gives them."""

    accounts: Mapping[ModelName, Mapping[str, object]] = Field(
        default_factory=dict, description="further accounts of the platform; each has the keys of the section"
    )


class Limits(Section):
    """`[limits]`: where work is refused or ended."""

    queued_chat: Whole = Field(default=50, description="messages that wait in one chat")
    queued_person: Whole = Field(default=20, description="messages of one person that wait")
    collect_s: Seconds = Field(default=2, description="seconds without a message that end a burst")
    collect_messages: Whole = Field(default=20, description="messages of a burst that become one turn")
    turns: Whole = Field(default=32, description="turns at once in one process")
    model_calls: Whole = Field(default=50, description="model calls in one turn")
    turn_hours: Annotated[float, Field(gt=0, allow_inf_nan=False)] = Field(default=2, description="hours of work")
    turn_tokens: Whole = Field(default=5_000_000, description="tokens of one turn")
    member_tokens: Whole = Field(default=2_000_000, description="tokens a day of one person who is no owner")
    member_budget: Dollars | None = Field(
        default=None, description="US dollars a day of one person who is no owner; needs prices", examples=[2.0]
    )
    tool_s: Seconds = Field(default=120, description="seconds for one tool call")
    reply_parts: Whole = Field(default=8, description="messages of one reply; a longer one goes as a file")


class StoreSettings(Section):
    """`[store]`: where everything is remembered."""

    path: Path = Field(default=Path("parley.db"), description="database file; relative to the home folder")
    durability: Literal["full", "relaxed"] = Field(
        default="full", description="relaxed: a power cut may lose the last moments, a crash of Parley may not"
    )


class LogSettings(Section):
    """`[logs]`: what is written to the logs folder."""

    level: Literal["debug", "info", "warning", "error"] = Field(default="info")
    conversation: bool = Field(default=True, description="write conversation.jsonl")
    max_mb: Annotated[float, Field(gt=0, le=10_000, allow_inf_nan=False)] = Field(
        default=20, description="megabytes of one file before a new one is begun"
    )
    rotations: Annotated[int, Field(ge=0, le=100)] = Field(default=2, description="old files kept")


class WebSettings(Section):
    """`[web]`: where this process listens by HTTP; nowhere, unless it is told to."""

    bind: str | None = Field(
        default=None, description="host:port on loopback, for /health", examples=["127.0.0.1:8650"]
    )
    public_bind: str | None = Field(
        default=None,
        description="host:port for signed events of platforms and nothing else; without it they come to bind",
        examples=["0.0.0.0:8443"],
    )


class ToolSettings(Section):
    """`[tools.NAME]`: what every tool can be told."""

    approval: Literal["never", "ask", "deny"] | None = Field(
        default=None, description="whether a call needs a person's yes; the default is the tool's own"
    )


class WebFetchSettings(ToolSettings):
    """`[tools.web_fetch]`: bounds of one fetch."""

    max_bytes: Whole = Field(default=2_000_000, description="bytes read of a page, after decompression")
    timeout_s: Seconds = Field(default=30, description="seconds from the first lookup to the last byte")
    redirects: Annotated[int, Field(ge=0, le=20)] = Field(default=5, description="redirects that are followed")


class RunCommandSettings(ToolSettings):
    """`[tools.run_command]`: how commands are confined."""

    sandbox: Literal["bubblewrap", "none"] = Field(
        default="bubblewrap", description="none: commands see and change whatever this user may"
    )
    longest_s: Whole = Field(default=600, description="the most seconds that a call may ask for")


class SendMessageSettings(ToolSettings):
    """`[tools.send_message]`: which other chats may be written to."""

    send_to: tuple[Annotated[str, AfterValidator(_place)], ...] = Field(
        default=(), description="channel:account:chat, or with :thread", examples=[["terminal:default:notes"]]
    )


# Tools with keys of their own; every other one has those of ToolSettings.
TOOLS: Final[Mapping[str, type[ToolSettings]]] = MappingProxyType(
    {"web_fetch": WebFetchSettings, "run_command": RunCommandSettings, "send_message": SendMessageSettings}
)


class Sections(Section):
    """The whole file. The tables of channels and tools are checked by name, each by its own model."""

    model: str | None = Field(default=None, min_length=1, description="name of the default model", examples=["fast"])
    agent: str = Field(default="main", min_length=1, description="agent that answers where none is named")
    models: Mapping[ModelName, ModelSettings] = Field(default_factory=dict)
    channels: Mapping[str, Mapping[str, object]] = Field(default_factory=dict)
    limits: Limits = Field(default_factory=Limits)
    texts: Mapping[TextName, str] = Field(default_factory=dict, description="fixed sentences, replaced by their names")
    store: StoreSettings = Field(default_factory=StoreSettings)
    logs: LogSettings = Field(default_factory=LogSettings)
    web: WebSettings = Field(default_factory=WebSettings)
    tools: Mapping[str, Mapping[str, object]] = Field(default_factory=dict)

    @field_validator("texts")
    @classmethod
    def _places_that_exist(cls, texts: Mapping[str, str]) -> Mapping[str, str]:
        for name, text in texts.items():
            if problem := _wrong_places(name, text):
                raise wrong_key(name, problem)
        return texts


def _wrong_places(name: str, text: str) -> str | None:
    """A replaced sentence may leave places out, but has no others: an unknown one would break it when it is said."""
    allowed = _places(TEXTS[name])
    try:
        places = _places(text)
    except ValueError:
        return "has a brace that is not closed: write {{ and }} for braces"
    if wrong := sorted(places - allowed):
        known = ", ".join(f"{{{place}}}" for place in sorted(allowed)) or "none"
        return f"names {{{wrong[0]}}}, which has no value there; known are: {known}"
    return None


def _places(text: str) -> set[str]:
    return {
        f"{place}!{conversion}" if conversion else f"{place}:{form}" if form else place
        for _, place, form, conversion in string.Formatter().parse(text)
        if place is not None
    }
