"""What the operator decided about messages that wait, and about those that come late."""

from collections.abc import Callable, Sequence

from channels.contract import DEFAULT_MAX_AGE_H, AnySpec
from core.decide.view import Answerers, Queueing
from core.domain.chat import ChatKey
from gateway.settings import Settings

HOUR_MS = 3_600_000


def queueing(settings: Settings) -> Queueing:
    """The bounds of `[limits]`, and the mode of each channel."""
    limits = settings.limits
    return Queueing(
        mode=lambda chat: settings.queue_of(chat.channel),
        chat=limits.queued_chat,
        person=limits.queued_person,
        burst_ms=round(limits.collect_s * 1000),
        burst=limits.collect_messages,
    )


def max_age(settings: Settings, specs: Sequence[AnySpec]) -> Callable[[ChatKey], int]:
    """Milliseconds for a channel's chats: what the operator says, else what its platform is used to."""
    usual = {spec.name: spec.max_age_h for spec in specs}

    def of_chat(chat: ChatKey) -> int:
        section = settings.channels.get(chat.channel)
        own = section.common.max_age if section else None
        return round((own or usual.get(chat.channel, DEFAULT_MAX_AGE_H)) * HOUR_MS)

    return of_chat


def answerers(settings: Settings) -> Callable[[ChatKey], Answerers]:
    """Whose words answer a question, by channel."""

    def of_chat(chat: ChatKey) -> Answerers:
        section = settings.channels.get(chat.channel)
        return section.common.question_answerers if section else Answerers.ASKER

    return of_chat


def refuses(specs: Sequence[AnySpec]) -> Callable[[ChatKey], bool]:
    """Whether people who are not let in are told so, by channel."""
    open_ones = frozenset(spec.name for spec in specs if spec.refuses)
    return lambda chat: chat.channel in open_ones
