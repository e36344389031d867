"""What the operator decided, for each chat: its agent, its queue, its manners, and how late is too late."""

from collections.abc import Callable

from channels.contract import DEFAULT_MAX_AGE_H
from core.decide.view import Answerers, Queueing
from core.domain.chat import ChatKey, QueueMode
from core.domain.presence import Etiquette
from gateway.roster import Roster

HOUR_MS = 3_600_000


def agent(roster: Roster) -> Callable[[ChatKey], str]:
    """The agent that answers."""

    def of_chat(chat: ChatKey) -> str:
        section = roster.section(chat)
        return (section.common.agent if section else None) or roster.settings.agent

    return of_chat


def queueing(roster: Roster) -> Queueing:
    """The bounds of `[limits]`, and the mode of each channel's chats that have chosen none."""
    limits = roster.settings.limits

    def mode(chat: ChatKey) -> QueueMode:
        section = roster.section(chat)
        return section.common.queue if section else QueueMode.QUEUE

    return Queueing(
        mode=mode,
        chat=limits.queued_chat,
        person=limits.queued_person,
        burst_ms=round(limits.collect_s * 1000),
        burst=limits.collect_messages,
    )


def max_age(roster: Roster) -> Callable[[ChatKey], int]:
    """Milliseconds: what the operator says, else what the platform is used to."""

    def of_chat(chat: ChatKey) -> int:
        section, spec = roster.section(chat), roster.spec(chat)
        own = section.common.max_age if section else None
        return round((own or (spec.max_age_h if spec else DEFAULT_MAX_AGE_H)) * HOUR_MS)

    return of_chat


def answerers(roster: Roster) -> Callable[[ChatKey], Answerers]:
    """Whose words answer a question."""

    def of_chat(chat: ChatKey) -> Answerers:
        section = roster.section(chat)
        return section.common.question_answerers if section else Answerers.ASKER

    return of_chat


def refuses(roster: Roster) -> Callable[[ChatKey], bool]:
    """Whether people who are not let in are told so."""

    def of_chat(chat: ChatKey) -> bool:
        spec = roster.spec(chat)
        return spec is not None and spec.refuses

    return of_chat


def etiquette(roster: Roster) -> Callable[[ChatKey], Etiquette]:
    """What is shown while messages are worked on."""

    def of_chat(chat: ChatKey) -> Etiquette:
        section = roster.section(chat)
        if section is None:
            return Etiquette()
        return Etiquette(ack=section.common.ack_reaction, streaming=section.common.streaming)

    return of_chat
