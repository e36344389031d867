"""What is kept of a conversation by mail: who takes part, what it is about, what its next mail answers."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from channels.email.addresses import is_address
from channels.email.threads import mark, subject_base

MOST_PEOPLE = 50
MOST_REFERENCES = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """`author` wrote last; `others` read along. `references` are the ids of its mails, oldest first."""

    root: str
    subject: str
    author: str
    others: tuple[str, ...] = ()
    references: tuple[str, ...] = ()

    @property
    def last(self) -> str:
        """The mail that the next one answers."""
        return self.references[-1] if self.references else self.root


@dataclass(frozen=True, slots=True, kw_only=True)
class Letter:
    """What a mail says of its conversation."""

    message_id: str
    subject: str
    author: str
    others: tuple[str, ...]


def begun(root: str, letter: Letter) -> Conversation:
    """By its first mail."""
    empty = Conversation(root=root, subject=letter.subject, author=letter.author)
    return continued(empty, letter)


def continued(known: Conversation, letter: Letter) -> Conversation:
    """After one more mail in it: whoever is addressed there reads along from now on, and only they."""
    ids = [one for one in known.references if one != letter.message_id] + [letter.message_id]
    kept = ids if len(ids) <= MOST_REFERENCES else [ids[0], *ids[-(MOST_REFERENCES - 1) :]]
    others = tuple(one for one in letter.others if one != letter.author)[:MOST_PEOPLE]
    return replace(known, author=letter.author, others=others, references=tuple(kept))


def is_other_topic(known: Conversation, subject: str) -> bool:
    """Whether the subject was changed to something new."""
    old, new = subject_base(known.subject).casefold(), subject_base(subject).casefold()
    return bool(new) and old != new and old not in new


def scope_of(root: str) -> str:
    """Where a conversation is kept."""
    return f"conversation.{mark(root)}"


def scope_of_mark(found: str) -> str:
    """The same by what stands in an id or an address of ours."""
    return f"conversation.{found}"


def scope_of_mail(message_id: str) -> str:
    """Where the root of a mail's conversation is kept."""
    return f"mail.{mark(message_id)}"


def dumped(known: Conversation) -> str:
    """As JSON."""
    return json.dumps(asdict(known), ensure_ascii=False, separators=(",", ":"))


def loaded(value: str | None) -> Conversation | None:
    """None for nothing, and for what no version of this wrote."""
    try:
        told = json.loads(value or "null")
    except ValueError:
        return None
    if not isinstance(told, Mapping) or not all(
        isinstance(told.get(name), str) for name in ("root", "subject", "author")
    ):
        return None
    if not is_address(told["author"]):
        return None
    return Conversation(
        root=told["root"],
        subject=told["subject"],
        author=told["author"],
        others=_texts(told.get("others")),
        references=_texts(told.get("references")),
    )


def _texts(value: object) -> tuple[str, ...]:
    return tuple(one for one in value if isinstance(one, str)) if isinstance(value, Sequence) else ()
