"""What one mailbox has at hand, and what the store keeps of its conversations."""

import ssl
from dataclasses import dataclass

from channels.contract import ChannelContext
from channels.email.addresses import base
from channels.email.compose import Style
from channels.email.conversations import Conversation, loaded, scope_of, scope_of_mail, scope_of_mark
from channels.email.credentials import Credentials, credentials_of, tls_of
from channels.email.imap import Imap, connected
from channels.email.looking import Reading
from channels.email.settings import EmailSettings
from channels.email.where import Manner


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """Settings, context, and how mail is read and written."""

    settings: EmailSettings
    context: ChannelContext
    credentials: Credentials
    tls: ssl.SSLContext
    manner: Manner
    style: Style

    async def connect(self) -> Imap:
        """One more connection to the mailbox."""
        return await connected(self.settings, self.credentials, self.tls)

    async def kept(self, scope: str) -> str | None:
        """What the store has of a scope."""
        return await self.context.cursor(scope) if self.context.cursor else None

    async def conversation(self, root: str) -> Conversation | None:
        """The conversation that began with this mail."""
        return loaded(await self.kept(scope_of(root)))

    async def conversation_of(self, reading: Reading) -> Conversation | None:
        """The one that a mail goes on with: by our own mark, else by the newest mail that it answers and we know."""
        for mark in reading.marks:
            found = loaded(await self.kept(scope_of_mark(mark)))
            if found is not None:
                return found
        for message_id in reading.ancestors:
            root = await self.kept(scope_of_mail(message_id))
            found = await self.conversation(root or message_id)
            if found is not None:
                return found
        return None


def new_desk(settings: EmailSettings, context: ChannelContext) -> Desk:
    """Nothing is connected. Raises SettingsError without credentials."""
    manner = Manner(
        account=settings.address,
        addresses=frozenset(base(one) for one in (settings.address, *settings.also)),
        authserv_id=settings.trusted_authserv_id,
        trust_all=settings.unverified == "trust-listed",
        split_topics=settings.split_topics,
        commands=frozenset(one.name for one in context.commands),
    )
    style = Style(
        address=settings.address,
        display_name=settings.display_name,
        reply_all=settings.reply_all,
        plus_addressing=settings.plus_addressing,
    )
    return Desk(
        settings=settings,
        context=context,
        credentials=credentials_of(settings, context),
        tls=tls_of(settings),
        manner=manner,
        style=style,
    )
