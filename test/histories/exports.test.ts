/** Stored exports and downloads are read, verified and replayed with their recorded results. */

import { describe, expect, it } from 'vitest';
import { parseRecordedChain } from '../../src/client/read/parse-recorded-chain.js';
import { parseAsChainFile } from '../../src/client/read/recorded-chain.js';
import { toRecordedResult } from '../../src/core/record/closed-result.js';
import { replayChain } from '../../src/core/record/replay.js';
import { verifyFile } from '../../src/core/record/verify-file.js';
import { readAllExports } from './exports.js';
import { scenarios } from './scenarios.js';
import { converter, listStatuses, readStoredHistories, releases, toExpected } from './stored.js';

const all = await Promise.all(
  releases.map(async (release) => {
    const files = await readAllExports(release);
    return { release, files, histories: readStoredHistories(release) };
  }),
);

describe.each(all)('the release $release', ({ files, histories }) => {
  it('has an export for every history, and downloads of both of Temporal’s tools', () => {
    const chains = files.filter(({ kind }) => kind === 'chain').map(({ name }) => name);
    expect(chains.sort()).toEqual(histories.map(({ name }) => name));
    const kinds = files.map(({ kind }) => kind);
    expect(kinds).toContain('cli');
    expect(kinds).toContain('ui');
  });

  it.each(files)('$file is read with its recorded result', async ({ text, name }) => {
    const { chain, closed } = await parseRecordedChain(text, converter);
    const expected = histories.find((each) => each.name === name)?.expected;
    expect(JSON.parse(JSON.stringify(toExpected({ chain, closed })))).toEqual(expected);
  });

  it.each(files)('$file is verified', async ({ text }) => {
    const verified = verifyFile(await parseAsChainFile(text, converter));
    expect(verified.divergence).toBeNull();
    expect(verified.calls).toBeGreaterThan(0);
  });

  it.each(files)('$file replays without a difference', async ({ text }) => {
    const { runs } = await parseRecordedChain(text, converter);
    expect((await replayChain(runs)).differences).toEqual([]);
  });
});

it.each(await readAllExports())('$file has the result of its scenario', async ({ text, name }) => {
  const scenario = scenarios.find((each) => each.name === name);
  const recorded = await parseRecordedChain(text, converter);
  expect(toRecordedResult(recorded)).toMatchObject(scenario?.result ?? { outcome: 'a scenario' });
  expect(listStatuses(recorded.chain)).toEqual(scenario?.statuses);
});
