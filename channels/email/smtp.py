"""Handing a mail in: what the server said, as the errors that tell what to do next."""

import asyncio
import ssl
from collections.abc import Sequence
from contextlib import suppress

import aiosmtplib
import structlog

from channels.email.addresses import domain, is_address
from channels.email.credentials import Credentials
from channels.email.settings import EmailSettings
from core.domain.errors import NotSent, RateLimited, Unacceptable, Unreachable, Unsure

log = structlog.get_logger(__name__)

WITHIN_S = 60.0
# RFC 5321, 4.5.3.2.6: whoever gives up earlier on the answer to the final dot sends twice.
TAKEN_WITHIN_S = 600.0
SHUTTING_DOWN = 421
LATER_S = 60.0


async def hand_in(
    settings: EmailSettings, credentials: Credentials, tls: ssl.SSLContext, recipients: Sequence[str], raw: bytes
) -> None:
    """Once; the first recipient has to be taken. What the server took stays sent, whatever follows.

    Raises SendError.
    """
    if not recipients or not all(map(is_address, (settings.address, *recipients))):
        raise Unreachable("a recipient is no plain mail address")
    client = _client(settings, tls)
    try:
        await _prepare(client, settings.address, credentials, recipients)
        await _deliver(client, raw)
    finally:
        with suppress(aiosmtplib.SMTPException, OSError, TimeoutError):
            async with asyncio.timeout(2.0):
                await client.quit()
        client.close()


async def signed_in(settings: EmailSettings, credentials: Credentials, tls: ssl.SSLContext) -> None:
    """Only signs in. Raises NotSent, or Unacceptable for wrong credentials."""
    client = _client(settings, tls)
    try:
        await client.connect()
        await _sign_in(client, credentials)
    except aiosmtplib.SMTPAuthenticationError as error:
        raise Unacceptable(f"the mail server refuses the sign-in: {_said(error)}") from error
    except (aiosmtplib.SMTPException, OSError, TimeoutError) as error:
        raise NotSent(f"the mail server does not answer: {_said(error)}") from error
    finally:
        client.close()


def _client(settings: EmailSettings, tls: ssl.SSLContext) -> aiosmtplib.SMTP:
    return aiosmtplib.SMTP(
        hostname=settings.smtp_host,
        port=settings.smtp_port,
        # Nobody has to know what this machine is called, and asking a name server for it can take seconds.
        local_hostname=domain(settings.address),
        timeout=WITHIN_S,
        use_tls=settings.smtp_tls == "tls",
        start_tls=settings.smtp_tls == "starttls",
        tls_context=None if settings.smtp_tls == "off" else tls,
    )


async def _sign_in(client: aiosmtplib.SMTP, credentials: Credentials) -> None:
    await client.ehlo()
    if not client.supports_extension("auth"):
        raise NotSent("the mail server offers no way to sign in; is it the one for handing mail in?")
    secret = await credentials.secret()
    if credentials.by_token:
        await client.auth_xoauth2(credentials.user, secret)
    elif "plain" in client.supported_auth_methods:
        # `login` would go on with every other method, and show the password to a token's.
        await client.auth_plain(credentials.user, secret)
    else:
        await client.login(credentials.user, secret)


async def _prepare(client: aiosmtplib.SMTP, sender: str, credentials: Credentials, recipients: Sequence[str]) -> None:
    """Up to the point where the text would follow: so far nothing can have been sent."""
    try:
        await client.connect()
        await _sign_in(client, credentials)
        await client.mail(sender)
    except aiosmtplib.SMTPResponseException as error:
        raise _passing(error) from error
    except (aiosmtplib.SMTPException, OSError, TimeoutError) as error:
        raise NotSent(f"the mail server does not answer: {_said(error)}") from error
    for number, recipient in enumerate(recipients):
        try:
            await client.rcpt(recipient)
        except aiosmtplib.SMTPResponseException as error:
            if number == 0:
                raise _unreachable(error) from error
            log.warning("mail.recipient_refused", error=_said(error))
        except (aiosmtplib.SMTPException, OSError, TimeoutError) as error:
            raise NotSent(f"the mail server went away: {_said(error)}") from error


async def _deliver(client: aiosmtplib.SMTP, raw: bytes) -> None:
    try:
        await client.data(raw, timeout=TAKEN_WITHIN_S)
    except aiosmtplib.SMTPResponseException as error:
        if error.code < 0:
            raise Unsure(f"the mail server's answer was cut: {_said(error)}") from error
        if error.code >= 500:
            raise Unacceptable(f"the mail server refuses this mail: {_said(error)}") from error
        raise _passing(error) from error
    except (aiosmtplib.SMTPException, OSError, TimeoutError) as error:
        raise Unsure(f"no answer came to the end of the mail: {_said(error)}") from error


def _passing(error: aiosmtplib.SMTPResponseException) -> NotSent | RateLimited:
    if error.code == SHUTTING_DOWN:
        return RateLimited(f"the mail server asks to come later: {_said(error)}", retry_in=LATER_S, everywhere=True)
    return NotSent(f"the mail server refused: {_said(error)}")


def _unreachable(error: aiosmtplib.SMTPResponseException) -> NotSent | RateLimited | Unreachable:
    if error.code >= 500:
        return Unreachable(f"the mail server does not take this recipient: {_said(error)}")
    return _passing(error)


def _said(error: BaseException) -> str:
    if isinstance(error, aiosmtplib.SMTPResponseException):
        return " ".join(f"{error.code} {error.message}".split())[:200]
    return type(error).__name__
