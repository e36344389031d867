"""What all calls of one account share."""

from dataclasses import dataclass

from channels.contract import ChannelContext
from channels.slack.api import Api
from channels.slack.settings import (
    APP_TOKEN_VARIABLE,
    BOT_TOKEN_VARIABLE,
    SIGNING_SECRET_VARIABLE,
    SlackSettings,
)
from channels.slack.uploads import Uploads
from core.domain.errors import SettingsError
from core.domain.secret import Secret

MEGABYTE = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """One app in one workspace."""

    settings: SlackSettings
    context: ChannelContext
    api: Api
    uploads: Uploads

    @property
    def file_bytes(self) -> int:
        """The largest file that goes in or out."""
        return int(self.settings.file_mb * MEGABYTE)


def new_desk(settings: SlackSettings, context: ChannelContext) -> Desk:
    """Nothing is connected yet. Raises SettingsError without a bot token."""
    api = Api(settings.api_url, bot_token(settings, context), context.clock)
    uploads = Uploads(api, context.workspace, int(settings.file_mb * MEGABYTE))
    return Desk(settings=settings, context=context, api=api, uploads=uploads)


def bot_token(settings: SlackSettings, context: ChannelContext) -> Secret:
    """The token with which everything is done."""
    return _given(settings.bot_token, context, "bot_token", BOT_TOKEN_VARIABLE, "xoxb-")


def app_token(settings: SlackSettings, context: ChannelContext) -> Secret:
    """The token that opens sockets."""
    return _given(settings.app_token, context, "app_token", APP_TOKEN_VARIABLE, "xapp-")


def signing_secret(settings: SlackSettings, context: ChannelContext) -> Secret:
    """What Slack signs its posts with: without it anybody could post."""
    return _given(settings.signing_secret, context, "signing_secret", SIGNING_SECRET_VARIABLE, "")


def _given(value: Secret | None, context: ChannelContext, key: str, variable: str, form: str) -> Secret:
    found = value or Secret(context.env(variable) or "")
    if not found:
        raise SettingsError(f"channels.slack.{key} is missing: give it, or set {variable} in the environment")
    if not found.reveal().startswith(form):
        raise SettingsError(f"channels.slack.{key} is another kind of token: it has to begin with {form}")
    return found
