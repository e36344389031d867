"""The store: whether it opens, is whole, and has no times that the clock has yet to reach."""

from collections.abc import AsyncIterator, Callable
from typing import Final

from core.domain.errors import StoreError
from core.runtime.ambient import SystemClock
from core.store import health
from core.store.store import open_sqlite
from gateway.findings import Found, fault, good
from gateway.settings import Settings

SKEW_MS: Final = 60_000
BACKUP: Final = "move it away and put a backup in its place, or start without it: what it remembers is gone then"


def now() -> int:
    """Milliseconds, by the machine's clock."""
    return SystemClock().now()


async def memory(settings: Settings, now: Callable[[], int], *, deep: bool) -> AsyncIterator[Found]:
    """Each thing, good or not. A store that was never made is none."""
    path = settings.database
    if not path.exists():
        yield good("store", f"{path} will be made with the first message")
        return
    try:
        store = open_sqlite(path, SystemClock(), relaxed=settings.store.durability == "relaxed")
    except StoreError as error:
        fix = "upgrade Parley" if "newer" in str(error) else f"is {path} the right file? If it is, {BACKUP}"
        yield fault("store", str(error), fix)
        return
    try:
        damage = await store.read(health.damage, deep=deep)
        ahead = await store.read(health.newest) - now()
    except StoreError as error:
        yield fault("store", f"{path}: {error}", BACKUP)
        return
    finally:
        store.close()
    yield fault("store", f"{path} is damaged: {damage}", BACKUP) if damage else good("store", f"{path} is whole")
    if ahead > SKEW_MS:
        what = f"the clock is {ahead // 1000} s behind the newest message"
        yield fault("clock", what, "set it, and keep it set: timedatectl set-ntp true")
    else:
        yield good("clock", "the clock is not behind what was stored")
