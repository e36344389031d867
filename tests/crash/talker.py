"""Somebody who says many numbered messages in one session, through windows that are killed under their hands."""

from tests.processes.house import House, Told, answered
from tests.processes.window import Window

PREFIX = "re: "


class Talker:
    """One session, and the window that shows it now."""

    def __init__(self, house: House, session: str, window: Window) -> None:
        self.session = session
        self.window = window
        self.said: list[str] = []
        self._house = house
        self._since: list[str] = []

    @property
    def told(self) -> list[Told]:
        """The session as the store has it now."""
        return self._house.conversation(self.session)

    def says(self, count: int) -> None:
        """So many more messages, typed at once."""
        more = [f"{self.session}.{len(self.said) + number:02}" for number in range(count)]
        self.said += more
        self._since += more
        self.window.says(*more)

    async def answered(self, count: int) -> None:
        """Wait until so many of the messages are answered."""
        await self._house.until(lambda told: sum(one.closed for one in told) >= count, self.session)

    async def loses_the_window(self, *arguments: str) -> None:
        """It is killed; another one is opened, and what had not been stored is typed once more.

        The other one has to show what this one had not; with `--resume` it has to show everything.
        """
        await self.window.process.is_killed()
        told = self.told
        assert [one.said for one in told] == self.said[: len(told)]
        if "--resume" not in arguments:
            self._since = [one.said for one in told if not one.closed] + self.said[len(told) :]
        self.window = await self._house.window("--session", self.session, *arguments)
        self.window.says(*self.said[len(told) :])

    async def is_content(self) -> None:
        """All is answered, once and in order, and this window shows what no earlier one had shown, once."""
        told = await self._house.settled(len(self.said), self.session)
        assert [one.said for one in told] == self.said
        assert told == [answered(one.said, PREFIX + one.said) for one in told]
        await self.window.has(*(PREFIX + said for said in self._since))
