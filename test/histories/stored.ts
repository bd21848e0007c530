/** The stored histories in Temporal's JSON format, with their recorded results. */

import { readdirSync, readFileSync } from 'node:fs';
import { loadDataConverter } from '@temporalio/common/lib/internal-non-workflow/index.js';
import { toChainResult } from '../../src/core/engine/result.js';
import { buildTrace } from '../../src/core/view/trace.js';
import type { ChainResult } from '../../src/entries/client.js';
import type { Chain, Trace } from '../../src/entries/view.js';
import type { HistoryEvent } from '../../src/history/event.js';
import type { Fold } from '../../src/history/fold.js';
import { parseHistoryJson } from '../../src/history/history-json.js';

/** Written by record.ts until the first release. */
export const recorded = new URL('./v1/', import.meta.url);

export const converter = loadDataConverter();

/** The recorded result: a chain as readers see it, and the digest over its facts. */
export interface Expected {
  readonly closed: Fold['closed'];
  readonly facts: number;
  readonly head: string;
  readonly result: ChainResult;
  readonly trace: Trace;
  readonly statuses: readonly string[];
}

export interface Stored {
  readonly name: string;
  readonly events: readonly HistoryEvent[];
  readonly expected: Expected;
}

export function readStoredHistories(): readonly Stored[] {
  const read = (file: string) => readFileSync(new URL(file, recorded), 'utf8');
  const files = readdirSync(recorded).filter((file) => file.endsWith(ending));
  const names = files.map((file) => file.slice(0, -ending.length)).sort();
  return names.map((name) => {
    const expected = JSON.parse(read(`${name}.expected.json`)) as Expected;
    return { name, events: parseHistoryJson(read(`${name}${ending}`)), expected };
  });
}

const ending = '.history.json';

export function toExpected({ chain, closed }: Pick<Fold, 'chain' | 'closed'>): Expected {
  const { facts, head } = chain.state;
  return {
    closed,
    facts,
    head,
    result: toChainResult(chain.state),
    trace: buildTrace(chain),
    statuses: listStatuses(chain),
  };
}

/** Returns the statuses of a chain's calls, in order. */
export function listStatuses({ steps }: Chain): readonly string[] {
  return steps.flatMap((step) => step.calls.map(({ status }) => status));
}
