/** All that a Temporal server tells of a chain, as it holds it: over gRPC, with nothing decoded. */

import { gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';
import type { Client } from '@temporalio/client';

/** By where it was found. */
export type RawPlaces = Readonly<Record<string, unknown>>;

/** History, description with what is pending, visibility, and the answers to queries. */
export async function rawPlaces({ connection, options }: Client, workflowId: string): Promise<RawPlaces> {
  const { workflowService: service } = connection;
  const { namespace } = options;
  const execution = { workflowId };
  const query = (queryType: string) =>
    service
      .queryWorkflow({ namespace, execution, query: { queryType } })
      .catch(({ details }: { details?: string }) => details);
  const events: unknown[] = [];
  let nextPageToken: Uint8Array | undefined;
  do {
    const page = await service.getWorkflowExecutionHistory({
      namespace,
      execution,
      ...(nextPageToken ? { nextPageToken } : {}),
    });
    events.push(...(page.history?.events ?? []));
    nextPageToken = page.nextPageToken?.length ? page.nextPageToken : undefined;
  } while (nextPageToken !== undefined);
  return {
    history: events,
    description: await service.describeWorkflowExecution({ namespace, execution }),
    visibility: await service.listWorkflowExecutions({ namespace, query: `WorkflowId = '${workflowId}'` }),
    state: await query('longhand.state'),
    metadata: await query('__temporal_workflow_metadata'),
    stack: await query('__stack_trace'),
  };
}

/** Every text and every piece of bytes in it, and what they come to when base64 or compression is undone. */
export function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value, ...unpacked(Buffer.from(value))];
  if (value instanceof Uint8Array) return [Buffer.from(value).toString('latin1'), ...unpacked(Buffer.from(value))];
  if (typeof value !== 'object' || value === null) return [];
  return [...Object.keys(value), ...Object.values(value).flatMap(textsIn)];
}

function unpacked(bytes: Buffer): readonly string[] {
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
