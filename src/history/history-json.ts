/**
 * Histories in the JSON format of Temporal's own tools (Web UI download, `temporal workflow show --output json`).
 *
 * `historyToJSON` of `@temporalio/common` fails where npm installed another copy of protobufjs than its types use; so
 * the types' own copy is used here.
 */

import { createRequire } from 'node:module';
import type { HistoryEvent } from './event.js';

interface History {
  readonly events?: readonly HistoryEvent[] | null;
}

interface ProtoJson {
  readonly fromJson: (type: unknown, json: unknown) => History;
  readonly toJson: (type: unknown, history: unknown) => unknown;
}

interface ProtoRoot {
  readonly lookupType: (name: string) => { readonly fromObject: (value: History) => unknown };
}

const requireHere = createRequire(import.meta.url);
const requireFromProto = createRequire(requireHere.resolve('@temporalio/proto'));
const { fromJson, toJson } = requireFromProto('protobufjs/ext/protojson') as ProtoJson;
const { patchProtobufRoot } = requireHere('@temporalio/proto/lib/patch-protobuf-root.js') as {
  patchProtobufRoot: (root: unknown) => ProtoRoot;
};
const historyType = patchProtobufRoot(requireHere('@temporalio/proto')).lookupType('temporal.api.history.v1.History');

export function formatHistoryJson(events: readonly HistoryEvent[]): string {
  return JSON.stringify(toJson(historyType, historyType.fromObject({ events })), null, 2);
}

export function parseHistoryJson(json: string): readonly HistoryEvent[] {
  return fromJson(historyType, JSON.parse(json)).events ?? [];
}
