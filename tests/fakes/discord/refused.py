"""How Discord says no."""

from tests.fakes.wire import Json


class Refused(Exception):
    """A status, a code of its own and words; `headers` only with a rate limit."""

    def __init__(self, status: int, code: int, message: str, **more: object) -> None:
        super().__init__(message)
        self.status = status
        self.headers: dict[str, str] = {}
        self.body: Json = {"message": message, "code": code, **more}


def invalid_form(where: str, code: str, message: str) -> Refused:
    """50035: what is wrong in the body, and where (a path with dots)."""
    errors: Json = {"_errors": [{"code": code, "message": message}]}
    for key in reversed(where.split(".")):
        errors = {key: errors}
    return Refused(400, 50035, "Invalid Form Body", errors=errors)


def unknown(what: str) -> Refused:
    """404 by the kind of thing that is not there."""
    codes = {"Channel": 10003, "Guild": 10004, "Member": 10007, "Message": 10008, "User": 10013, "Emoji": 10014}
    codes |= {"Webhook": 10015, "Interaction": 10062}
    return Refused(404, codes[what], f"Unknown {what}")


def rate_limited(retry_after: float, *, everywhere: bool = False, scope: str = "user") -> Refused:
    """429: the seconds stand in the body as a fraction, in the header rounded up."""
    refused = Refused(429, 0, "You are being rate limited.", retry_after=retry_after)
    refused.body["global"] = everywhere
    # Without Via discord.py takes it for a ban by the network in front, and gives up.
    refused.headers = {"Retry-After": str(int(retry_after) + 1), "Via": "1.1 fake"}
    refused.headers["X-RateLimit-Scope"] = "global" if everywhere else scope
    if everywhere:
        refused.headers["X-RateLimit-Global"] = "true"
    return refused
