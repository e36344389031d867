"""The inside of a confined child process: its limits and its loop. It imports little, so that it starts in 20 ms."""

import json
import resource
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress

MOST_MEMORY = 1 << 30  # bytes of address space
MOST_CPU_S = 20
LIMITS = (
    (resource.RLIMIT_CPU, MOST_CPU_S),
    (resource.RLIMIT_AS, MOST_MEMORY),
    (resource.RLIMIT_FSIZE, 0),
    (resource.RLIMIT_CORE, 0),
)

Message = Mapping[str, object]


def serve(answer: Callable[[Message], Message]) -> None:
    """Limits first, then one line of JSON in, one line out, until the input ends."""
    for limit, value in LIMITS:
        # Not every system can set every limit; the deadline of the parent holds in any case.
        with suppress(ValueError, OSError):
            resource.setrlimit(limit, (value, value))
    for line in sys.stdin.buffer:
        sys.stdout.buffer.write(json.dumps(answer(json.loads(line))).encode() + b"\n")
        sys.stdout.buffer.flush()
