"""What a command said, as far as a model needs it: the beginning and the end, and how much lies between."""

import codecs

from core.tools.text import readable

KEPT = 10_000  # characters
HEAD = KEPT * 2 // 5
TAIL = KEPT - HEAD
MOST_BYTES = 20_000_000  # read of one command


class CommandOutput:
    """Takes any amount of output and holds little of it."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._head = ""
        self._tail = ""
        self._cut = 0
        self._bytes = 0

    @property
    def flooded(self) -> bool:
        """Whether this is more than anybody asked for."""
        return self._bytes > MOST_BYTES

    def feed(self, chunk: bytes, *, last: bool = False) -> None:
        """The next bytes; what is no UTF-8 becomes U+FFFD."""
        self._bytes += len(chunk)
        text = self._decoder.decode(chunk, last)
        room = HEAD - len(self._head)
        self._head += text[:room]
        tail = self._tail + text[room:]
        self._cut += max(0, len(tail) - TAIL)
        self._tail = tail[-TAIL:]

    def text(self) -> str:
        """At most `KEPT` characters of it, without anything that could be taken for more than text."""
        if not self._cut:
            return readable(self._head + self._tail)
        note = f"\n[... {self._cut:,} characters are left out here ...]\n"
        return readable(self._head) + note + readable(self._tail)
