"""A value that must not be seen: it masks itself wherever it is printed."""

from typing import Final, final

MASK: Final = "***"


@final
class Secret:
    """Prints as `***` in every form; `reveal()` is the only way to the value, so that each use can be found."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """The value itself: to be handed to a library, never to a log, an error or a person."""
        return self._value

    def __repr__(self) -> str:
        return MASK

    def __str__(self) -> str:
        return MASK

    def __bool__(self) -> bool:
        return bool(self._value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and self._value == other._value

    def __hash__(self) -> int:
        return hash(self._value)
