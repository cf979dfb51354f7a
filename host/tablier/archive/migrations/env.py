"""Run the migrations over the connection that :mod:`tablier.archive.database` gives."""

from alembic import context

from tablier.archive.tables import METADATA

context.configure(connection=context.config.attributes["connection"], target_metadata=METADATA)
context.run_migrations()
