#!/bin/sh
# Starts the Temporal server with server.yaml, which has no setting for a file with the password of the database.
set -eu

TEMPORAL_DB_PASSWORD=$(cat /run/secrets/temporal_db_password)
export TEMPORAL_DB_PASSWORD
exec temporal-server start
