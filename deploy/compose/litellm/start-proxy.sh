#!/bin/sh
# Starts LiteLLM's proxy, which reads its keys from the environment: they are in that of this process alone.
set -eu

LITELLM_MASTER_KEY=$(cat /run/secrets/litellm_master_key)
ANTHROPIC_API_KEY=$(cat /run/secrets/anthropic_api_key)
OPENAI_API_KEY=$(cat /run/secrets/openai_api_key)
export LITELLM_MASTER_KEY ANTHROPIC_API_KEY OPENAI_API_KEY
exec litellm --config "$LITELLM_CONFIG" --host "$LITELLM_HOST" --port "$LITELLM_PORT"
