"""A disk that forgets: what a file holds after a power cut, worked out from the calls of a process.

What was written before the last good sync of a file is kept. Of what came after it, any beginning may have reached
the disk. What a sync that failed was about is lost for good, unless it is written again: the system tells of it once.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tests.faults.traced import SYNCS, Call


@dataclass(slots=True)
class _File:
    kept: bytearray
    pending: list[Call] = field(default_factory=list)

    def image(self, pending: Sequence[Call]) -> bytes:
        content = bytearray(self.kept)
        for call in pending:
            _apply(content, call)
        return bytes(content)


class Disk:
    """The files of one folder. `syncs`: whether a sync counts, so that a test can see what would be without."""

    def __init__(self, files: dict[str, bytes], *, syncs: bool = True) -> None:
        self._files = {name: _File(bytearray(content)) for name, content in files.items()}
        self._syncs = syncs

    def does(self, call: Call) -> bool:
        """Follow one call; whether it changed what a power cut would leave."""
        file = self._files.get(call.path)
        if file is None:
            return False
        if call.name in SYNCS:
            if self._syncs:
                if not call.result:
                    for one in file.pending:
                        _apply(file.kept, one)
                file.pending.clear()
            return True
        if call.result >= 0:
            file.pending.append(call)
        return True

    def images(self) -> Iterator[dict[str, bytes]]:
        """Only what is surely there, and all that was written, if that is more."""
        yield {name: file.image(()) for name, file in self._files.items()}
        if any(file.pending for file in self._files.values()):
            yield {name: file.image(file.pending) for name, file in self._files.items()}


def _apply(content: bytearray, call: Call) -> None:
    if call.name == "ftruncate":
        del content[call.numbers[0] :]
        return
    if call.name == "unlink":
        content.clear()
        return
    _, offset = call.numbers
    content.extend(bytes(max(0, offset - len(content))))
    content[offset : offset + call.result] = call.data[: call.result]
