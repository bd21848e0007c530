/** A fork at an earlier step: its own steps, and those of its origin that it carries. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { showChainAt } from '../../../src/cli/chain/show-at-step.js';
import { truncateAtStep } from '../../../src/client/read/chain-part.js';
import { parseRecordedChain } from '../../../src/client/read/parse-recorded-chain.js';
import { toChainFile } from '../../../src/client/read/recorded-chain.js';
import { createForkStart } from '../../../src/client/start/fork.js';
import { foldRecordedTurns } from '../../../src/core/engine/fold-turns.js';
import type { ChainInput } from '../../../src/core/model/fact.js';
import { sealChainFile } from '../../../src/core/record/chain-file.js';
import type { RecordedChain } from '../../../src/entries/view.js';
import { converter } from '../../histories/stored.js';
import { printed } from '../../support/printed.js';
import { storedChain } from '../../support/stored-chain.js';

/** A new fork of a chain at a step; its worker has prepared its agent. */
async function createFork(origin: RecordedChain, atStep: number, chainId: string): Promise<RecordedChain> {
  const started = origin.turns[0]?.facts[0];
  const prepared = origin.turns.find(({ facts }) => facts.some(({ type }) => type === 'prepared'));
  if (started?.type !== 'started' || prepared === undefined) throw new Error('It has not begun.');
  const input: ChainInput = {
    ...started.input,
    origin: createForkStart(origin, { atStep, message: 'Continue.' }).origin,
  };
  const history = { events: 3, bytes: 900, continueSuggested: false };
  const turns = [
    { eventId: 4, history, facts: [{ ...started, chainId, input }], scheduled: ['prepare'] },
    { ...prepared, eventId: 10, scheduled: ['model-9'] },
  ].map(({ eventId, history, facts, scheduled }) => ({ eventId, history, facts, scheduled }));
  const { chain } = foldRecordedTurns(turns);
  const run = { runId: `run-${chainId}`, closed: null, closedAt: null, result: null, turns, heads: [], attempts: {} };
  const file = toChainFile({ ...origin, chain, chainId, runs: [run] });
  return parseRecordedChain(JSON.stringify(sealChainFile(file)), converter);
}

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'longhand-at-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a fork at an earlier step', () => {
  it('is its origin before the step of the fork', async () => {
    const origin = await storedChain('parallel-tools');
    const fork = await createFork(origin, 2, 'fork');
    expect(fork.chain.state.origin?.steps).toBe(2);
    const then = truncateAtStep(fork, 1);
    expect(then).toMatchObject({ chainId: origin.chainId, closed: null });
    expect(then.chain).toEqual(truncateAtStep(origin, 1).chain);
    const nested = await createFork(fork, 2, 'fork-of-fork');
    expect(truncateAtStep(nested, 1).chain).toEqual(then.chain);
  });

  it('has its model, which is being called, at the step of the fork', async () => {
    const { chain } = truncateAtStep(await storedChain('forked'), 1);
    expect(chain.steps).toHaveLength(1);
    expect(chain.state).toMatchObject({ agent: { model: { name: 'claude-sonnet-5-5' } }, flight: { kind: 'model' } });
  });

  it('reports the chain that the step belongs to', async () => {
    const origin = await storedChain('parallel-tools');
    const fork = await createFork(origin, 2, 'fork');
    const file = join(folder, 'fork.json');
    writeFileSync(file, JSON.stringify(sealChainFile(toChainFile(fork))));
    const { code, out, reported } = await printed((terminal) => showChainAt(terminal, file, '1', {}));
    expect(code).toBe(0);
    expect(reported).toBe(`Step 1 belongs to ${origin.chainId}, the origin of fork.\n`);
    expect(out).toContain(`claude-sonnet-5-5 · ${origin.chainId}`);
    expect(out).not.toContain('Step 2');
    const json = await printed((terminal) => showChainAt(terminal, file, '1', { json: true }));
    expect(JSON.parse(json.out)).toMatchObject({ chainId: origin.chainId, outcome: null });
    expect(json.reported).toBe('');
  });
});
