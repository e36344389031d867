"""The content encoding of an answer, undone within bounds. Pure."""

import zlib

from core.domain.errors import ToolError

# Each end of a part copies what is left of the chunk: many empty parts in little data would cost quadratic time.
MOST_PARTS = 1_000
EXCESS = 65_536  # bytes that compressed data may be longer than the decoded limit
ACCEPTED = "gzip"
_GZIP = 16 + zlib.MAX_WBITS


class Decoder:
    """Takes an answer's bytes as they come and gives at most `limit` decoded ones; never holds more than that."""

    def __init__(self, encoding: str, limit: int) -> None:
        """Raises ToolError for an encoding that was not asked for."""
        name = encoding.strip().lower()
        if name not in ("", "identity", "gzip", "x-gzip"):
            raise ToolError(f"The answer is encoded as {name[:40]!r}, which was not asked for. Use another address.")
        self._inflate = zlib.decompressobj(_GZIP) if "gzip" in name else None
        self._room = limit
        self._taken, self._most = 0, limit + EXCESS
        self._parts = 0
        self._cut = False

    @property
    def full(self) -> bool:
        """Whether the limit is reached: nothing more needs to be read."""
        return self._cut

    @property
    def complete(self) -> bool:
        """Whether what was fed so far could be all: nothing is cut off and no compressed part is unfinished."""
        return not self._cut and (self._inflate is None or self._inflate.eof)

    def feed(self, data: bytes) -> bytes:
        """The next decoded bytes. Raises ToolError when the data is broken or made to be slow."""
        if self._inflate is None:
            return self._bounded(data)
        self._taken += len(data)
        if self._taken > self._most:
            raise ToolError("The answer is compressed so that it takes more bytes than it gives. Use another address.")
        decoded = []
        while data and not self._cut:
            decoded.append(self._bounded(self._decompressed(data)))
            data = self._rest()
        return b"".join(decoded)

    def _bounded(self, data: bytes) -> bytes:
        self._cut = len(data) > self._room
        data = data[: self._room]
        self._room -= len(data)
        return data

    def _decompressed(self, data: bytes) -> bytes:
        assert self._inflate is not None
        try:
            # One byte more than there is room for shows that there is more.
            return self._inflate.decompress(data, self._room + 1)
        except zlib.error as exc:
            raise ToolError("The answer is compressed and damaged. Try again or use another address.") from exc

    def _rest(self) -> bytes:
        """What of the last data is still to be read; a new part begins where one has ended."""
        assert self._inflate is not None
        if not self._inflate.eof:
            return self._inflate.unconsumed_tail
        rest = self._inflate.unused_data.lstrip(b"\0")
        if rest:
            self._parts += 1
            if self._parts > MOST_PARTS:
                raise ToolError("The answer is compressed in too many parts. Use another address.")
            self._inflate = zlib.decompressobj(_GZIP)
        return rest
