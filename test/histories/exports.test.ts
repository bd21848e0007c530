/** Stored exports and downloads are read, verified and replayed with their recorded results. */

import { describe, expect, it } from 'vitest';
import { parseRecordedChain } from '../../src/client/read/parse-recorded-chain.js';
import { parseAsChainFile } from '../../src/client/read/recorded-chain.js';
import { toRecordedResult } from '../../src/core/record/closed-result.js';
import { replayChain } from '../../src/core/record/replay.js';
import { verifyFile } from '../../src/core/record/verify-file.js';
import { type Export, readAllExports } from './exports.js';
import { scenarios } from './scenarios.js';
import { converter, listStatuses, readStoredHistories, toExpected } from './stored.js';

const stored = await readAllExports();

function getScenario({ name }: Export) {
  const scenario = scenarios.find((each) => each.name === name);
  if (scenario === undefined) throw new Error(`No scenario is named ${name}.`);
  return scenario;
}

it('every stored history has an export, and both of Temporal’s tools have downloads', () => {
  const chains = stored.filter(({ kind }) => kind === 'chain').map(({ name }) => name);
  expect(chains.sort()).toEqual(readStoredHistories().map(({ name }) => name));
  const kinds = stored.map(({ kind }) => kind);
  expect(kinds).toContain('cli');
  expect(kinds).toContain('ui');
});

describe.each(stored)('$file', (each) => {
  it('is read with its recorded result', async () => {
    const recorded = await parseRecordedChain(each.text, converter);
    expect(toRecordedResult(recorded)).toMatchObject(getScenario(each).result);
    expect(listStatuses(recorded.chain)).toEqual(getScenario(each).statuses);
  });

  it('is verified', async () => {
    const verified = verifyFile(await parseAsChainFile(each.text, converter));
    expect(verified.divergence).toBeNull();
    expect(verified.calls).toBeGreaterThan(0);
  });

  it('replays without a difference', async () => {
    const { runs } = await parseRecordedChain(each.text, converter);
    expect((await replayChain(runs)).differences).toEqual([]);
  });
});

describe('a chain file', () => {
  it.each(readStoredHistories())('of $name contains the same as its history', async ({ name, expected }) => {
    const { text } = stored.find((each) => each.file === `${name}.chain.json`) as Export;
    const { chain, closed } = await parseRecordedChain(text, converter);
    expect(JSON.parse(JSON.stringify(toExpected({ chain, closed })))).toEqual(expected);
  });
});
