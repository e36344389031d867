"""A value that never prints."""

MASK = "***"


class Secret:
    """A password, token or key. Printing, formatting or logging it shows a mask; only `reveal()` gives the value.

    Not a dataclass on purpose: `asdict` and friends would look inside.
    """

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """The value itself: call it where it leaves the process, and nowhere else."""
        return self._value

    def hidden_in(self, text: str) -> str:
        """The text with every occurrence of the value masked."""
        return text.replace(self._value, MASK) if self._value else text

    def __bool__(self) -> bool:
        return bool(self._value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and self._value == other._value

    def __hash__(self) -> int:
        return hash(self._value)

    def __repr__(self) -> str:
        return f"Secret({MASK})"

    def __str__(self) -> str:
        return MASK

    def __format__(self, spec: str) -> str:
        return format(MASK, spec)

    def __reduce__(self) -> str | tuple[object, ...]:
        raise TypeError("a Secret does not leave the process: reveal() it where it is sent")
