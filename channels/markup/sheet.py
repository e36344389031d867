"""What is drawn: what the platform gets, what a reader sees of it, and which of that no author wrote."""

from collections.abc import Mapping
from dataclasses import dataclass

Span = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One message: the parameters of the platform's own call, the text that a reader sees, and the spans of it that
    were added (marks of lists, repeated headers, padding, empty lines between paragraphs).
    """

    payload: Mapping[str, object]
    visible: str
    added: tuple[Span, ...]

    @property
    def content(self) -> str:
        """What an author wrote, in its order."""
        kept, at = [], 0
        for start, end in self.added:
            kept.append(self.visible[at:start])
            at = end
        return "".join([*kept, self.visible[at:]])


class Sheet:
    """Collects one message, from its first character to its last."""

    def __init__(self) -> None:
        self._raw: list[str] = []
        self._seen: list[str] = []
        self._added: list[Span] = []
        self._length = 0

    def says(self, text: str, raw: str | None = None) -> None:
        """Words of the author; `raw` is how the platform wants them."""
        self._raw.append(text if raw is None else raw)
        self._seen.append(text)
        self._length += len(text)

    def adds(self, text: str, raw: str | None = None) -> None:
        """Something that a reader sees and no author wrote."""
        if text:
            if self._added and self._added[-1][1] == self._length:
                self._added[-1] = (self._added[-1][0], self._length + len(text))
            else:
                self._added.append((self._length, self._length + len(text)))
        self.says(text, raw)

    def marks(self, raw: str) -> None:
        """Something that the platform obeys and no reader sees."""
        self._raw.append(raw)

    @property
    def raw(self) -> str:
        """What the platform gets."""
        return "".join(self._raw)

    @property
    def visible(self) -> str:
        """What a reader sees."""
        return "".join(self._seen)

    def part(self, payload: Mapping[str, object]) -> Part:
        """As a message with these parameters."""
        return Part(payload=payload, visible=self.visible, added=tuple(self._added))
