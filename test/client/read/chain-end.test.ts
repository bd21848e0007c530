/** The end of a chain: it is that of the whole chain, and the runs before are not read where the past is known. */

import type { Connection } from '@temporalio/client';
import { describe, expect, it } from 'vitest';
import { readForView } from '../../../src/client/read/chain-end.js';
import type { ChainSource } from '../../../src/client/read/chain-source.js';
import { readChain, readChainState } from '../../../src/client/read/read-chain.js';
import { readRecordedChain } from '../../../src/client/read/recorded-chain.js';
import { toReasoning } from '../../../src/core/view/build-reasoning.js';
import { selectSteps } from '../../../src/core/view/step-range.js';
import { view } from '../../../src/core/view/view.js';
import { createViewer } from '../../../src/core/view/visibility.js';
import type { Reasoning, VisibilityConfig } from '../../../src/entries/view.js';
import { findPreviousRunId } from '../../../src/history/earlier-runs.js';
import type { HistoryEvent } from '../../../src/history/event.js';
import { readStoredRuns } from '../../histories/continued.js';
import { converter } from '../../histories/stored.js';
import { createPagedHistory } from '../../support/paged-history.js';

const stored = readStoredRuns();
const ids = [...(await Promise.all(stored.slice(1).map(([first]) => findPreviousRunId(first, converter)))), 'last'];

/** As of a run whose past was too large. */
function removePast([first, ...rest]: readonly HistoryEvent[]): readonly HistoryEvent[] {
  const started = first?.workflowExecutionStartedEventAttributes;
  const [payload] = started?.input?.payloads ?? [];
  const { past: _, ...start } = JSON.parse(Buffer.from(payload?.data ?? []).toString('utf8')) as { past?: unknown };
  const input = { payloads: [{ ...payload, data: Buffer.from(JSON.stringify(start)) }] };
  return [{ ...first, workflowExecutionStartedEventAttributes: { ...started, input } }, ...rest];
}

const withoutPasts = stored.map(removePast);

/** A chain of 5 steps in 3 runs: 2, 2 and 1. */
function openChain(runs: readonly (readonly HistoryEvent[])[] = stored) {
  const history = createPagedHistory(new Map(runs.map((events, at) => [ids[at] ?? '', events])));
  const server = { connection: {} as Connection, service: history.service, namespace: 'default' };
  const place = { chainId: 'travel-1', runId: 'last', archivedChain: null, archived: null };
  const source: ChainSource = { ...server, ...place, converter };
  return { source, listRead: () => [...new Set(history.requested.map(({ runId }) => ids.indexOf(runId) + 1))] };
}

const viewers = ['auditor', 'developer', 'end_user', 'support'].map((role) => createViewer(role));
const configs: readonly VisibilityConfig[] = [
  {},
  { redact: { patterns: [{ kind: 'number', source: 'one|three' }] } },
  { tools: { pay: { sensitive: ['text'] }, echo: { summary: 'Echoed {text}' } } },
  { steps: { '1.1': 'hidden' } },
];

describe('the end of a chain of several runs', () => {
  it.each([1, 2, 3, 4, 5, 9])('is that of the whole chain for every viewer: the last %i steps', async (last) => {
    const whole = toReasoning(await readRecordedChain(openChain().source));
    for (const viewer of viewers)
      for (const config of configs)
        for (const runs of [stored, withoutPasts]) {
          const { reasoning } = await readForView(openChain(runs).source, { last }, { viewer, config });
          const show = (read: Reasoning) => {
            const seen = view(read, viewer, config);
            return { ...seen, steps: selectSteps(seen.steps, { last }) };
          };
          expect(show(reasoning)).toEqual(show(whole));
        }
  });

  it('is read without the runs before, where these are not needed', async () => {
    const rules = { viewer: createViewer('developer'), config: {} };
    const read = async (last: number, runs?: typeof withoutPasts) => {
      const { source, listRead } = openChain(runs);
      await readForView(source, { last }, rules);
      return listRead();
    };
    expect(await read(0)).toEqual([3]);
    // The answer may repeat any result.
    expect(await read(1)).toEqual([3, 2, 1]);
    expect(await read(0, withoutPasts)).toEqual([3, 2, 1]);
  });

  it('goes back to the run before for its steps', async () => {
    const [first = [], second = []] = stored;
    const read = async (last: number) => {
      const { source, listRead } = openChain([first, second.slice(0, -1)]);
      const rules = { viewer: createViewer('auditor'), config: {} };
      const { reasoning } = await readForView({ ...source, runId: ids[1] ?? '' }, { last }, rules);
      expect(reasoning.state).not.toBe('success');
      return listRead();
    };
    expect(await read(2)).toEqual([2]);
    expect(await read(3)).toEqual([2, 1]);
  });

  it('has the state of the whole chain, which needs no past', async () => {
    const { source, listRead } = openChain(withoutPasts);
    const { chain, ...whole } = await readChain(openChain(withoutPasts).source);
    const { state, ...read } = await readChainState(source);
    expect(listRead()).toEqual([3]);
    expect(whole).toMatchObject(read);
    const { head, facts, steps, charged, stop } = chain.state;
    expect(state).toMatchObject({ head, facts, steps, charged, stop });
  });
});
