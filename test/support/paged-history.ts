/** A server with the histories of a chain's runs, in small pages, which records what is requested of it. */

import type { WorkflowService } from '@temporalio/client';
import type { HistoryEvent } from '../../src/history/event.js';
import type { RunReference } from '../../src/history/read-history.js';

interface PageRequest {
  readonly execution: RunReference;
  readonly maximumPageSize: number;
  readonly nextPageToken?: Uint8Array;
}

export interface PageRead {
  readonly runId: string;
  /** Ids of the page's events. */
  readonly eventIds: readonly number[];
}

export interface PagedHistory {
  readonly service: WorkflowService;
  /** Pages in the order of their requests. */
  readonly requested: readonly PageRead[];
  /** Pages of all runs. */
  readonly pages: number;
}

/** @param beforePage is awaited before a page is returned */
export function createPagedHistory(
  runs: ReadonlyMap<string, readonly HistoryEvent[]>,
  beforePage: (page: PageRead) => Promise<void> | void = () => {},
): PagedHistory {
  const requested: PageRead[] = [];
  const getWorkflowExecutionHistory = async (request: PageRequest) => {
    const { runId } = request.execution;
    const events = runs.get(runId);
    if (events === undefined) throw Object.assign(new Error('Workflow not found'), { code: 5 });
    const from = Number(new TextDecoder().decode(request.nextPageToken) || 0);
    const until = request.maximumPageSize === 1 ? from + 1 : findPageEnd(events, from);
    const page = events.slice(from, until);
    const read = { runId, eventIds: page.map(({ eventId }) => Number(eventId)) };
    requested.push(read);
    await beforePage(read);
    return {
      history: { events: page },
      nextPageToken: until < events.length ? new TextEncoder().encode(String(until)) : new Uint8Array(),
    };
  };
  const service = { getWorkflowExecutionHistory } as unknown as WorkflowService;
  return { service, requested, pages: [...runs.values()].reduce((sum, events) => sum + countPages(events), 0) };
}

function countPages(events: readonly HistoryEvent[]): number {
  let pages = 0;
  for (let from = 0; from < events.length; from = findPageEnd(events, from)) pages += 1;
  return pages;
}

/** A page ends before a workflow task: batches are never split. */
function findPageEnd(events: readonly HistoryEvent[], from: number): number {
  const next = events.findIndex((event, at) => at > from && event.workflowTaskScheduledEventAttributes);
  return next === -1 ? events.length : next;
}
