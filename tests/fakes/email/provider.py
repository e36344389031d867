"""What a session needs of the server that it belongs to."""

from typing import Protocol

from tests.fakes.email.postbox import Box


class FaultPlan(Protocol):
    """What goes wrong next."""

    def refusal(self, command: str) -> str | None:
        """The answer that a command gets instead."""

    def cut(self) -> str | None:
        """Whether the next mail's connection breaks `before` or `after` it is taken."""


class Provider(Protocol):
    """The mailbox behind a session."""

    box: Box
    commands: list[str]

    @property
    def plan(self) -> FaultPlan:
        """What goes wrong next."""

    def clock(self) -> int:
        """Milliseconds UTC."""

    def tell(self) -> None:
        """Something has changed."""

    async def change(self) -> None:
        """Until something does."""

    def accepts(self, sender: str, recipients: tuple[str, ...], raw: bytes) -> None:
        """Takes a mail for delivery."""
