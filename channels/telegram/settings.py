"""What can be set about a Telegram bot."""

from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema, model_validator

from core.domain.secret import Secret

MEGABYTE = 1_000_000
CLOUD = "https://api.telegram.org"
# What the Bot API in the cloud hands out and takes; a server of one's own does both up to 2,000 MB.
CLOUD_DOWNLOAD_MB = 20.0
CLOUD_UPLOAD_MB = 50.0


def _secret(value: object) -> object:
    return Secret(value) if isinstance(value, str) else value


def _id(value: object) -> object:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


SecretText = Annotated[
    Secret, BeforeValidator(_secret), WithJsonSchema({"type": "string", "format": "password", "writeOnly": True})
]
ChatId = Annotated[str, BeforeValidator(_id), Field(pattern=r"^-?\d{1,20}$")]
Megabytes = Annotated[float, Field(gt=0, le=2_000, allow_inf_nan=False)]


class TelegramSettings(BaseModel):
    """One bot."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    token: SecretText | None = Field(default=None, description="the bot's token; token_env keeps it out of the file")
    token_env: str = Field(
        default="TELEGRAM_BOT_TOKEN",
        pattern=r"^[A-Za-z_][A-Za-z0-9_]*$",
        description="environment variable that holds the token",
    )
    api_url: str = Field(
        default=CLOUD,
        pattern=r"^https?://[^\s?#]+$",
        description="the Bot API server; one of your own takes larger files",
        examples=["http://127.0.0.1:8081"],
    )
    mode: Literal["polling", "webhook"] = Field(
        default="polling", description="who calls whom: polling needs no public address"
    )
    webhook_url: str | None = Field(
        default=None,
        pattern=r"^https?://\S+$",
        description="the address that Telegram calls: your public one with /channels/telegram/ACCOUNT behind it",
        examples=["https://bot.example.org/channels/telegram/default"],
    )
    webhook_secret: SecretText | None = Field(
        default=None, description="what Telegram proves itself with: 32 to 256 letters, digits, _ and -"
    )
    unsure: Literal["resend-after", "placeholder-edit"] = Field(
        default="resend-after",
        description=(
            "a text that may or may not have arrived: sent once more after ten minutes with a label, or begun as a "
            "placeholder that is edited into the text, which shows it once and makes no sound"
        ),
    )
    menu: bool = Field(default=True, description="lists the commands in Telegram's own menu")
    file_mb: Megabytes = Field(default=CLOUD_DOWNLOAD_MB, description="larger files are named and not fetched")
    doctor_chat: ChatId | None = Field(
        default=None,
        description="a chat for parley doctor: its rights are looked at, and --deep writes there",
        examples=["-1001234567890"],
    )

    @model_validator(mode="after")
    def _webhooks_prove_themselves(self) -> "TelegramSettings":
        if self.mode == "webhook" and not self.webhook_url:
            raise ValueError("webhook_url is missing: mode = webhook needs the address that Telegram calls")
        if self.mode == "webhook" and not self.webhook_secret:
            raise ValueError("webhook_secret is missing: without it anybody could write in anybody's name")
        return self

    @model_validator(mode="after")
    def _secrets_are_long(self) -> "TelegramSettings":
        secret = self.webhook_secret.reveal() if self.webhook_secret else ""
        if secret and not (
            32 <= len(secret) <= 256 and all(c.isascii() and (c.isalnum() or c in "_-") for c in secret)
        ):
            raise ValueError("webhook_secret has to be 32 to 256 letters, digits, _ and -")
        return self
