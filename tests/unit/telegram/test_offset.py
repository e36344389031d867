"""What Telegram may forget."""

from channels.telegram.offset import QUIET_MS, Offset

NOW = 1_800_000_000_000


def test_the_first_poll_names_no_offset() -> None:
    assert Offset().asked(NOW) is None


def test_the_next_poll_confirms_what_is_stored() -> None:
    offset = Offset()
    offset.begin([7, 8])
    assert offset.with_these([7], NOW) == f"8@{NOW}"
    offset.store([7], NOW)
    assert offset.asked(NOW) == 8
    offset.store([8], NOW)
    assert offset.asked(NOW) == 9


def test_what_is_stored_out_of_order_waits_for_what_is_before_it() -> None:
    offset = Offset()
    offset.begin([7, 8, 9])
    assert offset.with_these([9], NOW) == f"7@{NOW}"
    offset.store([9], NOW)
    assert offset.asked(NOW) == 7
    offset.begin([7, 8, 9])
    assert [number for number in (7, 8, 9) if offset.is_open(number)] == [7, 8]
    offset.store([7, 8], NOW)
    assert offset.asked(NOW) == 10


def test_a_restart_goes_on_where_the_store_is() -> None:
    assert Offset(f"42@{NOW}").asked(NOW) == 42


def test_after_a_quiet_week_numbers_begin_anew_and_none_is_named() -> None:
    offset = Offset(f"42@{NOW}")
    assert offset.asked(NOW + QUIET_MS) is None
    offset.begin([7])
    offset.store([7], NOW + QUIET_MS)
    assert offset.asked(NOW + QUIET_MS) == 8


def test_an_update_that_does_not_tell_its_time_keeps_the_one_before() -> None:
    offset = Offset(f"42@{NOW}")
    offset.begin([42])
    assert offset.with_these([42], 0) == f"43@{NOW}"


def test_a_value_that_is_none_names_no_offset() -> None:
    assert Offset("x").asked(NOW) is None
