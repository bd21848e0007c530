/** The exports of the package suffice to read a chain from its file and to view it. */

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import * as longhand from '../src/index.js';
import { matchError } from './support/match-error.js';
import { storedFile } from './support/stored-chain.js';

it('reads a chain from its file for a viewer', async () => {
  const recorded: longhand.RecordedChain = await longhand.parseRecordedChain(
    readFileSync(storedFile('parallel-tools'), 'utf8'),
  );
  const seen = longhand.view(longhand.toReasoning(recorded), longhand.createViewer('auditor'));
  expect(seen).toMatchObject({ chainId: recorded.chainId, outcome: 'success' });
  expect(seen.steps.length).toBeGreaterThan(0);
});

it('rejects a file without a chain, with a code', async () => {
  await expect(longhand.parseRecordedChain('{')).rejects.toThrow(matchError('invalid_chain_file'));
});
