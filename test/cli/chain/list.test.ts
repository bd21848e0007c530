/** `longhand chain list` over files and folders. */

import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseTree, printChains } from '../../../src/cli/chain/list.js';
import { toChainFile } from '../../../src/client/read/recorded-chain.js';
import { foldRecordedTurns } from '../../../src/core/engine/fold-turns.js';
import { sealChainFile } from '../../../src/core/record/chain-file.js';
import { explain } from '../../../src/core/view/explain.js';
import { modelFailure } from '../../support/core-builders.js';
import { prepared } from '../../support/core-play.js';
import { printed } from '../../support/printed.js';
import { storedFile } from '../../support/stored-chain.js';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'longhand-list-'));
  copyFileSync(storedFile('reuse'), join(folder, 'first.json'));
  copyFileSync(storedFile('reuse'), join(folder, 'second.json'));
  writeFileSync(join(folder, 'notes.json'), '{"of": "something else"}');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const runList = (places: readonly string[], json = false) =>
  printed((terminal) => printChains(terminal, places, { limit: '50', json }));

it('a folder may contain other files, which are reported; each row shows its file', async () => {
  const { code, out, reported } = await runList([folder]);
  expect(code).toBe(0);
  expect(reported).toMatch(/^Cannot read a chain from \S+notes\.json/);
  const [head, ...rows] = out.trim().split('\n');
  expect(head).toMatch(/ FILE +TASK$/);
  expect(rows.map((row) => /\w+\.json/.exec(row)?.[0])).toEqual(['first.json', 'second.json']);
  const json = await runList([folder], true);
  expect(JSON.parse(json.out).map(({ file }: { file: string }) => file)).toEqual([
    join(folder, 'first.json'),
    join(folder, 'second.json'),
  ]);
});

it.each([false, true])('a file that was named itself must contain a chain (--json: %s)', async (json) => {
  const { code, out, reported } = await runList([join(folder, 'first.json'), join(folder, 'notes.json')], json);
  expect(code).toBe(1);
  expect(reported).toMatch(/Cannot read a chain from \S+notes\.json/);
  expect(out).toContain('first.json');
});

it('sub-chains are listed on request, and when waiting, sleeping or paused chains are', () => {
  expect([parseTree({}), parseTree({ status: 'running' }), parseTree({ status: 'ended' })]).toEqual([
    'roots',
    'roots',
    'roots',
  ]);
  const interrupted = (['waiting', 'sleeping', 'paused'] as const).map((status) => parseTree({ status }));
  expect([parseTree({ all: true }), ...interrupted]).toEqual(['all', 'all', 'all', 'all']);
  expect(parseTree({ root: 'tea-1', status: 'waiting' })).toEqual({ root: 'tea-1' });
});

it('a held chain has the same name in lists and explanations, and a narrow terminal shows all of it', async () => {
  const play = prepared();
  play.failed(modelFailure('authentication'));
  const run = { runId: 'run-1', closed: null, closedAt: null, result: null, heads: [], attempts: {} };
  const file = toChainFile({
    ...{ chainId: 'chain-1', ...foldRecordedTurns(play.turns), events: null, ...run, attempts: new Map() },
    runs: [{ ...run, turns: play.turns.map((turn) => ({ ...turn, scheduled: [] })) }],
  });
  const path = join(folder, 'waiting-for-its-provider-since-the-key-was-rejected.json');
  writeFileSync(path, JSON.stringify(sealChainFile(file)));
  const { out } = await printed((terminal) => printChains(terminal, [path], { limit: '50' }), 40);
  expect(out).toContain('● held by the provider ');
  const [row] = JSON.parse((await runList([path], true)).out);
  expect(row).toMatchObject({ waitsFor: 'repair', heldBy: 'provider' });
  expect(row.doing).toMatch(/^held by the provider, attempt 2/);
  expect(explain(play.state, null, play.at).next).toMatch(/^It is held by the provider: attempt 2 at the model call/);
});
