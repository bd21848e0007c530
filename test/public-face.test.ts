/** The exports of the package suffice to read a chain from its file and to view it. */

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { createViewer, type RecordedChain, readChainFile, toReasoning, view } from '../src/entries/view.js';
import { matchError } from './support/match-error.js';

it('reads a chain from its file for a viewer', async () => {
  const recorded: RecordedChain = await readChainFile(
    readFileSync(new URL('histories/releases/next/exports/parallel-tools.chain.json', import.meta.url), 'utf8'),
  );
  const seen = view(toReasoning(recorded), createViewer('auditor'));
  expect(seen).toMatchObject({ chainId: recorded.chainId, outcome: 'success' });
  expect(seen.steps.length).toBeGreaterThan(0);
});

it('rejects a file without a chain, with a code', async () => {
  await expect(readChainFile('{')).rejects.toThrow(matchError('invalid_chain_file'));
});
