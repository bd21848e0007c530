/** A printed chain: whole, masked, and safe, since no text of a model, a tool or a person controls the terminal. */

import { expect, it } from 'vitest';
import { ChainPrinter, type PrintItem, type PrintOptions } from '../../../src/cli/print/chain-printer.js';
import { foldRecordedTurns } from '../../../src/core/engine/fold-turns.js';
import { toRecordedResult } from '../../../src/core/record/closed-result.js';
import { view } from '../../../src/core/view/view.js';
import { createViewer } from '../../../src/core/view/visibility.js';
import type { ChainResult } from '../../../src/entries/client.js';
import { allPreferencesOn, type Preferences } from '../../../src/entries/view.js';
import { agentOf, asks, look, replyOf, tool } from '../../support/core-builders.js';
import { needs, rules, steers } from '../../support/core-people.js';
import { completes, makes, planAgent, replyWithCalls, starts } from '../../support/core-plans.js';
import { type Play, prepared } from '../../support/core-play.js';
import { call, noticed, reasoningWith, result, thought } from '../../support/some-reasoning.js';
import { storedChain } from '../../support/stored-chain.js';
import { toStepItem, toTurnItem, watchTurns } from '../../support/watched.js';

const hostile = '\u001b]0;owned\u0007\u001b[2Jseen\u202e\r\u009b1m';

function print(items: readonly PrintItem[], options: Partial<PrintOptions> = {}): string {
  const printer = new ChainPrinter({ color: false, width: 80, form: 'run', ...options });
  return items.map((item) => printer.print(item)).join('') + printer.flush();
}

function watchPlay({ turns }: Play, watching: Parameters<typeof watchTurns>[1] = {}): readonly PrintItem[] {
  return watchTurns(foldRecordedTurns(turns).turns, watching);
}

const full = { level: 'full', redacted: 0 } as const;

it('removes control characters from all text', () => {
  const chain = reasoningWith([], { reason: hostile, answer: hostile, model: hostile, task: hostile });
  const items: readonly PrintItem[] = [
    { type: 'view-opened', view: view(chain, createViewer('developer')), limits: agentOf().limits },
    { type: 'token', step: 1, call: 'model-1', missing: 0, text: `${hostile} ${'and so on '.repeat(20)}` },
    toStepItem({ ...thought(1, hostile), ...full }),
    toStepItem({ ...call('1.1', hostile, hostile), ...full }),
    toStepItem({ ...result('1.1', hostile, hostile), ...full }),
    toTurnItem(),
    toStepItem({ ...noticed(1, 'limit_reached', hostile), ...full }),
    toStepItem({ ...noticed(1, 'message', `${hostile}: ${hostile}`), ...full, id: '1n2' }),
    { type: 'view-completed', view: view(chain, createViewer('developer')) },
  ];
  const printer = new ChainPrinter({ color: false, width: 80, form: 'run' });
  const texts = items.map((item) => printer.print(item)).filter((text) => text !== '');
  expect(texts).toHaveLength(7);
  for (const text of texts) {
    expect(text).toContain('seen');
    expect(text).not.toMatch(/[^\P{Cc}\n]|\u202e/u);
  }
});

it('a result has the line of its template at any size, the time it took, and the age of a cached one', () => {
  const view = { block: { as: 'table', rows: 'rows' } } as const;
  const play = prepared(agentOf({ tools: [tool('look', { view })] }));
  const rows = Array.from({ length: 40 }, (_, n) => ({ n, text: 'x'.repeat(300) }));
  play.replied(asks(look()));
  play.after(2_500).returned('1.1', { rows });
  expect(print(watchPlay(play))).toContain('\n  → 40 rows  2.5 s\n');
  const cached = { ...result('1.1', 'look', 'fine'), ...full, cached: { ageMs: 90_000 } };
  expect(print([toStepItem(cached)])).toBe('Step 1\n  1.1 → fine  500 ms · cached, 1.5 min old\n');
});

it('the header of a run has the version of the agent, and its limits', () => {
  const head = print(watchPlay(prepared(agentOf({ version: '2.0.0' }))));
  expect(head).toMatch(/^\S.*\nversion 2\.0\.0 · \S+ · at most \d+ steps, .*\n\n$/);
});

it('prints the stop reason once, and the result once, marked as partial', async () => {
  const recorded = await storedChain('limit-with-closing');
  const result = toRecordedResult(recorded) as ChainResult;
  const text = print(watchTurns(recorded.turns, { result }));
  expect(recorded.chain.notices.map(({ code }) => code)).toEqual([
    'limit_usage',
    'thought_repeated',
    'limit_reached',
    'closing_call',
  ]);
  expect(text.match(/Max steps \(2\) reached\./g)).toHaveLength(1);
  expect(text.match(/This thought only repeats/g)).toHaveLength(1);
  expect(text).toMatch(
    / {2}⚠ Max steps \(2\) reached\.\n\n■ max_iterations\n2 steps · .*\n\n\[PARTIAL ANSWER\]\nOne and two\.\n$/,
  );
});

