"""Who an account is: what its platform says, else what it said the last time."""

import asyncio
from typing import Final

from channels.contract import AnySpec
from core.domain.errors import SendError, SettingsError
from core.runtime.supervised import BROKEN, supervised
from core.store import cursors
from gateway.ground import Ground
from gateway.settings import ChannelSettings
from gateway.states import Standing

ASK_WITHIN_S: Final = 20.0
# Under this scope the store keeps how the platform named an account; the account there is the name in the settings.
SCOPE: Final = "identity"


class Identity:
    """Of one account. `refused`: its settings are wrong, and asking again changes nothing."""

    def __init__(self, section: ChannelSettings, spec: AnySpec, ground: Ground) -> None:
        self.refused = False
        self._section = section
        self._spec = spec
        self._ground = ground

    async def ask(self) -> str | None:
        """The account by one call out at most; None when the platform gave no answer, or refuses the credentials."""
        account: object = None
        try:
            async with asyncio.timeout(ASK_WITHIN_S):
                account = await supervised(self._ask(), "channel.broke")
        except TimeoutError:
            self._unreachable(f"no answer within {ASK_WITHIN_S:g} s")
        if account is BROKEN:
            self._unreachable("an internal error: see the log")
        return account if isinstance(account, str) else None

    async def remembered(self) -> str | None:
        """What the platform said the last time."""
        store = self._ground.gateway.world.store
        return await store.read(cursors.value_of, self._section.name, self._section.account, SCOPE)

    async def keep(self, account: str) -> None:
        """For the next time."""
        store = self._ground.gateway.world.store
        await store.run(cursors.keep, self._section.name, self._section.account, SCOPE, account)

    def refuse(self, error: SettingsError) -> None:
        """The operator has to change something."""
        self.refused = True
        self._ground.tell(self._section, Standing.REFUSED, why=str(error))

    def _unreachable(self, why: str) -> None:
        self._ground.tell(self._section, Standing.UNREACHABLE, why=why)

    async def _ask(self) -> str | None:
        if self._spec.identify is None:
            return self._section.account
        try:
            context = self._ground.context(self._section, self._section.account)
            return await self._spec.identify(self._section.own, context)
        except SettingsError as error:
            self.refuse(error)
        except (SendError, OSError) as error:
            self._unreachable(str(error))
        return None
