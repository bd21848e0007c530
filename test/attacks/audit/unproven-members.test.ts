/** Changes that no fact proves: ids in a chain file with a new checksum, and rows of the archive. */

import { defaultDataConverter } from '@temporalio/common';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { ChainSource } from '../../../src/client/read/chain-source.js';
import { readRecordedChain } from '../../../src/client/read/recorded-chain.js';
import { emptyState } from '../../../src/core/model/state.js';
import {
  type ChainFile,
  chainFormat,
  chainVersion,
  parseChainFile,
  sealChainFile,
} from '../../../src/core/record/chain-file.js';
import { formatDivergence, verifyFile } from '../../../src/core/record/verify-file.js';
import type { Store } from '../../../src/entries/store.js';
import { createArchiveReader } from '../../../src/store/archive/archived-runs.js';
import { putRun } from '../../../src/store/archive/put-run.js';
import { readAllExports } from '../../histories/exports.js';
import { namespace, typicalSegment } from '../../support/archived.js';
import { agentOf, answers, someInput } from '../../support/core-builders.js';
import { prepared } from '../../support/core-play.js';
import { describeStores } from '../../support/stores.js';

const stored = (await readAllExports()).flatMap(({ kind, text }) => {
  const read = kind === 'chain' ? parseChainFile(JSON.parse(text)) : null;
  return read?.ok ? [read.file] : [];
});

/** A chain that continued as new once. */
function twoRuns(): ChainFile {
  const play = prepared(agentOf(), { ...someInput, task: 'Wait.' });
  const first = play.turns.length;
  play.take({ type: 'continued', runId: 'run-1' });
  play.replied(answers('Done.'));
  const run = { closedAt: 5_000, result: null, heads: [], attempts: {} };
  const turns = play.turns.map((turn) => ({ ...turn, scheduled: [] }));
  return {
    ...{ format: chainFormat, version: chainVersion, chainId: play.state.chainId, definition: agentOf() },
    runs: [
      { ...run, runId: 'run-1', closed: 'continuedAsNew', turns: turns.slice(0, first) },
      { ...run, runId: 'run-2', closed: 'completed', turns: turns.slice(first) },
    ],
    digest: play.state.head,
  };
}

describe('a file with a new checksum', () => {
  it('must have the chain id of its first fact', () => {
    expect(stored.length).toBeGreaterThan(3);
    for (const { checksum: _, ...file } of stored) {
      expect(verifyFile(sealChainFile(file)).divergence).toBeNull();
      const { divergence } = verifyFile(sealChainFile({ ...file, chainId: 'another' }));
      expect(divergence).toMatchObject({ where: 'the chain id', found: 'another' });
      expect(formatDivergence(divergence!)).toContain('is not the one in the first fact');
    }
  });

  it('must have the run ids that later runs name', () => {
    const file = twoRuns();
    const [one, two] = file.runs;
    expect(verifyFile(sealChainFile(file)).divergence).toBeNull();
    const renamed = { ...file, runs: [{ ...one!, runId: 'run-0' }, two!] };
    expect(verifyFile(sealChainFile(renamed)).divergence).toMatchObject({
      where: 'a run id',
      expected: 'run-1',
      found: 'run-0',
    });
  });

  it('is reported with the members that no fact proves', () => {
    const { unproven } = verifyFile(sealChainFile(twoRuns()));
    expect(unproven).toEqual([
      'the id of its last run (run-2)',
      'how and when its runs closed',
      'event ids and history sizes',
      'the times, workers and failures of attempts',
    ]);
  });
});

describeStores((open) => {
  async function read(store: Store, chainId: string, archive?: 'asItIs') {
    const archivedChain = await createArchiveReader(store, namespace).findChain(chainId);
    return readRecordedChain({ archivedChain, chainId, converter: defaultDataConverter } as ChainSource, archive);
  }

  it.each([
    ['outcome', "outcome = 'failure'"],
    ['costUsd', 'cost_usd = 0'],
    ['tenant', "tenant = 'mallory'"],
    ['input', `input = '{"task":"Another one"}'`],
    ['user', "person = 'mallory'"],
    ['steps', 'steps = 1'],
    ['head', "head = 'abc'"],
    ['facts', 'facts = 1'],
  ])('a row of the archive with another %s is rejected when the whole chain is read', async (member, change) => {
    const store = await open();
    const segment = typicalSegment({ steps: 3 });
    await putRun(store, segment);
    expect((await read(store, segment.chainId)).chain.state.head).toBe(segment.after.head);
    await store.write((tx) => sql.raw(`update archive_chains set ${change}`).execute(tx));
    await expect(read(store, segment.chainId)).rejects.toMatchObject({ code: 'archive_mismatch', member });
    expect((await read(store, segment.chainId, 'asItIs')).chain.state.facts).toBeGreaterThan(emptyState.facts);
  });

  it('a row of a run with another head is rejected too', async () => {
    const store = await open();
    const segment = typicalSegment({ steps: 3 });
    await putRun(store, segment);
    await store.write((tx) => sql.raw("update archive_runs set head = 'abc'").execute(tx));
    await expect(read(store, segment.chainId)).rejects.toMatchObject({
      code: 'archive_mismatch',
      member: expect.stringContaining('head of run'),
    });
  });
});
