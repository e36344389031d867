"""What alembic runs: the connection is handed in, so that it commits with the caller's transaction."""

from alembic import context

from core.store.schema import metadata

connection = context.config.attributes["connection"]
context.configure(connection=connection, target_metadata=metadata, render_as_batch=True, transactional_ddl=False)
context.run_migrations()
