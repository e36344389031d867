"""From bytes to messages: one a line, a bracketed paste unbroken."""

import codecs
import re

PASTE_START = "\x1b[200~"
PASTE_END = "\x1b[201~"
_BREAK = re.compile(r"\n|\x1b\[200~|\x1b\[201~")
# What may turn out to be a paste mark when the next bytes come.
_CUT_MARK = re.compile(r"\x1b(?:\[(?:2(?:0(?:[01])?)?)?)?\Z")


class Lines:
    """Takes bytes in pieces of any size; the messages do not depend on where the pieces were cut.

    Inside a paste a newline is part of the message; with `whole` it always is. Bytes that are not UTF-8 become U+FFFD.
    Of a message longer than `limit` characters the first `limit` + 1 are kept, which shows that it was too long.
    """

    def __init__(self, *, limit: int, whole: bool = False) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._limit = limit
        self._whole = whole
        self._held = ""
        self._pieces: list[str] = []
        self._room = limit + 1
        self._pasting = False

    def feed(self, data: bytes) -> list[str]:
        """The messages that these bytes complete."""
        return self._cut(self._held + self._decoder.decode(data), ended=False)

    def end(self) -> list[str]:
        """The message that the end of the input leaves, an open paste included."""
        messages = self._cut(self._held + self._decoder.decode(b"", final=True), ended=True)
        if self._pieces:
            messages.append(self._message())
        return messages

    def _cut(self, text: str, *, ended: bool) -> list[str]:
        messages = []
        start = 0
        for mark in _BREAK.finditer(text):
            self._keep(text[start : mark.start()])
            start = mark.end()
            if mark.group() != "\n":
                self._pasting = mark.group() == PASTE_START
            elif self._pasting or self._whole:
                self._keep("\n")
            else:
                messages.append(self._message())
        rest = text[start:]
        cut = None if ended else _CUT_MARK.search(rest)
        self._held = cut.group() if cut else ""
        self._keep(rest[: len(rest) - len(self._held)])
        return messages

    def _keep(self, text: str) -> None:
        if text and self._room:
            kept = text[: self._room]
            self._room -= len(kept)
            self._pieces.append(kept)

    def _message(self) -> str:
        message = "".join(self._pieces)
        self._pieces.clear()
        self._room = self._limit + 1
        return message.removesuffix("\n") if self._whole else message
