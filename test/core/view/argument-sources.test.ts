/** Which outputs led to which inputs: the calls whose results the arguments of later calls repeat. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { exportChain } from '../../../src/cli/chain/export.js';
import { showChain } from '../../../src/cli/chain/show.js';
import { toChainFile } from '../../../src/client/read/recorded-chain.js';
import { foldRecordedTurns } from '../../../src/core/engine/fold-turns.js';
import { sealChainFile } from '../../../src/core/record/chain-file.js';
import { addArgumentSources, findArgumentSources } from '../../../src/core/view/argument-sources.js';
import { buildReasoning } from '../../../src/core/view/build-reasoning.js';
import { createViewer, view } from '../../../src/entries/view.js';
import type { Json } from '../../../src/index.js';
import { answers, asks } from '../../support/core-builders.js';
import { type Play, prepared } from '../../support/core-play.js';
import { printed } from '../../support/printed.js';

const looks = (input: Json) => asks({ tool: 'look', input });

/** Two searches, then a call with these arguments in step 3. */
function play(input: Json): Play {
  const made = prepared();
  made.replied(looks({ firm: 'ACME' }));
  made.returned('1.1', { revenue: '1,247', note: 'It grew by twelve percent in the year.' });
  made.replied(looks({ firm: 'Other' }));
  made.returned('2.1', 'Its owner is Bo Olsen.');
  made.replied(looks(input));
  made.returned('3.1', 'Sent to Bo Olsen.');
  made.replied(answers('Done.'));
  return made;
}

const repeatsOf = (made: Play, call = '3.1') =>
  addArgumentSources(buildReasoning(made.chain)).steps.flatMap((step) =>
    step.kind === 'tool_call' && step.id === call ? (step.repeats ?? []) : [],
  );

it.each<[string, Json, readonly string[]]>([
  ['a number of a result', { amount: 1247 }, ['1.1']],
  ['words of a result', { text: 'We see: it grew by twelve percent.' }, ['1.1']],
  ['a short value, in a list', { to: [{ name: 'Bo Olsen' }] }, ['2.1']],
  ['values of several results', { to: 'Bo Olsen', amount: '1247' }, ['1.1', '2.1']],
  ['words of the task alone', { text: 'Find out what is due, and pay it.' }, []],
  ['names of members alone', { revenue: true, owner: 7 }, []],
  ['nothing', { text: 'Hello, how are you today?' }, []],
])('arguments name the calls whose results they repeat: %s', (_, input, expected) => {
  expect(repeatsOf(play(input))).toEqual(expected);
});

it('a result of the same or of a later step is no source', () => {
  expect(repeatsOf(play({ to: 'Bo Olsen' }), '1.1')).toEqual([]);
  expect(findArgumentSources('', [{ call: '1.2', value: 'Bo Olsen' }], [{ call: '1.1', value: 'Bo Olsen' }])).toEqual(
    new Map(),
  );
});

it('only the newest 500,000 characters of results are compared', () => {
  const called = [{ call: '3.1', value: 'Bo Olsen' }];
  const result = { call: '1.1', value: 'Bo Olsen' };
  const filled = (length: number) => [result, { call: '2.1', value: 'x'.repeat(length) }];
  expect(findArgumentSources('', called, filled(499_000)).get('3.1')).toEqual(['1.1']);
  expect(findArgumentSources('', called, filled(500_000))).toEqual(new Map());
});

it('views have them where the call is shown in full, and followers do not compute them', () => {
  const reasoning = buildReasoning(play({ to: 'Bo Olsen' }).chain);
  expect(JSON.stringify(reasoning)).not.toContain('"repeats"');
  const shown = (role: string) => JSON.stringify(view(addArgumentSources(reasoning), createViewer(role)).steps);
  expect(shown('developer')).toContain('"repeats":["2.1"]');
  expect(shown('end_user')).not.toContain('"repeats"');
});

it('show and an export name them', async () => {
  const { turns } = play({ to: 'Bo Olsen' });
  const folder = mkdtempSync(join(tmpdir(), 'longhand-flow-'));
  const run = { runId: 'run-1', closed: null, closedAt: null, result: null, heads: [], attempts: {} };
  const file = toChainFile({
    ...{ chainId: 'chain-1', ...foldRecordedTurns(turns), events: null, ...run, attempts: new Map() },
    runs: [{ ...run, turns: turns.map((turn) => ({ ...turn, scheduled: [] })) }],
  });
  const path = join(folder, 'chain.json');
  writeFileSync(path, JSON.stringify(sealChainFile(file)));
  const show = (flags: object) => printed((terminal) => showChain(terminal, path, flags));
  expect((await show({ step: '3' })).out).toContain('repeats 2.1');
  expect((await show({ json: true })).out).toMatch(/"repeats":\s*\[\s*"2\.1"\s*\]/);
  const exported = await printed((terminal) => exportChain(terminal, path, { format: 'markdown' }));
  expect(exported.out).toMatch(/\*\*Tool\*\* 3\.1 · `look` · .*repeats 2\.1/);
  rmSync(folder, { recursive: true, force: true });
});
