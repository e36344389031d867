"""What people do: every knob changes the world, tells the sessions, and gives back the id of what came to be."""

import asyncio
from collections.abc import Sequence

from tests.fakes.discord.calls import Tell, Upload
from tests.fakes.discord.compose import composed
from tests.fakes.discord.interactions import Interaction, Interactions
from tests.fakes.discord.world import APP, DM, FORUM, GUILD, MEMBER_RIGHTS, World, iso
from tests.fakes.wire import Json, text_at

PATIENCE_S = 30.0
COMMAND, COMPONENT, FORM = 2, 3, 5
STRING, INTEGER = 3, 4


class People:
    """`tell` is the gateway's; with `held` an event waits for the session's RESUME."""

    def __init__(self, world: World, tell: Tell, interactions: Interactions) -> None:
        self.world = world
        self.base = ""
        self._tell = tell
        self._interactions = interactions

    async def says(
        self, who: str, where: str, text: str, *, reply_to: str = "", files: Sequence[Upload] = (), webhook: str = ""
    ) -> str:
        """A message; one with a `webhook` id only shows that person's name."""
        place = self.world.places[where]
        body: Json = {"content": text}
        if reply_to:
            body["message_reference"] = {"message_id": reply_to}
        message = composed(self.world, where, who, body, base=self.base, files=files)
        if webhook:
            author: Json = {"id": webhook, "username": self.world.users[who]["username"], "discriminator": "0000"}
            message |= {"webhook_id": webhook, "author": author | {"avatar": None, "bot": True}}
            message.pop("member", None)
        place.messages[text_at(message, "id")] = message
        place.data["last_message_id"] = message["id"]
        await self._tell("MESSAGE_CREATE", message)
        return text_at(message, "id")

    async def edits(self, where: str, message: str, text: str) -> None:
        """By whoever wrote it."""
        found = self.world.places[where].messages[message]
        found |= {"content": text, "edited_timestamp": iso(self.world.now())}
        await self._tell("MESSAGE_UPDATE", dict(found))

    async def deletes(self, where: str, *messages: str) -> None:
        """One, or several at once as a moderator does it. The event says nothing of who did it."""
        for message in messages:
            del self.world.places[where].messages[message]
        about: Json = {"channel_id": where} | self._guild(where)
        if len(messages) == 1:
            await self._tell("MESSAGE_DELETE", about | {"id": messages[0]})
        else:
            await self._tell("MESSAGE_DELETE_BULK", about | {"ids": list(messages)})

    async def reacts(self, who: str, where: str, message: str, emoji: str) -> None:
        """A sign on a message."""
        author = self.world.places[where].messages[message]
        data: Json = {"user_id": who, "channel_id": where, "message_id": message, "burst": False, "type": 0}
        data |= {"emoji": {"id": None, "name": emoji}, "message_author_id": text_at(author, "author", "id")}
        await self._tell("MESSAGE_REACTION_ADD", data | self._guild(where))

    async def opens_thread(self, who: str, where: str, name: str) -> str:
        """A thread without a message of its own."""
        made = self.world.thread(where, name, who)
        await self._tell("THREAD_CREATE", self.world.places[made].data | {"newly_created": True})
        return made

    async def posts(self, who: str, forum: str, title: str, text: str) -> str:
        """A post of a forum: the thread, then its first message under the same id."""
        assert self.world.places[forum].kind == FORUM
        made = await self.opens_thread(who, forum, title)
        message = composed(self.world, made, who, {"content": text}, base=self.base) | {"id": made}
        self.world.places[made].messages[made] = message
        await self._tell("MESSAGE_CREATE", message)
        return made

    async def presses(self, who: str, where: str, message: str, custom_id: str) -> Interaction:
        """A button of the app."""
        shown = self.world.seen(self.world.places[where].messages[message])
        data: Json = {"custom_id": custom_id, "component_type": 2}
        return await self._interacts(who, where, COMPONENT, data, source=shown)

    async def writes(self, who: str, where: str, message: str, custom_id: str, words: str) -> Interaction:
        """Words in the form that a button of this message has opened."""
        shown = self.world.seen(self.world.places[where].messages[message])
        field: Json = {"type": 4, "id": 2, "custom_id": "words", "value": words}
        data: Json = {"custom_id": custom_id, "components": [{"type": 1, "id": 1, "components": [field]}]}
        return await self._interacts(who, where, FORM, data, source=shown)

    async def uses(self, who: str, where: str, command: str, **options: str | int) -> Interaction:
        """A slash command."""
        known = [one for scope in self.world.commands.values() for one in scope if one["name"] == command]
        data: Json = {"id": known[0]["id"] if known else self.world.next_id(), "name": command, "type": 1}
        data["options"] = [
            {"name": name, "type": INTEGER if isinstance(value, int) else STRING, "value": value}
            for name, value in options.items()
        ]
        return await self._interacts(who, where, COMMAND, data, source=None)

    async def answered(self, interaction: Interaction) -> Interaction:
        """Once the app has given its first answer. Raises TimeoutError."""
        async with asyncio.timeout(PATIENCE_S):
            while not interaction.answer:
                await asyncio.sleep(0.005)
        return interaction

    async def _interacts(self, who: str, where: str, kind: int, data: Json, *, source: Json | None) -> Interaction:
        place = self.world.places[where]
        one = Interaction(id=self.world.next_id(), channel=where, at=self.world.now(), source=text_at(source, "id"))
        self._interactions.known[one.token] = one
        event: Json = {
            "id": one.id,
            "application_id": APP,
            "type": kind,
            "token": one.token,
            "version": 1,
            "data": data,
        }
        event |= {"channel_id": where, "channel": place.data, "locale": "en-US", "entitlements": [], "context": 0}
        event |= {
            "attachment_size_limit": 10_485_760,
            "authorizing_integration_owners": {},
            "app_permissions": MEMBER_RIGHTS,
        }
        if place.kind == DM:
            event |= {"user": self.world.public(who), "context": 1}
        else:
            member = self.world.member(who) | {"user": self.world.public(who), "permissions": MEMBER_RIGHTS}
            event |= {"guild_id": GUILD, "guild": {"id": GUILD, "locale": "en-US", "features": []}, "member": member}
        if source is not None:
            event["message"] = source
        await self._tell("INTERACTION_CREATE", event)
        return one

    def _guild(self, where: str) -> Json:
        return {} if self.world.places[where].kind == DM else {"guild_id": GUILD}
