"""What can be set about a mailbox."""

import ipaddress
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema, model_validator

from channels.email.addresses import is_address
from core.domain.secret import Secret

PASSWORD_VARIABLE = "EMAIL_PASSWORD"  # noqa: S105 - the name of a variable
TOKEN_VARIABLE = "EMAIL_ACCESS_TOKEN"  # noqa: S105 - the name of a variable


def _secret(value: object) -> object:
    return Secret(value) if isinstance(value, str) else value


def _address(value: object) -> object:
    if not isinstance(value, str) or not is_address(value.strip()):
        raise ValueError("this is no plain mail address, such as assistant@example.com")
    return value.strip().lower()


def _folder(value: object) -> object:
    if isinstance(value, str) and (not value.strip() or not value.isprintable() or len(value) > 200):
        raise ValueError("a folder's name has letters in it and no line breaks or other control characters")
    return value


def _host(value: object) -> object:
    if isinstance(value, str) and (not value.isascii() or not value.isprintable() or " " in value or not value):
        raise ValueError("this is no host name")
    return value


SecretText = Annotated[
    Secret, BeforeValidator(_secret), WithJsonSchema({"type": "string", "format": "password", "writeOnly": True})
]
Address = Annotated[str, BeforeValidator(_address)]
Folder = Annotated[str, BeforeValidator(_folder)]
Host = Annotated[str, BeforeValidator(_host)]
Port = Annotated[int, Field(ge=1, le=65_535)]


class Who(BaseModel):
    """Who we are to others, and how we sign in."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    address: Address = Field(description="The address of the mailbox.")
    also: tuple[Address, ...] = Field(default=(), description="More addresses whose mail arrives there.")
    display_name: str = Field(default="", max_length=100, description="The name in front of the address.")
    user: str | None = Field(default=None, description="The name to sign in with; without it the address.")
    auth: Literal["password", "xoauth2"] = Field(default="password", description="How to sign in.")
    password: SecretText | None = Field(
        default=None, description=f"Without it {PASSWORD_VARIABLE} of the environment counts."
    )
    access_token: SecretText | None = Field(
        default=None, description=f"For xoauth2; without it {TOKEN_VARIABLE} of the environment counts."
    )
    token_command: tuple[str, ...] = Field(
        default=(), description="For xoauth2: a program that prints a fresh access token, with its arguments."
    )


class Where(BaseModel):
    """The servers, and the folders that are read."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    imap_host: Host = Field(description="Where the mail is read.")
    imap_port: Port = 993
    imap_tls: Literal["tls", "off"] = Field(default="tls", description="`off` only on this very machine.")
    smtp_host: Host = Field(description="Where mail is handed in.")
    smtp_port: Port = 465
    smtp_tls: Literal["tls", "starttls", "off"] = Field(default="tls", description="`off` only on this very machine.")
    ca_file: Path | None = Field(default=None, description="The certificates to trust; without it the system's.")
    folders: tuple[Folder, ...] = Field(default=("INBOX",), min_length=1, description="The folders that are read.")
    poll_s: Annotated[float, Field(ge=1, le=1_500)] = Field(
        default=60.0, description="How often to look for mail besides being told of it, in seconds."
    )
    sent: Literal["provider", "append", "none"] = Field(
        default="none",
        description=(
            "Who files what is sent: the provider (as Gmail and Microsoft 365 do), we, or nobody. With `provider` no "
            "mail is ever sent twice, since what is there was sent and what is not was not."
        ),
    )
    sent_folder: Folder | None = Field(default=None, description="Without it the one that the server names.")


class EmailSettings(Who, Where):
    """One mailbox, and the server that takes mail from it."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    mark_seen: bool = Field(default=False, description="Mail that was taken is marked as read.")
    reply_all: bool = Field(default=True, description="Whoever read the mail along reads the answer too.")
    plus_addressing: bool = Field(
        default=False, description="Answers are to come back to address+tag, for programs that lose their thread."
    )
    split_topics: bool = Field(default=False, description="A new subject in an old thread is a new conversation.")
    trusted_authserv_id: str | None = Field(
        default=None,
        pattern=r"^[A-Za-z0-9._-]+$",
        description="How your mail server calls itself in the Authentication-Results that it adds.",
    )
    unverified: Literal["refuse", "trust-listed"] = Field(
        default="refuse",
        description=(
            "What becomes of mail whose sender your server did not verify. `trust-listed` believes any sender: anybody "
            "can write under the name of somebody who is listed."
        ),
    )
    notice_after_min: Annotated[float, Field(ge=0, le=10_000)] = Field(
        default=30.0, description="After so many minutes of work one mail says that it still goes on; 0: never."
    )
    most_per_hour: Annotated[int, Field(ge=1)] = Field(
        default=60, description="More mails than this from one sender within an hour are not read."
    )

    @model_validator(mode="after")
    def _encrypted_beyond_this_machine(self) -> "EmailSettings":
        for host, tls, key in (
            (self.imap_host, self.imap_tls, "imap_tls"),
            (self.smtp_host, self.smtp_tls, "smtp_tls"),
        ):
            if tls == "off" and not _is_here(host):
                raise ValueError(f'{key} = "off" is only for a server on this machine; use "tls"')
        if self.user is not None and not (self.user.isprintable() and self.user):
            raise ValueError("user has a line break or another control character in it")
        return self


def _is_here(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
