"""Running the migrations. Loaded only when a store's version differs from the program's."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection

from core.store.sql import as_store_errors
from core.store.sqlite import connect


def run(path: Path) -> None:
    """Upgrade the file to the newest revision, in one transaction."""
    engine = connect(path, lambda: 0, writes=True)
    try:
        with as_store_errors(), engine.begin() as conn:
            run_on(conn)
    finally:
        engine.dispose()


def run_on(conn: Connection) -> None:
    """Upgrade the database behind the connection, within its transaction."""
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.attributes["connection"] = conn
    command.upgrade(config, "head")
