/** A chain read from its history: as far as it has come, or on and on as it goes. */

import type { WorkflowService } from '@temporalio/client';
import type { LoadedDataConverter } from '@temporalio/common';
import type { Chain } from '../core/chain.js';
import type { Entry } from '../core/entry.js';
import type { ClosedStatus } from '../history/event.js';
import { closeTime } from '../history/event.js';
import { emptyFold, type Fold, foldEvents } from '../history/fold.js';
import { readForward } from '../history/read.js';

export interface ChainSource {
  readonly service: WorkflowService;
  readonly namespace: string;
  readonly converter: LoadedDataConverter;
  readonly chainId: string;
  readonly runId: string;
}

export interface ReadChain {
  readonly chain: Chain;
  readonly closed: ClosedStatus | null;
  /** Milliseconds since 1970; null while the chain runs. */
  readonly closedAt: number | null;
}

/** One thing that a reader is told, and where in the history it stands. */
export interface Followed {
  readonly runId: string;
  readonly eventId: number;
  readonly entry: Entry;
}

export async function readChain({ service, namespace, converter, chainId, runId }: ChainSource): Promise<ReadChain> {
  let fold = emptyFold;
  let closedAt: number | null = null;
  for await (const page of readForward({ service, namespace }, { workflowId: chainId, runId })) {
    fold = (await foldEvents(fold, page, converter)).fold;
    closedAt = closeTime(page) ?? closedAt;
  }
  return { chain: fold.chain, closed: fold.closed, closedAt };
}

/** Long-polls the history: no extra events, and an end when the chain ends. */
export async function* followChain(source: ChainSource): AsyncGenerator<Followed, ReadChain> {
  const { service, namespace, converter, chainId: workflowId, runId } = source;
  let fold: Fold = emptyFold;
  let token: Uint8Array = new Uint8Array();
  for (;;) {
    const page = await patiently(() =>
      service.getWorkflowExecutionHistory({
        namespace,
        execution: { workflowId, runId },
        waitNewEvent: true,
        nextPageToken: token,
      }),
    );
    const events = page.history?.events ?? [];
    const folded = await foldEvents(fold, events, converter);
    fold = folded.fold;
    for (const { eventId, entries } of folded.turns) {
      for (const entry of entries) yield { runId, eventId, entry };
    }
    if (fold.closed !== null) return { chain: fold.chain, closed: fold.closed, closedAt: closeTime(events) };
    token = page.nextPageToken ?? new Uint8Array();
  }
}

/** A server that is not there for a moment is asked again: what was read is kept. */
async function patiently<T>(read: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await read();
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : null;
      const passing = code === unavailable || code === deadlineExceeded;
      if (!passing || attempt >= 20) throw error;
      await new Promise((resolve) => setTimeout(resolve, Math.min(2_000, 100 * 2 ** attempt)));
    }
  }
}

const deadlineExceeded = 4;
const unavailable = 14;
