"""Channels that stop listening."""

import asyncio

from core.bus import Accept
from core.domain.errors import SettingsError
from core.runtime.ambient import SystemChance
from gateway.receiver import keep_listening
from tests.contract.discord_rig import Impatient
from tests.contract.intake import Intake
from tests.fakes.channel import FakeChannel
from tests.fakes.platform import FakePlatform


class Refused(FakeChannel):
    """Its platform does not let it in; the first time it is only away."""

    def __init__(self, platform: FakePlatform) -> None:
        super().__init__(platform)
        self.tried = 0

    async def listen(self, accept: Accept) -> None:
        """Counts."""
        self.tried += 1
        if self.tried == 1:
            raise ConnectionError("away")
        raise SettingsError("channels.fake.token is refused: give another one")


async def test_a_channel_whose_settings_are_wrong_is_not_asked_again(platform: FakePlatform) -> None:
    channel = Refused(platform)
    listening = keep_listening(channel, Intake().accept, Impatient(), SystemChance())
    await asyncio.wait_for(listening, 20)
    assert channel.tried == 2
