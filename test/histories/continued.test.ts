/** A stored chain of several runs is read run by run and from its export, is verified, and replays without a difference. */

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseRecordedChain } from '../../src/client/read/parse-recorded-chain.js';
import { parseAsChainFile } from '../../src/client/read/recorded-chain.js';
import type { ChainRun } from '../../src/core/record/chain-file.js';
import { replayChain } from '../../src/core/record/replay.js';
import { verifyFile } from '../../src/core/record/verify-file.js';
import { emptyFold } from '../../src/history/fold.js';
import { buildRecordedRun } from '../../src/history/recorded-run.js';
import { readStoredExpected, readStoredRuns } from './continued.js';
import { converter, getStoredFolder, releases, toExpected } from './stored.js';

const plain = (value: unknown) => JSON.parse(JSON.stringify(value));

describe.each(releases)('a stored chain of several runs of the release %s', (release) => {
  const exported = readFileSync(new URL('whole.chain.json', getStoredFolder('continued', release)), 'utf8');

  it('folds to its recorded result, run by run', async () => {
    let { chain } = emptyFold;
    const runs: ChainRun[] = [];
    for (const events of readStoredRuns(release)) {
      const read = await buildRecordedRun(events, converter, chain);
      chain = read.chain;
      runs.push(read.run);
    }
    expect(runs.map(({ closed }) => closed)).toEqual(['continuedAsNew', 'continuedAsNew', 'completed']);
    expect(plain(toExpected({ chain, closed: 'completed' }))).toEqual(readStoredExpected(release));
    expect(plain(runs)).toEqual(plain((await parseAsChainFile(exported, converter)).runs));
  });

  it('has the state of the chain in a later run alone', async () => {
    const { facts, head, result } = readStoredExpected(release);
    const last = readStoredRuns(release).at(-1) ?? [];
    const { state, steps } = (await buildRecordedRun(last, converter)).chain;
    expect({ facts: state.facts, head: state.head }).toEqual({ facts, head });
    expect(state.stop).toMatchObject({ outcome: result.outcome });
    expect(steps.map(({ number }) => number)).toEqual([5]);
  });

  it('is verified and replays without a difference', async () => {
    expect(verifyFile(await parseAsChainFile(exported, converter)).divergence).toBeNull();
    const { runs } = await parseRecordedChain(exported, converter);
    expect((await replayChain(runs)).differences).toEqual([]);
  });
});
