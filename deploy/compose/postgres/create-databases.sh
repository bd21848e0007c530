#!/bin/sh
# Creates the databases and their owners when the volume is new. Postgres runs it, as the superuser, over the local socket.
set -eu

# create <role> <password file> <database>...
create() {
  role=$1 password=$(cat "$2")
  shift 2
  # psql quotes both: neither becomes part of the statement.
  psql --quiet --set=ON_ERROR_STOP=1 --username="${POSTGRES_USER:-postgres}" --dbname=postgres \
    --set=role="$role" --set=password="$password" <<'SQL'
create role :"role" login password :'password';
SQL
  for database in "$@"; do
    psql --quiet --set=ON_ERROR_STOP=1 --username="${POSTGRES_USER:-postgres}" --dbname=postgres \
      --set=role="$role" --set=database="$database" <<'SQL'
create database :"database" owner :"role";
revoke all on database :"database" from public;
SQL
  done
}

create temporal /run/secrets/temporal_db_password temporal temporal_visibility
create longhand /run/secrets/longhand_db_password longhand
