"""Who speaks in an update: a person, another bot, or a chat that hides the person behind it. Pure."""

from dataclasses import dataclass

from channels.telegram.raw import Raw, flag_at, id_at, object_at, text_at
from core.domain.chat import Principal, SenderKind

CHANNEL = "telegram"


@dataclass(frozen=True, slots=True, kw_only=True)
class Me:
    """The bot itself, as getMe tells it. An empty id means that nobody said who we are."""

    id: str = ""
    username: str = ""

    def is_named(self, mention: str) -> bool:
        """Whether `@name` is us; usernames know no case."""
        return bool(self.username) and mention.removeprefix("@").lower() == self.username.lower()


def me_of(told: Raw | None) -> Me:
    """From what getMe answers, or from `--self`, where people write the id as text too."""
    if told is None:
        return Me()
    return Me(id=id_at(told, "id") or text_at(told, "id"), username=text_at(told, "username").removeprefix("@"))


def speaker(message: Raw, me: Me) -> Principal | None:
    """None where the message tells nobody.

    A message in the name of a chat (an anonymous administrator, a channel that is linked or that somebody speaks as)
    belongs to that chat and to no person: whoever wrote it is hidden.
    """
    behind = object_at(message, "sender_chat")
    if behind:
        return _principal(me, id_at(behind, "id"), text_at(behind, "title"), SenderKind.SYSTEM)
    return person(object_at(message, "from"), me)


def person(user: Raw, me: Me) -> Principal | None:
    """A user of Telegram by the id; names are for display."""
    name = " ".join(part for part in (text_at(user, "first_name"), text_at(user, "last_name")) if part)
    kind = SenderKind.BOT if flag_at(user, "is_bot") else SenderKind.PERSON
    return _principal(me, id_at(user, "id"), name or text_at(user, "username"), kind)


def _principal(me: Me, user_id: str, name: str, kind: SenderKind) -> Principal | None:
    if not user_id:
        return None
    return Principal(channel=CHANNEL, account=me.id, user_id=user_id, name=name, kind=kind)
