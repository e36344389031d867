"""What only the second engine has: a server that may be unsafe, gone, or shared with other processes."""

import asyncio
from collections.abc import Callable

import pytest
from sqlalchemy import Connection
from sqlalchemy.engine import make_url

from core.domain.errors import StoreError, StoreUnusable
from core.store.postgres import connect, opened, require_durable
from core.store.store import HEAD, opened_postgres
from tests.fakes.clock import FakeClock
from tests.store import servers
from tests.store.desk import Desk


@pytest.mark.parametrize(
    ("url", "named"),
    [
        ("mysql://host/db", "only postgresql:// is known"),
        ("not an address", "write postgresql://"),
    ],
)
def test_an_address_of_something_else_is_refused_by_name(url: str, named: str) -> None:
    with pytest.raises(StoreUnusable, match=named):
        connect(url)


@pytest.mark.parametrize("setting", ["synchronous_commit = off", "synchronous_commit = local"])
async def test_a_server_that_may_lose_what_it_acknowledged_is_refused(server_database: str, setting: str) -> None:
    name = setting.partition(" ")[0]

    def unsafe(conn: Connection) -> None:
        conn.exec_driver_sql(f"SET {setting}")
        require_durable(conn)

    with pytest.raises(StoreUnusable, match=f"{name} = .*: set {name} = on"):
        async with opened(server_database, None, unsafe):
            raise AssertionError("it opened")


async def test_a_server_that_is_not_there_is_an_error_that_may_pass(server_database: str) -> None:
    nowhere = make_url(server_database).set(host="127.0.0.1", port=1, query={})
    with pytest.raises(StoreError):
        async with opened_postgres(nowhere.render_as_string(hide_password=False)):
            raise AssertionError("it opened")


async def test_a_newer_schema_is_refused(server_database: str) -> None:
    def newer(conn: Connection) -> None:
        conn.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")

    def back(conn: Connection) -> None:
        conn.exec_driver_sql(f"UPDATE alembic_version SET version_num = '{HEAD}'")

    async with opened(server_database, None, newer):
        pass
    try:
        with pytest.raises(StoreUnusable, match="newer Parley"):
            async with opened_postgres(server_database):
                raise AssertionError("it opened")
    finally:
        async with opened(server_database, None, back):
            pass


async def test_what_was_begun_is_finished_though_its_waiter_is_cancelled(server_database: str) -> None:
    begun = asyncio.Event()

    def slow(conn: Connection) -> None:
        begun.set()
        conn.exec_driver_sql("SELECT pg_sleep(0.2)")
        conn.exec_driver_sql("INSERT INTO cursors VALUES ('fake', 'acme', 'slow', '1', 0)")

    def count(conn: Connection) -> object:
        return conn.exec_driver_sql("SELECT count(*) FROM cursors WHERE scope = 'slow'").scalar()

    async with servers.emptied(server_database, None) as store, asyncio.TaskGroup() as group:
        task = group.create_task(store.run(slow))
        await begun.wait()
        task.cancel()
    async with opened_postgres(server_database) as store:
        assert await store.read(count) == 1


async def test_two_processes_that_take_messages_of_one_chat_keep_its_order(server_database: str) -> None:
    async with servers.emptied(server_database, None) as one, opened_postgres(server_database) as two:
        desks = [Desk(one), Desk(two, owner="worker-b")]
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(desks[n % 2].hears(f"{n}")) for n in range(40)]
        ids = [task.result().inbound for task in tasks]
        stored = await desks[0].rows("SELECT id FROM inbound ORDER BY id")
        assert sorted(ids) == [row[0] for row in stored]
        # Each process keeps the order of its own.
        for mine in (ids[::2], ids[1::2]):
            assert mine == sorted(mine)
        assert await desks[0].rows("SELECT live, ready FROM chats") == [(40, min(ids))]


async def test_of_two_workers_each_turn_is_claimed_by_one(server_database: str) -> None:
    async with servers.emptied(server_database, None) as one, opened_postgres(server_database) as two:
        desks = [Desk(one), Desk(two, owner="worker-b")]
        for n in range(40):
            await desks[0].hears(f"{n}", chat=f"c{n}")
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(desk.turns.claim(5)) for desk in desks for _ in range(5)]
        claimed = [claim.turn for task in tasks for claim in task.result()]
        assert len(claimed) == len(set(claimed)) == 40


async def test_a_connection_that_the_server_ends_costs_one_error_and_no_more(server_database: str) -> None:
    def ends_all_others(conn: Connection) -> None:
        conn.exec_driver_sql(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )

    async with servers.emptied(server_database, FakeClock()) as store, opened_postgres(server_database) as other:
        desk = Desk(store)
        await desk.hears("before")
        await other.run(ends_all_others)
        with pytest.raises(StoreError):
            await desk.hears("at that moment")
        await desk.hears("after")
        assert await desk.rows("SELECT content FROM inbound ORDER BY id") == [("before",), ("after",)]


async def test_two_operations_that_lock_each_other_out_are_both_done(server_database: str) -> None:
    def moves(first: str, second: str) -> Callable[[Connection], None]:
        def operation(conn: Connection) -> None:
            conn.exec_driver_sql(f"UPDATE cursors SET value = value || '{first}' WHERE scope = '{first}'")
            conn.exec_driver_sql("SELECT pg_sleep(0.2)")
            conn.exec_driver_sql(f"UPDATE cursors SET value = value || '{first}' WHERE scope = '{second}'")

        return operation

    def two(conn: Connection) -> None:
        conn.exec_driver_sql("INSERT INTO cursors VALUES ('fake', 'acme', 'a', '', 0), ('fake', 'acme', 'b', '', 0)")

    async with servers.emptied(server_database, None) as store:
        await store.run(two)
        async with asyncio.TaskGroup() as group:
            group.create_task(store.run(moves("a", "b")))
            group.create_task(store.run(moves("b", "a")))
        values = await Desk(store).rows("SELECT value FROM cursors")
    assert [sorted(str(value)) for (value,) in values] == [["a", "b"], ["a", "b"]]
