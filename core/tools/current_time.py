"""current_time: what the clock shows, here or in another time zone."""

from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import Field

from core.domain.errors import ToolError
from core.domain.tool import Effect, ToolResult
from core.ports import ToolContext
from core.tools.define import Arguments, define


class CurrentTimeArguments(Arguments):
    """All optional."""

    time_zone: str = Field(
        default="",
        max_length=64,
        description="IANA name such as Europe/Istanbul or UTC; left out: the time zone of the machine",
    )


def zone_named(name: str) -> tzinfo:
    """Raises ToolError for anything that is not in the time zone database."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as exc:
        # A directory of the database (Europe) is an OSError, a path that leaves it a ValueError.
        raise ToolError(
            f"time_zone: {name!r} is not a known time zone. Use an IANA name such as Europe/Istanbul, "
            f"America/New_York or UTC, or leave it out for the time zone of the machine."
        ) from exc


def shown(moment: datetime) -> str:
    """One line that a model cannot misread: day of week, date, time, zone, offset and the same instant in UTC."""
    offset = moment.strftime("%z")
    utc = moment.astimezone(UTC)
    return (
        f"{moment:%A, %Y-%m-%d %H:%M:%S} {moment.tzname()} (UTC{offset[:3]}:{offset[3:5]}); "
        f"in UTC {utc:%Y-%m-%d %H:%M:%S}"
    )


async def _perform(arguments: CurrentTimeArguments, context: ToolContext) -> ToolResult:
    now = datetime.fromtimestamp(context.clock.now() / 1000, UTC)
    zone = zone_named(arguments.time_zone) if arguments.time_zone else None
    return ToolResult(text=shown(now.astimezone(zone)))


current_time = define(
    name="current_time",
    description="The present date and time, of the machine or of a named time zone.",
    accepts=CurrentTimeArguments,
    effect=Effect.READS,
    replayable=True,
    perform=_perform,
)
