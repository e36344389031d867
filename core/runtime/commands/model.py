"""/model [name]"""

from core.domain.message import Reply, says
from core.domain.texts import Texts
from core.ports import ChatSettings, Models, PendingCommand


class ChooseModel:
    """Lists the models with the active one marked, or chooses one for this chat."""

    def __init__(self, chats: ChatSettings, models: Models, texts: Texts) -> None:
        self._chats = chats
        self._models = models
        self._texts = texts

    async def __call__(self, command: PendingCommand) -> Reply:
        """A choice counts from the next admitted message and survives restarts and `/new`."""
        names = self._models.names()
        wanted = command.call.arguments
        if not wanted:
            chosen = await self._chats.model(command.chat_row)
            active = self._models.choose(chosen).names[0]
            return says("\n".join(f"{'*' if name == active else ' '} {name}" for name in names))
        if wanted == "default":
            await self._chats.set_model(command.chat_row, None)
            return says(self._texts.say("model_default", name=names[0]))
        if wanted not in names:
            return says(self._texts.say("model_unknown", name=wanted))
        await self._chats.set_model(command.chat_row, wanted)
        return says(self._texts.say("model_set", name=wanted))
