#!/bin/sh
# Creates the namespace, unless it exists. The retention is how long Temporal keeps a closed chain; the store keeps it longer.
set -eu

temporal operator namespace describe --namespace "$TEMPORAL_NAMESPACE" > /dev/null 2>&1 ||
  temporal operator namespace create --namespace "$TEMPORAL_NAMESPACE" --retention "$NAMESPACE_RETENTION"

# A namespace takes a moment to reach all parts of the server.
attempt=0
until temporal workflow list --namespace "$TEMPORAL_NAMESPACE" --limit 1 > /dev/null 2>&1; do
  attempt=$((attempt + 1))
  [ "$attempt" -lt 60 ] || { echo "namespace $TEMPORAL_NAMESPACE is not usable after a minute" >&2; exit 1; }
  sleep 1
done
