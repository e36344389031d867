"""All accounts that the settings want, each on a line of its own, and what becomes of them when the settings change."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager

import structlog

from channels.contract import AnySpec
from channels.registry import windowed
from core.domain.errors import ParleyError
from gateway.ground import Ground
from gateway.line import Line
from gateway.settings import ChannelSettings, Settings
from gateway.states import Standing, States
from gateway.web.serving import serving
from gateway.wiring import Opened

log = structlog.get_logger(__name__)

Load = Callable[[str], AnySpec]


def wanted(settings: Settings) -> Sequence[ChannelSettings]:
    """The accounts that a service serves: not those that windows open for themselves."""
    return [one for one in settings.accounts() if one.common.enabled and not windowed(one.name)]


class Lines:
    """Starts, restarts and ends lines. `find` once, then `run`; `apply` at any time while it runs."""

    def __init__(self, opened: Opened, load: Load, read: Callable[[], Settings]) -> None:
        states = States(opened.roster.settings.home.path, opened.gateway.world.clock.now)
        ground = Ground(gateway=opened.gateway, roster=opened.roster, states=states)
        self._ground = ground
        self._load = load
        self._read = read
        self._lines = {one.key: Line(one, load(one.name), ground) for one in wanted(ground.roster.settings)}
        self._running: dict[str, asyncio.Task[None]] = {}
        self._group: asyncio.TaskGroup | None = None

    async def find(self) -> Sequence[str]:
        """Ask all platforms at once who the accounts are; returns when each has answered, or does not.

        Gives why none can start, one line each; nothing where one can.
        """
        async with asyncio.TaskGroup() as group:
            for line in self._lines.values():
                group.create_task(line.find())
        states = self._ground.states
        return states.refusals() if states.all_refused() else ()

    async def run(self) -> None:
        """Until cancelled: also without a single line, since settings may change."""
        async with asyncio.TaskGroup() as group:
            self._group = group
            for key, line in self._lines.items():
                self._start(key, line)
            await asyncio.get_running_loop().create_future()

    def web(self) -> AbstractAsyncContextManager[None]:
        """HTTP for them, where the settings say so. Raises SettingsError when it is entered."""
        return serving(self._ground.roster, self._ground.gateway.world.store)

    async def close(self) -> None:
        """Those that never ran have something to give back too."""
        for line in self._lines.values():
            await line.leave()
        self._ground.states.close()

    async def follow(self, asked: asyncio.Event) -> None:
        """Read the settings again whenever that is asked for, and change what has changed."""
        while True:
            await asked.wait()
            asked.clear()
            try:
                await self.apply(self._read())
            except ParleyError as error:
                log.error("settings.not_applied", error=str(error))
                self._ground.states.read_again(problem=str(error))

    async def apply(self, settings: Settings) -> None:
        """Only lines whose settings changed end and begin anew; the others notice nothing."""
        roster = self._ground.roster
        later = needs_restart(roster.settings, settings)
        new = {one.key: one for one in wanted(settings)}
        roster.settings = settings
        ended = await self._end_all_but(new)
        begun = [key for key in new if key not in self._lines]
        for key in begun:
            await self._begin(new[key])
        changed = [*begun, *set(ended).difference(begun)]
        log.info("settings.applied", channels=changed, later=later)
        notes = [f"{key}: {self._stands(key)}" for key in changed]
        notes += [f"{name} takes effect when parley run starts the next time" for name in later]
        self._ground.states.read_again(notes=notes)

    async def _end_all_but(self, new: Mapping[str, ChannelSettings]) -> Sequence[str]:
        """Those stay that take their new settings over as they run."""
        ended = [key for key, line in self._lines.items() if key not in new or not line.takes(new[key])]
        for key in ended:
            await self._end(key)
        return ended

    async def _begin(self, section: ChannelSettings) -> None:
        line = self._lines[section.key] = Line(section, self._load(section.name), self._ground)
        await line.find()
        self._start(section.key, line)

    def _stands(self, key: str) -> str:
        if key not in self._lines:
            return "ended"
        state = self._ground.states[key]
        return state.why if state.standing is Standing.REFUSED else "started anew"

    def _start(self, key: str, line: Line) -> None:
        if self._group is not None:
            self._running[key] = self._group.create_task(line.run(), name=f"line {key}")

    async def _end(self, key: str) -> None:
        line, task = self._lines.pop(key), self._running.pop(key, None)
        if task is not None:
            task.cancel()
            await asyncio.wait([task])
        # A task that never began has ended nothing.
        await line.leave()
        self._ground.states.forget(line.section)


def needs_restart(old: Settings, new: Settings) -> Sequence[str]:
    """The sections that a running gateway does not take over, where they differ."""
    pairs = {
        "model": (old.model, new.model),
        "models": (old.models, new.models),
        "limits": (old.limits, new.limits),
        "texts": (old.texts, new.texts),
        "store": (old.store, new.store),
        "logs": (old.logs, new.logs),
        "web": (old.web, new.web),
        "tools": (old.tools, new.tools),
    }
    return [name for name, (before, after) in pairs.items() if before != after]
