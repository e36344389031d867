"""What everything about one account stands on."""

from dataclasses import dataclass
from pathlib import Path

from channels.contract import ChannelContext
from core.domain.chat import ChatKey
from core.domain.command import COMMANDS
from core.store import cursors
from gateway.roster import Roster
from gateway.settings import ChannelSettings
from gateway.states import Standing, States
from gateway.wiring import Gateway, uploads_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """The running gateway, its channels, and how each stands."""

    gateway: Gateway
    roster: Roster
    states: States

    def context(self, section: ChannelSettings, account: str) -> ChannelContext:
        """What a channel is built with."""
        world, settings = self.gateway.world, self.roster.settings

        async def cursor(scope: str) -> str | None:
            return await world.store.read(cursors.value_of, section.name, account, scope)

        def uploads(chat: ChatKey) -> Path:
            return uploads_of(world.choices, chat)

        return ChannelContext(
            account=account,
            workspace=settings.home.workspace,
            clock=world.clock,
            commands=COMMANDS,
            texts=world.choices.texts,
            env=settings.env.get,
            start=section.common.start,
            bots=section.common.allow_bots != "off",
            name=section.account,
            cursor=cursor,
            uploads=uploads,
        )

    def tell(self, section: ChannelSettings, standing: Standing, *, account: str = "", why: str = "") -> None:
        """An account stands so from now on."""
        self.states.set(section, standing, account=account, why=why)
