#!/bin/sh
# Creates the tables of Temporal's two databases, or updates them. An existing table is never dropped.
set -eu

# The tool has no setting for a file: the password is in the environment of this process alone.
SQL_PASSWORD=$(cat /run/secrets/temporal_db_password)
export SQL_PASSWORD

for database in temporal temporal_visibility; do
  schema=postgresql/v12/${database#temporal_}
  # Version 0.0 is a database with the table of versions alone. Where the table exists, nothing changes.
  temporal-sql-tool --database "$database" setup-schema --version 0.0
  temporal-sql-tool --database "$database" update-schema --schema-name "$schema"
done
