/** All data of a chain on a Temporal server, over gRPC, not decoded. */

import { gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';
import type { Client, WorkflowService } from '@temporalio/client';
import type { HistoryEvent } from '../../src/history/event.js';

/** The data by place. */
export type RawPlaces = Readonly<Record<string, unknown>>;

/** Reads the history of all runs, the description with pending activities, the visibility record, and the query results. */
export async function readRawPlaces({ connection, options }: Client, workflowId: string): Promise<RawPlaces> {
  const { workflowService: service } = connection;
  const { namespace } = options;
  const execution = { workflowId };
  const query = (queryType: string) =>
    service
      .queryWorkflow({ namespace, execution, query: { queryType } })
      .catch(({ details }: { details?: string }) => details);
  return {
    history: await readEvents(service, namespace, execution),
    description: await service.describeWorkflowExecution({ namespace, execution }),
    visibility: await service.listWorkflowExecutions({ namespace, query: `WorkflowId = '${workflowId}'` }),
    state: await query('longhand.state'),
    metadata: await query('__temporal_workflow_metadata'),
    stack: await query('__stack_trace'),
  };
}

interface Execution {
  readonly workflowId: string;
  readonly runId?: string;
}

/** Reads the events of the newest or the given run, and of the runs that it continues. */
async function readEvents(
  service: WorkflowService,
  namespace: string,
  execution: Execution,
): Promise<readonly unknown[]> {
  const events: HistoryEvent[] = [];
  let nextPageToken = new Uint8Array();
  do {
    const page = await service.getWorkflowExecutionHistory({ namespace, execution, nextPageToken });
    events.push(...(page.history?.events ?? []));
    nextPageToken = Uint8Array.from(page.nextPageToken ?? []);
  } while (nextPageToken.length > 0);
  const runId = events[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId;
  return runId ? [...events, ...(await readEvents(service, namespace, { ...execution, runId }))] : events;
}

/** Returns every text and byte array in a value, also decoded from base64 and decompressed. */
export function listTexts(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value, ...unpack(Buffer.from(value))];
  if (value instanceof Uint8Array) return [Buffer.from(value).toString('latin1'), ...unpack(Buffer.from(value))];
  if (typeof value !== 'object' || value === null) return [];
  return [...Object.keys(value), ...Object.values(value).flatMap(listTexts)];
}

function unpack(bytes: Buffer): readonly string[] {
  const text = bytes.toString('latin1');
  const decoded = /^[A-Za-z0-9+/_=-]{8,}$/.test(text) ? [Buffer.from(text, 'base64')] : [];
  const inflated = [bytes, ...decoded].flatMap((each) =>
    [gunzipSync, inflateSync, inflateRawSync].flatMap((undo) => {
      try {
        return [undo(each)];
      } catch {
        return [];
      }
    }),
  );
  return [...decoded, ...inflated].map((each) => each.toString('latin1'));
}
