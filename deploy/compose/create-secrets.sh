#!/bin/sh
# Creates the secrets of docker-compose.yml in deploy/secrets, and keeps those that exist. The keys of model providers are
# taken from ANTHROPIC_API_KEY and OPENAI_API_KEY; without them the files are empty, to be filled later.
#
#   sh deploy/compose/create-secrets.sh [folder]
set -eu

folder=${1:-$(dirname "$0")/../secrets}
umask 077
mkdir -p "$folder"
# Only the owner enters the folder. The files in it are readable, because containers mount each of them alone, for users of
# their own: the users of this machine do not get past the folder.
chmod 700 "$folder"

# put <name> <value>: writes a secret unless it exists.
put() {
  [ -s "$folder/$1" ] && return
  printf '%s' "$2" > "$folder/$1"
  chmod 444 "$folder/$1"
  echo "created $1"
}

hex() { openssl rand -hex "$1"; }

put postgres_password "$(hex 24)"
put temporal_db_password "$(hex 24)"
put longhand_db_password "$(hex 24)"
put store_url "postgres://longhand:$(cat "$folder/longhand_db_password")@postgres:5432/longhand"
put codec_token "$(hex 32)"
put link_keys "$(openssl rand -base64 32)"
put litellm_master_key "sk-$(hex 24)"
put anthropic_api_key "${ANTHROPIC_API_KEY:-}"
put openai_api_key "${OPENAI_API_KEY:-}"

# As `longhand keys new` writes it.
id="$(date -u +%Y-%m-%d)-$(hex 3)"
put encryption_key "{\"current\":\"$id\",\"keys\":{\"$id\":{\"key\":\"$(openssl rand -base64 32)\"}}}"

[ -s "$folder/anthropic_api_key" ] || [ -s "$folder/openai_api_key" ] ||
  echo "No key of a model provider yet: write one into $folder/anthropic_api_key or $folder/openai_api_key."
