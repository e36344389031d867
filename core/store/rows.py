"""Columns to domain values and back, for what several operations read."""

from core.domain.chat import ChatKey


def thread_column(chat: ChatKey) -> str:
    """'' stands for no thread, since NULLs are never equal in a unique key."""
    return chat.thread_id or ""


def chat_key(channel: str, account: str, chat_id: str, thread_id: str) -> ChatKey:
    """The key that the four columns hold."""
    return ChatKey(channel=channel, account=account, chat_id=chat_id, thread_id=thread_id or None)