it('a run prints its answer once, whole, at the end; an answer that was rejected is printed with its step', () => {
  const play = prepared();
  play.replied(replyOf({ thought: 'I know.', answer: 'It rains.\n\nIn Paris.' }));
  const items = watchPlay(play, { result: play.result });
  const text = print(items);
  expect(text).toMatch(
    /^Step 1.*\n {2}\[LLM: some-model-1\] .*\n.*\n {2}\[THINKING\] I know\.\n\n✓ success {2}.*\n1 step · .*\n\nIt rains\.\n\nIn Paris\.\n$/m,
  );
  expect(print(items, { form: 'watch' })).toMatch(/\[ANSWER\] It rains\.\n {11}In Paris\.\n\n✓ success/);
  const rejected = { kind: 'synthesis', id: '1a', number: 1, at: 0, conclusion: 'No.', sources: [] } as const;
  const answer = toStepItem({ ...rejected, ...full, confidence: null, modelCall: null });
  expect(print([answer, toStepItem({ ...thought(2, 'I look.'), ...full })])).toMatch(
    /^Step 1\n {2}\[ANSWER\] No\.\nStep 2\n {2}\[LLM: some-model-1\] [^[]*\n {2}\[THINKING\] I look\.\n$/,
  );
});

it('the lines of parallel calls carry their calls: the calls, and each result in the order in which it arrives', () => {
  const play = prepared();
  play.replied({ ...asks(look('one'), look('two')) });
  play.returned('1.2', 'second');
  play.returned('1.1', 'first');
  const lines = print(watchPlay(play))
    .replace(/^Step .*$/m, 'Step')
    .split('\n\n')[1];
  expect(lines).toMatchInlineSnapshot(`
    "Step
      [LLM: some-model-1]  from some-provider · model-1 · 0 ms · 1,000 tokens in
                           100 out · $0.003
      [THINKING] I shall see.
      1.1 [TOOL: look] one
      1.2 [TOOL: look] two
      1.2 → second  0 ms
      1.1 → first  0 ms
    "
  `);
});

it('each call of a step in a file carries its call, if the step has several', () => {
  const items = [
    call('1.1', 'look', { city: 'Paris' }),
    call('1.2', 'look', { city: 'Rome' }),
    result('1.2', 'look', 'hot'),
    result('1.1', 'look', 'sunny'),
  ];
  expect(
    print(
      items.map((step) => toStepItem({ ...step, ...full })),
      { form: 'watch' },
    ),
  ).toMatchInlineSnapshot(`
    "Step 1
      1.1 [TOOL: look] city="Paris"
      1.2 [TOOL: look] city="Rome"
      1.2 → hot  500 ms
      1.1 → sunny  500 ms
    "
  `);
});

it('marks the place where pieces of a reply were not received', () => {
  const token = { type: 'token', step: 1, call: 'model-1' } as const;
  const texts = [
    { ...token, text: 'It rains', missing: 0 },
    { ...token, text: 'tomorrow.', missing: 1_200 },
  ];
  expect(print(texts)).toBe('It rains [1,200 characters not received] tomorrow.');
});

it('masks secrets and sensitive fields', () => {
  const play = prepared(agentOf({ tools: [tool('look', { view: { sensitive: ['text'] } })] }));
  play.replied({
    ...asks(look({ text: 'three' })),
    reading: { ...asks(look({ text: 'three' })).reading, thought: 'I write to ada@example.com.' },
  });
  const text = print(watchPlay(play));
  expect(text).toContain('I write to [redacted:email].');
  expect(text).toContain('[TOOL: look] text="[redacted:field]"');
});

it('prints each change of a task of a plan once, without the calls that change it, even if its id is masked', () => {
  const play = prepared(planAgent());
  replyWithCalls(play, makes('a', 'b'));
  replyWithCalls(play, starts('a'));
  replyWithCalls(play, completes('a', 'mail ann@example.com'));
  const text = print(watchPlay(play));
  expect(text).not.toMatch(/make_plan|start_task|complete_task/);
  expect(text.match(/^ {2}✓ a .*completed \(1\/2\): mail \[redacted:email\]/gm)).toHaveLength(1);
  expect(text.match(/^ {2}▶ a .*started/gm)).toHaveLength(1);
});

it('leaves out what its reader switched off, but not requests to people, and masks its values elsewhere', () => {
  const play = prepared(agentOf({ tools: [tool('look', { view: { sensitive: ['text'] } })] }));
  play.replied(asks(look({ text: 'swordfish-seven' })));
  play.returned('1.1', 'Seen.');
  play.take(steers('Not swordfish-seven!'));
  play.replied(needs([rules({ reason: 'It needs a person.' })], look()));
  const printed = (off: Partial<Preferences>) =>
    print(watchPlay(play, { viewer: createViewer('developer', { preferences: { ...allPreferencesOn, ...off } }) }));
  expect(printed({})).toMatch(/\[TOOL: look\].*Seen\./s);
  const quiet = printed({ thinking: false, externalCalls: false });
  expect(quiet).not.toMatch(/\[THINKING\]|\[TOOL: look\]|Seen/);
  expect(quiet).toContain('It needs a person');
  expect(quiet).toContain(': Not [redacted:field]!');
  expect(printed({ internalCalls: false })).toContain('[TOOL: look]');
});

it('prints what went wrong in a tool: name, message, stack and causes, without secrets', () => {
  const key = `ghp_${'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'}`;
  const stack = `at parse (/app/tools.ts:3:9)\nCaused by Error: rejected ${key}`;
  const play = prepared();
  play.replied(asks(look()));
  play.broke('1.1', { type: 'TypeError', message: 'x is undefined', retryable: false } as never);
  const lastFailure = { type: 'TypeError', message: 'x is undefined', stack };
  const attempts = new Map([
    ['1.1', { made: 1, worker: null, scheduledEventId: 1, startedAt: 0, endedEventId: 2, lastFailure }],
  ]);
  const text = print(watchPlay(play, { attempts: attempts as never }), { width: 120 });
  const rows = text.split('\n').map((row) => row.trim());
  const at = rows.findIndex((row) => row.startsWith('→'));
  expect(rows.slice(at, at + 3)).toEqual([
    expect.stringMatching(/^→ error: TypeError: .*x is undefined/),
    'at parse (/app/tools.ts:3:9)',
    'Caused by Error: rejected [redacted:api-key]',
  ]);
});
