/** Reads from the server: a run's history, page by page, in both directions; and the runs of a workflow id. */

import type { WorkflowService } from '@temporalio/client';
import type { HistoryEvent } from './event.js';

export interface RunReference {
  readonly workflowId: string;
  readonly runId: string;
}

export interface HistoryService {
  readonly service: Pick<WorkflowService, 'getWorkflowExecutionHistory' | 'getWorkflowExecutionHistoryReverse'>;
  readonly namespace: string;
  /** Called for each page, for tests. */
  readonly onPage?: (direction: 'forward' | 'backward') => void;
}

/** All events of a run, oldest first, a page at a time. */
export async function* readForward(
  { service, namespace, onPage }: HistoryService,
  run: RunReference,
  pageSize = 500,
): AsyncGenerator<readonly HistoryEvent[]> {
  const requestPage = (nextPageToken: Uint8Array | null) => {
    const pending = retryWithSmallerPage(pageSize, (maximumPageSize) =>
      service.getWorkflowExecutionHistory({
        namespace,
        execution: run,
        maximumPageSize,
        ...(nextPageToken ? { nextPageToken } : {}),
      }),
    );
    // A reader that stops early does not wait for the prefetched page.
    pending.catch(() => {});
    return pending;
  };
  for (let pending: ReturnType<typeof requestPage> | null = requestPage(null); pending !== null; ) {
    const page: Awaited<ReturnType<typeof requestPage>> = await pending;
    const token = page.nextPageToken ?? null;
    // Prefetches the next page while this one is folded.
    pending = token !== null && token.length > 0 ? requestPage(token) : null;
    onPage?.('forward');
    yield page.history?.events ?? [];
  }
}

/** Returns the events after a known one, oldest first, with as few pages as possible. */
export async function readBackTo(
  { service, namespace, onPage }: HistoryService,
  run: RunReference,
  known: number,
  pageSize: number,
): Promise<readonly HistoryEvent[]> {
  const newestFirst: HistoryEvent[] = [];
  let nextPageToken: Uint8Array | null = null;
  do {
    const page = await retryWithSmallerPage(pageSize, (maximumPageSize) =>
      service.getWorkflowExecutionHistoryReverse({
        namespace,
        execution: run,
        maximumPageSize,
        ...(nextPageToken ? { nextPageToken } : {}),
      }),
    );
    onPage?.('backward');
    newestFirst.push(...(page.history?.events ?? []));
    nextPageToken = page.nextPageToken ?? null;
  } while (Number(newestFirst.at(-1)?.eventId ?? 0) > known + 1 && nextPageToken && nextPageToken.length > 0);
  return newestFirst.reverse();
}

async function retryWithSmallerPage<T>(pageSize: number, read: (size: number) => Promise<T>): Promise<T> {
  for (let size = pageSize; ; size = Math.ceil(size / 4)) {
    try {
      return await read(size);
    } catch (error) {
      if (size <= 1 || !isTooLarge(error)) throw error;
    }
  }
}

/** gRPC reports a message over the limit with the code of a busy server; only the text differs. */
function isTooLarge(error: unknown): boolean {
  const exhausted = 8;
  if (!(error instanceof Error) || !('code' in error) || error.code !== exhausted) return false;
  return /larger than max|message size|message length/i.test(error.message);
}

export type RunIdService = Pick<WorkflowService, 'listWorkflowExecutions' | 'describeWorkflowExecution'>;

interface NamespacedService {
  readonly service: RunIdService;
  readonly namespace: string;
}

/** Returns the id of the latest run. Always up to date. @throws what the server answers */
export async function readLatestRunId({ service, namespace }: NamespacedService, workflowId: string): Promise<string> {
  const described = await service.describeWorkflowExecution({ namespace, execution: { workflowId } });
  return described.workflowExecutionInfo?.execution?.runId ?? '';
}

/** Returns the ids of all runs, from the server's list, which may lag. @throws what the server answers */
export async function listRunIds(
  { service, namespace }: NamespacedService,
  workflowId: string,
): Promise<readonly string[]> {
  const query = `WorkflowId = '${workflowId.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const ids: string[] = [];
  let nextPageToken: Uint8Array | null = null;
  do {
    const page: Awaited<ReturnType<RunIdService['listWorkflowExecutions']>> = await service.listWorkflowExecutions({
      namespace,
      query,
      pageSize: 200,
      ...(nextPageToken ? { nextPageToken } : {}),
    });
    ids.push(...page.executions.map(({ execution }) => execution?.runId ?? ''));
    nextPageToken = page.nextPageToken?.length ? page.nextPageToken : null;
  } while (nextPageToken !== null);
  return ids;
}
