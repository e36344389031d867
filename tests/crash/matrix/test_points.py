"""The list of points is complete: it is held against the program itself."""

from tests.crash.matrix.points import methods, operations, performed_by
from tests.crash.matrix.rows import BESIDE, CALLS, EVERY_ROW, NOTHING_HALF_DONE, OPERATIONS, STORED, points, row
from tests.fakes.platform import Profile


def bare(names: object) -> set[str]:
    """The operations or methods alone, without what they are about."""
    assert isinstance(names, dict)
    return {name.partition(" of ")[0] for name in names}


def test_every_operation_of_the_store_has_its_rows() -> None:
    handed_over = operations("core", "gateway", "channels")
    own = {name for name in handed_over if not {name, name.partition(".")[0]} & set(BESIDE)}
    assert own == bare(OPERATIONS)


def test_an_operation_that_writes_can_be_killed_inside_and_one_that_reads_cannot() -> None:
    handed_over = operations("core", "gateway", "channels")
    for name, rows in OPERATIONS.items():
        assert ("inside" in rows) == (handed_over[name.partition(" of ")[0]] == "run"), name


def test_every_method_of_a_port_has_its_rows_or_a_reason_to_have_none() -> None:
    stored = {method for method in methods() if method.partition(".")[0] in STORED}
    assert set(methods()) - stored == bare(CALLS) | set(NOTHING_HALF_DONE)


def test_the_operations_behind_every_port_of_the_store_are_points() -> None:
    for method in methods():
        port, _, name = method.partition(".")
        if port in STORED:
            behind = performed_by(f"{STORED[port]}.{name}")
            assert behind, method
            assert set(behind) <= bare(OPERATIONS)


def test_every_row_has_a_point() -> None:
    reached = {row(point) for profile in Profile for point in points(profile.name)}
    assert reached == set(EVERY_ROW)
