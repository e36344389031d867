"""Email: any mailbox that speaks IMAP and SMTP."""

from collections.abc import Mapping

from channels.contract import ChannelContext, ChannelSpec, Question
from channels.email.channel import EmailChannel
from channels.email.desk import new_desk
from channels.email.listening import Listener
from channels.email.reading import read_file
from channels.email.settings import EmailSettings
from channels.email.where import CHANNEL

MAX_AGE_H = 7 * 24.0


def build(settings: EmailSettings, context: ChannelContext) -> EmailChannel:
    """Nothing is connected yet. Raises SettingsError without a password or token."""
    return EmailChannel(Listener(new_desk(settings, context)))


async def identify(settings: EmailSettings, context: ChannelContext) -> str:
    """The mailbox is its address."""
    return settings.address


def own(settings: EmailSettings) -> Mapping[str, object]:
    """Our addresses, and who verifies senders for us."""
    return {"addresses": [settings.address, *settings.also], "authserv_id": settings.trusted_authserv_id}


SPEC = ChannelSpec(
    name=CHANNEL,
    settings=EmailSettings,
    build=build,
    max_age_h=MAX_AGE_H,
    refuses=False,
    identify=identify,
    read=read_file,
    own=own,
    asks=(
        Question(key="address", text="The address of the mailbox"),
        Question(key="imap_host", text="The server to read mail from, such as imap.gmail.com or outlook.office365.com"),
        Question(key="smtp_host", text="The server to hand mail in at, such as smtp.gmail.com or smtp.office365.com"),
        Question(key="smtp_port", text="Its port: 465, or 587 with smtp_tls = starttls", optional=True),
        Question(key="smtp_tls", text="tls for port 465, starttls for port 587", optional=True),
        Question(key="password", text="The password: at Gmail an app password (account, Security)", secret=True),
        Question(
            key="trusted_authserv_id",
            text="How your server calls itself in the Authentication-Results of a mail that came in (show original)",
            optional=True,
        ),
    ),
)
