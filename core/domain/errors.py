"""Every error of the product. Its class tells the caller what to do next.

ParleyError
├── SettingsError          the operator must change a named key or file; exit code 2
├── StoreError             the store cannot be used as it is; nothing was acknowledged
│   ├── StoreFull          free space or raise the quota; the same call will succeed after that
│   └── StoreUnusable      the file or server is wrong: permissions, version, damage
│       └── StoreBroken    the disk did not keep what was written: end the process, nothing more is stored by it
├── SendError              one part did not go out
│   ├── RateLimited        the platform asks us to wait `retry_in` seconds, in this chat or everywhere
│   ├── NotSent            surely not sent, and worth another try
│   ├── Unsure             may have been sent: settle it before any repeat
│   ├── Unacceptable       this part will never be accepted as it is; plain text may be
│   └── Unreachable        this chat will not take messages: blocked, deleted, left
├── ModelError             one model call gave no answer
│   ├── ModelUnreachable   may work later or elsewhere: network, overload, rate limit, time-out
│   ├── ContextTooLong     the prompt must become shorter
│   ├── ModelRefused       the provider will not do this: credentials, policy, unknown model
│   └── ModelBroken        the answer cannot be used: no text and no call, or not in the protocol
└── ToolError              told to the model as the call's result; the turn goes on
"""


class ParleyError(Exception):
    """The base of all errors that Parley raises on purpose."""


class SettingsError(ParleyError):
    """A setting is wrong. The message names the file, the key and the right form, in one line."""


class StoreError(ParleyError):
    """The store cannot be used as it is. Nothing was acknowledged."""


class StoreFull(StoreError):
    """No space for the commit. It left no trace; the same call succeeds when there is space again."""


class StoreUnusable(StoreError):
    """The store's file or server is wrong; the message names what to change."""


class StoreBroken(StoreUnusable):
    """The disk did not keep what was written. This process stores nothing any more; it has to end and start again."""


class SendError(ParleyError):
    """One part did not go out."""


class RateLimited(SendError):
    """The platform asks us to wait; the same part will succeed after `retry_in` seconds.

    `everywhere`: it wants no call from the whole account until then, not only none to this chat.
    """

    def __init__(self, message: str, *, retry_in: float, everywhere: bool = False) -> None:
        super().__init__(message)
        self.retry_in = retry_in
        self.everywhere = everywhere


class NotSent(SendError):
    """Surely not sent: the request never left or was refused for a passing reason."""


class Unsure(SendError):
    """The request left and no answer came: the part may have been sent."""


class Unacceptable(SendError):
    """The platform will never accept this part as it is; plain text may be accepted."""


class Unreachable(SendError):
    """The chat does not take messages: blocked, deleted, left, never opened."""


class ModelError(ParleyError):
    """One model call gave no answer."""


class ModelUnreachable(ModelError):
    """May work later or on another model. `retry_in` is what the provider asked for, in seconds."""

    def __init__(self, message: str, *, retry_in: float | None = None) -> None:
        super().__init__(message)
        self.retry_in = retry_in


class ContextTooLong(ModelError):
    """The prompt is longer than the model can read."""


class ModelRefused(ModelError):
    """The provider will not do this, however often it is asked."""


class ModelBroken(ModelError):
    """The provider answered with something that is not an answer."""


class ToolError(ParleyError):
    """Told to the model as the result of its call; the turn goes on."""
