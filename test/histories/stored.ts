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

const folder = new URL('./releases/', import.meta.url);

/** The releases with stored histories. `next` is written by record.ts; scripts/set-version.mjs copies it for a release. */
export const releases: readonly string[] = readdirSync(folder).sort();

export function getStoredFolder(part: 'chains' | 'continued' | 'exports', release = 'next'): URL {
  return new URL(`${release}/${part}/`, folder);
}

export const recorded = getStoredFolder('chains');

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
  readonly release: string;
  readonly name: string;
  readonly events: readonly HistoryEvent[];
  readonly expected: Expected;
}

export function readStoredHistories(release = 'next'): readonly Stored[] {
  const chains = getStoredFolder('chains', release);
  const read = (file: string) => readFileSync(new URL(file, chains), 'utf8');
  const files = readdirSync(chains).filter((file) => file.endsWith(ending));
  const names = files.map((file) => file.slice(0, -ending.length)).sort();
  return names.map((name) => {
    const expected = JSON.parse(read(`${name}.expected.json`)) as Expected;
    return { release, name, events: parseHistoryJson(read(`${name}${ending}`)), expected };
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
