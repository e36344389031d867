"""What can be set about a Slack app in one workspace."""

from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema, model_validator

from core.domain.secret import Secret

API = "https://slack.com/api/"
BOT_TOKEN_VARIABLE = "SLACK_BOT_TOKEN"  # noqa: S105 - the name of a variable
APP_TOKEN_VARIABLE = "SLACK_APP_TOKEN"  # noqa: S105 - the name of a variable
SIGNING_SECRET_VARIABLE = "SLACK_SIGNING_SECRET"  # noqa: S105 - the name of a variable


def _secret(value: object) -> object:
    return Secret(value.strip()) if isinstance(value, str) else value


SecretText = Annotated[
    Secret, BeforeValidator(_secret), WithJsonSchema({"type": "string", "format": "password", "writeOnly": True})
]


class SlackSettings(BaseModel):
    """One app in one workspace."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    mode: Literal["socket", "http"] = Field(
        default="socket",
        description="socket: Parley calls Slack and needs no public address. http: Slack posts to web.public_bind.",
    )
    bot_token: SecretText | None = Field(
        default=None, description=f"xoxb-...; without it {BOT_TOKEN_VARIABLE} of the environment counts"
    )
    app_token: SecretText | None = Field(
        default=None, description=f"xapp-..., for mode socket; without it {APP_TOKEN_VARIABLE} counts"
    )
    signing_secret: SecretText | None = Field(
        default=None, description=f"for mode http; without it {SIGNING_SECRET_VARIABLE} counts"
    )
    api_url: str = Field(default=API, pattern=r"^https?://[^\s?#]+$", description="where the Web API is")
    sockets: Annotated[int, Field(ge=1, le=10)] = Field(
        default=2, description="connections at once; with two, one stays open while the other is renewed"
    )
    reply_in_thread: bool = Field(
        default=True, description="a message to the bot in a channel opens a thread, in which it is answered"
    )
    file_mb: Annotated[float, Field(gt=0, le=1_000, allow_inf_nan=False)] = Field(
        default=25, description="megabytes of the largest file that is taken or sent"
    )
    assistant_status: bool = Field(default=True, description="shows under an assistant's thread that work is going on")
    catch_up_hours: Annotated[float, Field(ge=0, le=720, allow_inf_nan=False)] = Field(
        default=72, description="how far back missed messages are looked for after an outage; 0: never"
    )
    doctor_chat: str | None = Field(
        default=None, min_length=1, description="where parley doctor --deep posts and deletes", examples=["C024BE91L"]
    )

    @model_validator(mode="after")
    def _no_blank_secret(self) -> "SlackSettings":
        for key in ("bot_token", "app_token", "signing_secret"):
            value = getattr(self, key)
            if value is not None and not value:
                raise ValueError(f"{key} is empty: give it, or leave the key out")
        return self
