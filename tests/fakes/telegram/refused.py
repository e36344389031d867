"""How the Bot API says no. The sentences are those of the server's source, tdlib/telegram-bot-api Client.cpp."""

from tests.fakes.wire import Json


class Refused(Exception):
    """`{"ok": false, "error_code": ..., "description": ...}`, with the code as status too."""

    def __init__(self, code: int, description: str, **parameters: object) -> None:
        super().__init__(description)
        self.code = code
        self.parameters = parameters

    def body(self) -> Json:
        """The answer's JSON."""
        body: Json = {"ok": False, "error_code": self.code, "description": str(self)}
        return body | ({"parameters": self.parameters} if self.parameters else {})


def bad(what: str) -> Refused:
    """A request that will never work as it is."""
    return Refused(400, f"Bad Request: {what}")


def forbidden(what: str) -> Refused:
    """A chat that does not want the bot."""
    return Refused(403, f"Forbidden: {what}")


def too_many(retry_after: int) -> Refused:
    """The platform's wish for quiet, in whole seconds."""
    return Refused(429, f"Too Many Requests: retry after {retry_after}", retry_after=retry_after)


def moved(new: int) -> Refused:
    """The group is a supergroup now, with this id."""
    return Refused(400, "Bad Request: group chat was upgraded to a supergroup chat", migrate_to_chat_id=new)


TAKEN_OVER = Refused(
    409, "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running"
)
PUSHED = Refused(
    409, "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first"
)
