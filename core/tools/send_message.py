"""send_message: something is said while the turn goes on, here or in another chat that the operator named."""

import asyncio
from collections.abc import Mapping

from pydantic import Field

from core.domain.chat import ChatKey
from core.domain.errors import ToolError
from core.domain.message import Markdown, OutgoingFile, Reply
from core.domain.tool import Effect, ToolResult
from core.ports import Tool, ToolContext
from core.tools.define import Arguments, define
from core.tools.paths import parts_of, shown
from core.tools.workspace import FILE_LIMIT, workspace_of

MOST_FILES = 10
LONGEST_TEXT = 100_000  # characters
SETTING = "[tools.send_message] send_to"


class SendMessageArguments(Arguments):
    """What is said, and to whom."""

    text: str = Field(default="", max_length=LONGEST_TEXT, description="what to say, in Markdown")
    files: tuple[str, ...] = Field(
        default=(), max_length=MOST_FILES, description="files to attach, relative to the workspace"
    )
    to: str = Field(default="", description="another chat, named as the operator named it; empty is this chat")


def send_message(places: Mapping[str, ChatKey]) -> Tool:
    """`places` are the chats that it may write to beside its own, by the names that the operator gave them."""

    async def perform(arguments: SendMessageArguments, context: ToolContext) -> ToolResult:
        if not arguments.text.strip() and not arguments.files:
            raise ToolError("There is nothing to send: give a text, or files, or both.")
        target = _target(arguments.to, places, context)
        files = await asyncio.to_thread(_files, arguments.files, context)
        fragments = (Markdown(source=arguments.text),) if arguments.text.strip() else ()
        await context.say(Reply(fragments=fragments, files=files), target)
        if target is not None:
            return ToolResult(text=f"It goes to {arguments.to}.")
        return ToolResult(
            text="It is on its way to this chat. Do not repeat it: when nothing is left to say, answer with nothing.",
            said=arguments.text,
        )

    return define(
        name="send_message",
        description=_description(places),
        accepts=SendMessageArguments,
        effect=Effect.EXTERNAL,
        replayable=True,
        perform=perform,
    )


def _description(places: Mapping[str, ChatKey]) -> str:
    here = "Say something in this chat now, while you go on working; your last answer is sent anyway."
    return f"{here} Other chats that `to` may name: {', '.join(places)}." if places else here


def _target(to: str, places: Mapping[str, ChatKey], context: ToolContext) -> ChatKey | None:
    """The other chat; None for the own one. What is not listed is refused, whether or not it exists."""
    if not to:
        return None
    chat = places.get(to)
    if chat is None:
        allowed = f"It lists: {', '.join(places)}." if places else "It lists none."
        raise ToolError(
            f"send_message may not write to {shown(to)}: only the chats in the setting {SETTING} may be written to, "
            f"and the operator decides on it. {allowed} An empty `to` is this chat."
        )
    return None if chat == context.chat else chat


def _files(paths: tuple[str, ...], context: ToolContext) -> tuple[OutgoingFile, ...]:
    """Each is read again when it is sent; this look tells the model at once what the sending would refuse."""
    files = {}
    for path in paths:
        workspace_of(context).size(path, FILE_LIMIT)
        parts = parts_of(path)
        files[parts] = OutgoingFile(path="/".join(parts), name=parts[-1])
    return tuple(files.values())
