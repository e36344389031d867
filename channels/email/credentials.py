"""How we sign in, and to whom."""

import asyncio
import ssl
from dataclasses import dataclass

from channels.contract import ChannelContext
from channels.email.settings import PASSWORD_VARIABLE, TOKEN_VARIABLE, EmailSettings
from core.domain.errors import NotSent, SettingsError
from core.domain.secret import Secret

TOKEN_WITHIN_S = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Credentials:
    """The name, and a password or what gives a token."""

    user: str
    password: Secret | None
    token: Secret | None
    command: tuple[str, ...]

    @property
    def by_token(self) -> bool:
        """Whether XOAUTH2 is spoken."""
        return self.password is None

    async def secret(self) -> str:
        """The password, or a token that is fresh. Raises NotSent when the program for it fails."""
        if self.password is not None:
            return self.password.reveal()
        if not self.command:
            return self.token.reveal() if self.token else ""
        return await _printed(self.command)


async def _printed(command: tuple[str, ...]) -> str:
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )
    except OSError as error:
        raise NotSent(f"channels.email.token_command: {error}") from error
    try:
        async with asyncio.timeout(TOKEN_WITHIN_S):
            out, _ = await process.communicate()
    except TimeoutError as error:
        process.kill()
        await process.wait()
        raise NotSent(f"channels.email.token_command printed nothing within {TOKEN_WITHIN_S:.0f} s") from error
    token = out.decode("ascii", "replace").strip()
    if process.returncode or not token.isprintable() or not token:
        raise NotSent("channels.email.token_command printed no token")
    return token


def credentials_of(settings: EmailSettings, context: ChannelContext) -> Credentials:
    """From the settings, else from the environment. Raises SettingsError without any."""
    user = settings.user or settings.address
    if settings.auth == "xoauth2":
        token = settings.access_token or _from(context, TOKEN_VARIABLE)
        if token is None and not settings.token_command:
            raise SettingsError(
                "channels.email.token_command is missing: set it, or access_token, "
                f"or {TOKEN_VARIABLE} in the environment"
            )
        return Credentials(user=user, password=None, token=token, command=settings.token_command)
    password = settings.password or _from(context, PASSWORD_VARIABLE)
    if password is None:
        raise SettingsError(f"channels.email.password is missing: set it, or {PASSWORD_VARIABLE} in the environment")
    if not password.reveal().isprintable():
        raise SettingsError("channels.email.password has a line break or another control character in it")
    return Credentials(user=user, password=password, token=None, command=())


def _from(context: ChannelContext, variable: str) -> Secret | None:
    found = context.env(variable)
    return Secret(found) if found else None


def tls_of(settings: EmailSettings) -> ssl.SSLContext:
    """Certificates are always verified, names too."""
    try:
        return ssl.create_default_context(cafile=str(settings.ca_file) if settings.ca_file else None)
    except (OSError, ssl.SSLError) as error:
        raise SettingsError(f"channels.email.ca_file cannot be read: {error}") from error
