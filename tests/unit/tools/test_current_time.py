"""current_time: the clock's moment, said so that a model cannot misread it."""

import re

import pytest

from core.tools.current_time import current_time
from tests.unit.tools.conftest import Room


@pytest.mark.parametrize(
    ("zone", "shown"),
    [
        ("UTC", "Friday, 2026-03-06 14:15:09 UTC (UTC+00:00); in UTC 2026-03-06 14:15:09"),
        ("Europe/Istanbul", "Friday, 2026-03-06 17:15:09 +03 (UTC+03:00); in UTC 2026-03-06 14:15:09"),
        ("America/New_York", "Friday, 2026-03-06 09:15:09 EST (UTC-05:00); in UTC 2026-03-06 14:15:09"),
        ("Pacific/Auckland", "Saturday, 2026-03-07 03:15:09 NZDT (UTC+13:00); in UTC 2026-03-06 14:15:09"),
    ],
)
async def test_the_time_is_shown_in_the_named_zone(room: Room, zone: str, shown: str) -> None:
    assert await room.text(current_time, time_zone=zone) == shown


async def test_without_a_zone_it_is_the_time_of_the_machine(room: Room) -> None:
    text = await room.text(current_time)
    assert re.fullmatch(r"\w+, 2026-03-0[67] \d\d:15:09 \S+ \(UTC[+-]\d\d:\d\d\); in UTC 2026-03-06 14:15:09", text)


@pytest.mark.parametrize("zone", ["Mars/Base", "Europe", "../../etc/passwd", "/etc/passwd", "UTC\0", "x" * 64, " "])
async def test_an_unknown_zone_is_refused_with_the_form_to_use(room: Room, zone: str) -> None:
    assert "Use an IANA name" in await room.refusal(current_time, time_zone=zone)
