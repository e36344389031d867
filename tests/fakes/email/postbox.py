"""What lies in a mailbox, as a mail server keeps it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_ID = re.compile(rb"^message-id:\s*(<[^>]*>)", re.IGNORECASE | re.MULTILINE)


@dataclass(slots=True, kw_only=True)
class Kept:
    """One mail in a folder; `at` in milliseconds UTC."""

    uid: int
    raw: bytes
    at: int
    flags: set[str] = field(default_factory=set)

    @property
    def message_id(self) -> str:
        """Of its header."""
        found = _ID.search(self.raw)
        return found[1].decode("ascii", "replace") if found else ""


@dataclass(slots=True, kw_only=True)
class Folder:
    """Uids only ever rise while `validity` stays."""

    name: str
    validity: int = 1
    next: int = 1
    mails: list[Kept] = field(default_factory=list)
    attributes: str = "\\HasNoChildren"

    def add(self, raw: bytes, at: int, *flags: str, uid: int | None = None) -> Kept:
        """At the end."""
        kept = Kept(uid=self.next if uid is None else uid, raw=raw, at=at, flags=set(flags))
        self.next = max(self.next, kept.uid + 1)
        self.mails.append(kept)
        return kept

    def made_anew(self, validity: int) -> None:
        """As after a restore: the same mails under other numbers."""
        self.validity = validity
        for number, kept in enumerate(self.mails, 1):
            kept.uid = number
        self.next = len(self.mails) + 1

    def within(self, told: str) -> Iterator[Kept]:
        """The mails of a set such as `3:*`, which always holds the last one."""
        last = self.mails[-1].uid if self.mails else 0
        for piece in told.split(","):
            first, colon, second = piece.partition(":")
            ends = [last if one == "*" else int(one) for one in (first, second if colon else first)]
            lowest, highest = min(ends), max(ends)
            yield from (one for one in self.mails if lowest <= one.uid <= highest)


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """A mail that the server accepted for delivery."""

    sender: str
    recipients: tuple[str, ...]
    raw: bytes


class Box:
    """The mailbox of one user."""

    def __init__(self) -> None:
        self.folders = {"INBOX": Folder(name="INBOX"), "Sent": Folder(name="Sent", attributes="\\HasNoChildren \\Sent")}
        self.ledger: list[Taken] = []

    def accepted(self, sender: str, recipients: tuple[str, ...], raw: bytes) -> bytes:
        """For delivery; the mail."""
        self.ledger.append(Taken(sender=sender, recipients=recipients, raw=raw))
        return raw

    @property
    def inbox(self) -> Folder:
        """Where mail arrives."""
        return self.folders["INBOX"]

    @property
    def sent(self) -> Folder:
        """Where what went out may be filed."""
        return self.folders["Sent"]
