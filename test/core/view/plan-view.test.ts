/** A plan in a view: with the level of the chain's thoughts, and masked. */

import { expect, it } from 'vitest';
import { formatLineRows } from '../../../src/cli/print/terminal-lines.js';
import { getColors } from '../../../src/cli/terminal/colors.js';
import { buildReasoning } from '../../../src/core/view/build-reasoning.js';
import { formatNoticeLine } from '../../../src/core/view/print/item-lines.js';
import { formatPlanLines } from '../../../src/core/view/print/plan-lines.js';
import { formatMarkdownReport } from '../../../src/core/view/print/report.js';
import type { ReasoningView } from '../../../src/core/view/reasoning-view.js';
import { view } from '../../../src/core/view/view.js';
import { createViewer } from '../../../src/core/view/visibility.js';
import { agentOf } from '../../support/core-builders.js';
import {
  completes,
  fails,
  type PlanCall,
  planAgent,
  replyWithCalls,
  reviews,
  starts,
} from '../../support/core-plans.js';
import { type Play, prepared } from '../../support/core-play.js';

const written: PlanCall = [
  'make_plan',
  {
    tasks: [
      { id: 'find', description: 'Find what ada@example.org asked for.\nAll of it.' },
      { id: 'send', description: 'Send it.', depends_on: ['find'], tools: ['mail ada@example.org'] },
      { id: 'file', description: 'File it.' },
      { id: 'burn', description: 'Burn the rest.', depends_on: ['file'] },
    ],
  },
];

function chain(): Play {
  const play = prepared(planAgent({ reflection: false, fallbacks: [] }));
  replyWithCalls(play, written);
  replyWithCalls(
    play,
    completes('find', 'A key for ada@example.org'),
    fails('file', 'The drawer is locked'),
    starts('send'),
  );
  return play;
}

const seenBy = (role: string, config = {}): ReasoningView =>
  view(buildReasoning(chain().chain), createViewer(role), config);

it('the reason of a task is masked, and hidden with its thoughts', () => {
  const play = prepared(planAgent({ reflection: false, fallbacks: [] }));
  const tasks = [{ id: 'send', description: 'Send it.', why: 'ada@example.org waits for it.' }];
  replyWithCalls(play, ['make_plan', { tasks }]);
  const see = (role: string) => view(buildReasoning(play.chain), createViewer(role), {});
  const developer = see('developer');
  expect(developer.plan?.tasks[0]?.why).toMatch(/^\[redacted:email.*\] waits for it\.$/);
  expect(formatMarkdownReport(developer)).toContain('why:');
  expect(JSON.stringify(developer)).not.toContain('ada@example.org');
  expect(see('end_user').plan?.tasks[0] ?? {}).not.toHaveProperty('why');
});

it('a developer sees the whole plan, masked', () => {
  const { plan } = seenBy('developer');
  expect(plan).toMatchObject({ level: 'full', revision: 1, source: 'model', percent: 25 });
  expect(plan?.tasks.map(({ id, status }) => `${id} ${status}`)).toEqual([
    'find completed',
    'send in_progress',
    'file failed',
    'burn blocked',
  ]);
  expect(plan?.tasks[0]?.result).toMatch(/^A key for \[redacted:email/);
  expect(JSON.stringify(plan)).not.toContain('ada@example.org');
});

it('a plan is a line for each task where thoughts are a summary, and absent where they are hidden', () => {
  const { plan, steps } = seenBy('end_user');
  expect(plan?.level).toBe('summary');
  expect(plan?.tasks[0]).toMatchObject({ id: 'find', status: 'completed', result: null, error: null });
  expect(plan?.tasks[0]?.description).toMatch(/^Find what \[redacted:email.*asked for\.$/);
  expect(plan?.tasks[2]).toMatchObject({ status: 'failed', error: null });
  // A notice about the plan contains a thought of the model.
  expect(steps.filter(({ kind }) => kind === 'notice').map((step) => step.level)).toEqual(['summary', 'summary']);
  expect('plan' in seenBy('end_user', { deployment: { thinking: 'hidden' } })).toBe(false);
});

it('a chain without a plan shows none', () => {
  const other = view(buildReasoning(prepared(agentOf()).chain), createViewer('developer'));
  expect('plan' in other).toBe(false);
});

it('a report contains the plan', () => {
  expect(formatMarkdownReport(seenBy('auditor'))).toContain(
    [
      '**Plan** 25 %, 1 of 4 tasks completed, 1 failed, 1 blocked',
      '',
      '- `✓ find: Find what ada@example.org asked for. All of it.`',
      '  - `▶ send: Send it.`',
      '- `✗ file: File it.`',
      '  - `⊘ burn: Burn the rest. (after file)`',
    ].join('\n'),
  );
});

it('the tree has the plan below its head, with the result of each task, in lines that fit', () => {
  const c = getColors({ color: false });
  const lines = formatPlanLines(seenBy('auditor').plan).flatMap((line) => formatLineRows(line, 44, c));
  expect(lines).toEqual([
    '[PLAN] 25 %, 1 of 4 tasks completed, 1',
    '       failed, 1 blocked',
    '✓ find: Find what ada@example.org asked for…',
    '  A key for ada@example.org',
    '└ ▶ send: Send it.',
    '✗ file: File it.',
    '  The drawer is locked',
    '└ ⊘ burn: Burn the rest. (after file)',
  ]);
  expect(formatPlanLines(undefined)).toEqual([]);
});

it('learnings and assessments have the level of thoughts, and are masked', () => {
  const play = prepared(planAgent());
  replyWithCalls(play, written);
  replyWithCalls(play, reviews(['ada@example.org has the key.'], 'Half done for ada@example.org.'));
  const listNotices = (role: string) =>
    view(buildReasoning(play.chain), createViewer(role)).steps.flatMap((step) =>
      step.kind !== 'notice' ? [] : [step.level === 'full' ? step.text : step.level === 'summary' ? step.summary : ''],
    );
  expect(listNotices('auditor')).toEqual([
    'The plan: 4 tasks, find, send, file, burn.',
    'ada@example.org has the key.',
    'Half done for ada@example.org.',
  ]);
  expect(listNotices('developer').slice(1)).toEqual([
    '[redacted:email] has the key.',
    'Half done for [redacted:email].',
  ]);
  expect(listNotices('end_user')).toEqual([
    'The plan was changed',
    'Something was learned',
    'The progress was assessed',
  ]);
  expect(formatNoticeLine({ notice: 'learned', text: 'It is open.' })).toMatchObject({
    label: { kind: 'learned' },
    content: 'It is open.',
  });
});

it('a chain that ends at a limit reports the progress of its plan', () => {
  const play = prepared(planAgent({ reflection: false }, { limits: { steps: 2 } }));
  replyWithCalls(play, written);
  replyWithCalls(play, completes('find'));
  expect(play.state.stop?.reason).toEqual({ code: 'max_steps', limit: 2, rest: '1 of 4 tasks completed' });
});
