"""What can be set about a Discord bot."""

import base64
import binascii
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from core.domain.secret import Secret

API = "https://discord.com/api/v10"
GATEWAY = "wss://gateway.discord.gg/"
TOKEN_VARIABLE = "DISCORD_BOT_TOKEN"  # noqa: S105 - the name of a variable


def _secret(value: object) -> object:
    return Secret(value) if isinstance(value, str) else value


SecretText = Annotated[
    Secret, BeforeValidator(_secret), WithJsonSchema({"type": "string", "format": "password", "writeOnly": True})
]


class DiscordSettings(BaseModel):
    """One bot."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    bot_token: SecretText | None = Field(
        default=None,
        description=f"The bot's token; without it {TOKEN_VARIABLE} of the environment counts.",
    )
    auto_thread: bool = Field(
        default=False,
        description="A message to the bot in a channel opens a thread, in which everything else about it is said.",
    )
    answer_new_forum_posts: bool = Field(
        default=False, description="A new post in a forum needs no mention to be answered."
    )
    message_content: bool = Field(
        default=True,
        description=(
            "Asks for the message content intent, which has to be switched on for the bot in Discord's developer "
            "portal. Without it only mentions and direct messages can be read."
        ),
    )
    api_url: str = Field(default=API, pattern=r"^https?://\S+$", description="Where the REST API is, with its version.")
    gateway_url: str = Field(default=GATEWAY, pattern=r"^wss?://\S+$", description="Where the gateway is.")


def bot_of(token: Secret) -> str | None:
    """The bot's user id: the first part of a token is its base64. None for what is no token."""
    first = token.reveal().strip().split(".")[0]
    try:
        found = base64.urlsafe_b64decode(first + "=" * (-len(first) % 4)).decode()
    except (binascii.Error, UnicodeDecodeError, ValueError):
        return None
    return found if found.isascii() and found.isdigit() else None
