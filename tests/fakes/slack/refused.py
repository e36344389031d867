"""How Slack says no."""

from tests.fakes.wire import Json


class Refused(Exception):
    """`{"ok": false, "error": ...}`: status 200 for nearly all of them, 429 for a rate limit."""

    def __init__(self, error: str, *, status: int = 200, headers: dict[str, str] | None = None, **more: object) -> None:
        super().__init__(error)
        self.status = status
        self.headers = headers or {}
        self.body: Json = {"ok": False, "error": error, **more}


def invalid_blocks(*messages: str) -> Refused:
    """The refusal of blocks, which says where."""
    return Refused("invalid_blocks", response_metadata={"messages": [f"[ERROR] {one}" for one in messages]})


def rate_limited(retry_after: int) -> Refused:
    """The platform's wish for quiet, in whole seconds."""
    return Refused("ratelimited", status=429, headers={"Retry-After": str(retry_after)})
