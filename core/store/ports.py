"""The smaller ports of core on the store: each method is one operation, each writing one a commit."""

from collections.abc import Sequence
from dataclasses import replace

from core.domain.chat import QueueMode
from core.domain.delivery import Receipt
from core.domain.message import Dropped, Inbound, Reply
from core.ports import Accepted, PendingCommand, QueueView
from core.store import chats, commands, drafts, inbox
from core.store.admission import Admission
from core.store.store import Store


class StoredInbox:
    """Inbox on the store."""

    def __init__(self, store: Store, admission: Admission) -> None:
        self._store = store
        self._admission = admission

    async def accept(self, event: Inbound | Dropped, *, key: str, slot: bool) -> Accepted:
        """Store and decide in one commit. Events of one chat are stored in the order of these calls."""
        owner = self._admission.owner if slot else None
        async with self._store.in_turn(event.chat):
            return await self._store.run(inbox.accept, event, replace(self._admission, key=key, owner=owner))

    async def commands(self) -> Sequence[PendingCommand]:
        """Commands that nobody has performed yet."""
        return await self._store.read(commands.pending)


class StoredChats:
    """ChatSettings on the store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def model(self, chat_row: int) -> str | None:
        """The model chosen for this chat."""
        return await self._store.read(chats.model, chat_row)

    async def set_model(self, chat_row: int, name: str | None) -> None:
        """Choose a model for this chat, or none."""
        await self._store.run(chats.set_model, chat_row, name)

    async def set_queue_mode(self, chat_row: int, mode: QueueMode) -> None:
        """Choose a queue mode for this chat."""
        await self._store.run(chats.set_queue_mode, chat_row, mode)

    async def queue(self, chat_row: int) -> QueueView:
        """What runs and what waits."""
        return await self._store.read(chats.queue, chat_row)


class StoredDrafts:
    """Drafts on the store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def keep(self, turn: int, reply: Reply, receipt: Receipt, *, key: str) -> None:
        """The message of a turn is out."""
        await self._store.run(drafts.keep, turn, reply, receipt, key)

    async def find(self, turn: int) -> tuple[Receipt, int] | None:
        """The message of a turn and when it was kept."""
        return await self._store.read(drafts.find, turn)

    async def must_wait(self, turn: int) -> bool:
        """Whether anything of the chat is on its way out."""
        return await self._store.read(drafts.must_wait, turn)

    async def forget(self, turn: int) -> bool:
        """No reply takes its place."""
        return await self._store.run(drafts.forget, turn)
