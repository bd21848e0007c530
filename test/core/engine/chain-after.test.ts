/** `foldChain` gives the same chain as folding with all turns, hashed or not. */

import { expect, it } from 'vitest';
import { foldChain, foldRecordedTurns } from '../../../src/core/engine/fold-turns.js';
import { toChainResult } from '../../../src/core/engine/result.js';
import { emptyRecord } from '../../../src/core/engine/state/entry.js';
import { computeDigest } from '../../../src/core/lib/digest.js';
import { emptyState } from '../../../src/core/model/state.js';
import { storedRecords } from '../../support/stored-chain.js';

const nothing = { ...emptyRecord, state: emptyState };

it('the chain after its last turn is equal for every recorded chain; without hashing only the head is missing, also for a fork', async () => {
  let forks = 0;
  for (const { turns } of await storedRecords()) {
    const { chain } = foldRecordedTurns(turns);
    expect(foldChain(turns, nothing)).toEqual(chain);
    const unhashed = foldChain(turns, nothing, { onlyOrigins: computeDigest });
    expect(unhashed).toEqual({ ...chain, state: { ...chain.state, head: '' } });
    if (chain.state.origin !== null) forks += 1;
  }
  expect(forks).toBeGreaterThan(0);
});

it('a fork is compared with the digest of its origin, hashed or not', async () => {
  const records = await storedRecords();
  const { turns } = records.find(({ chain }) => chain.state.origin !== null) ?? { turns: [] };
  const altered = JSON.parse(JSON.stringify(turns).replace(/"digest":"[0-9a-f]{64}","turns"/, '"digest":"","turns"'));
  expect(altered).not.toEqual(turns);
  const { state } = foldChain(altered, nothing, { onlyOrigins: computeDigest });
  expect(toChainResult(state)).toMatchObject({ outcome: 'failure', reasonCode: 'unreadable_origin' });
});
