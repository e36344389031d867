"""A skill: instructions for one kind of task, read when they are needed."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Skill:
    """`missing` names the programs and variables that it needs and that are not there: then it cannot be loaded.

    With `always` its body stands in every prompt of an agent that uses skills.
    """

    name: str
    description: str
    body: str
    always: bool = False
    missing: tuple[str, ...] = ()

    @property
    def unavailable(self) -> str:
        """Why it cannot be loaded; empty when it can."""
        return f"[❌ UNAVAILABLE MISSING {', '.join(self.missing)}]" if self.missing else ""
