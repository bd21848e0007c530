/** Requests and decisions of people, as the commands show them. */

import { describe, expect, it } from 'vitest';
import { compareChains } from '../../../src/cli/chain/compare-chains.js';
import { filterSteps, parseStepFilter, type StepFilterFlags } from '../../../src/cli/flags/step-filter.js';
import { ChainPrinter } from '../../../src/cli/print/chain-printer.js';
import { formatLineRows } from '../../../src/cli/print/terminal-lines.js';
import { formatChainTree, formatFullStep } from '../../../src/cli/print/tree.js';
import { getColors } from '../../../src/cli/terminal/colors.js';
import { measureColumns } from '../../../src/cli/terminal/text.js';
import { matchesFilter, toChainRow } from '../../../src/client/list/chain-row.js';
import { getRecordedStatus } from '../../../src/client/list/list-chains.js';
import { foldRecordedTurns } from '../../../src/core/engine/fold-turns.js';
import { toReasoning } from '../../../src/core/view/build-reasoning.js';
import { explain } from '../../../src/core/view/explain.js';
import { createLiveView } from '../../../src/core/view/live-view.js';
import { formatOutcomeLine } from '../../../src/core/view/print/head-lines.js';
import { formatMarkdownReport } from '../../../src/core/view/print/report.js';
import { describeProgress } from '../../../src/core/view/progress.js';
import { view } from '../../../src/core/view/view.js';
import { createViewer } from '../../../src/core/view/visibility.js';
import type { ReasoningView, RecordedChain } from '../../../src/entries/view.js';
import { type Deployment, deployed, deploying, hour, pushing } from '../../support/play-approvals.js';
import { toStepItem, toTurnItem, watchTurns } from '../../support/watched.js';

const push = { tool: 'git_push', input: { branch: 'main' } };

function recordedOf({ turns }: Deployment): RecordedChain {
  const beside = { runId: 'run-1', heads: [], attempts: new Map(), runs: [], events: null };
  return { chainId: 'deploy-1', ...foldRecordedTurns(turns), ...beside, closed: null, closedAt: null };
}

function viewAs(play: Deployment, role = 'developer'): ReasoningView {
  return view(toReasoning(recordedOf(play)), createViewer(role));
}

function tree(play: Deployment, width = 100): string {
  const filter = { range: {}, kinds: null, since: null, search: null, last: null };
  const page = { color: false, width, now: play.at, named: 'deploy' };
  return formatChainTree(recordedOf(play), viewAs(play), filter, page);
}

describe('the tree', () => {
  it('shows the roles and the deadline of a request', () => {
    const play = deploying();
    play.after(2_000).asks(pushing, push);
    expect(
      tree(play.after(3 * hour))
        .split('\n')
        .slice(2),
    ).toEqual([
      '⏸ Waiting for approval of git_push',
      '1 step · 3 hours · 1,100 tokens · $0.003',
      '',
      '└─ Step 1',
      '   ├─ [LLM: some-model-1]  from some-provider · model-1 · 2 s · 1,000 tokens in · 100 out · $0.003',
      '   ├─ [THINKING] I shall see.',
      '   └─ [TOOL: git_push] branch="main"',
      '      └─ [APPROVAL: git_push] Waits for approval. git_push changes a repository that others use.',
      '                              high risk · for ops or lead · until 2026-11-27 10:00 UTC',
      '',
    ]);
  });

  it('shows each decision with person, reason, changed arguments and duration', () => {
    const lines = tree(deployed(), 110).split('\n');
    const under = (from: string, count: number) => {
      const at = lines.findIndex((line) => line.includes(from));
      return lines.slice(at, at + count);
    };
    expect(under('[APPROVAL: git_push] Denied', 2)).toEqual([
      '│     ├─ [APPROVAL: git_push] Denied by ana: Not on a Friday.  2 hours',
      '│     └─ → Denied by ana: Not on a Friday. The call was not run. Do not repeat it: continue without it, or',
    ]);
    expect(under('[APPROVAL: git_push] Approved', 5)).toEqual([
      '│  │  ├─ [APPROVAL: git_push] Approved by ana, with branch="fix-1" token="[redacted:field#2]", as one of',
      '│  │  │                       several: Not main.',
      '│  │  ├─ [APPROVAL: git_push] Approved by bob.  2 hours',
      '│  │  ├─ [OUTCOME: git_push] It happened, according to ana: I see it on the server.  1 min',
      '│  │  └─ → Pushed to fix-1.  1.5 s',
    ]);
    expect(under('[QUESTION', 2)).toEqual([
      '│  │  ├─ [QUESTION: ask_user] Answered by kim.  60 min',
      '│  │  └─ → To staging.',
    ]);
  });

  it('does not count a vote for arguments that were changed later', () => {
    const play = deploying();
    play.asks({ ...pushing, approvers: 2 }, push);
    play.decides('1.1', { kind: 'approve' }, 'ana', 'Fine.');
    play.decides('1.1', { kind: 'approve', input: { branch: 'fix-1' } }, 'bob');
    expect(tree(play, 110).split('\n').slice(-6)).toEqual([
      '   └─ [TOOL: git_push] branch="fix-1"  changed by a person',
      '      ├─ [APPROVAL: git_push] Approved by ana, void since the arguments were changed: Fine.',
      '      ├─ [APPROVAL: git_push] Approved by bob, with branch="fix-1", as one of several.',
      '      └─ [APPROVAL: git_push] Waits for approval. git_push changes a repository that others use.',
      '                              high risk · for ops or lead · 1 of 2 have approved · until 2026-11-27 10:00 UTC',
      '',
    ]);
    const waiting = viewAs(play);
    for (const text of [
      formatMarkdownReport(waiting),
      formatFullStep(waiting.steps, waiting, { color: false, tableWidth: 100 }),
    ]) {
      expect(text).toContain('1 of 2 have approved');
      expect(text).toContain('Approved by ana, void since the arguments were changed: Fine.');
    }
    play.decides('1.1', { kind: 'approve' }, 'kim');
    play.after(5).returned('1.1', 'Pushed.');
    expect(tree(play)).toContain('[TOOL: git_push] branch="main"\n');
    expect(describeProgress(toReasoning(recordedOf(play)).steps)).toContain(
      'git_push was approved with other arguments by bob and kim',
    );
  });

  it('shows the result of a call that was not executed once', () => {
    const play = deploying();
    play.asks(pushing, push);
    play.cancelledBy('bob');
    expect(tree(play)).toContain('→ Not run: the chain ended first.');
  });

  it.each([80, 120])('fits %d columns', (width) => {
    for (const line of tree(deployed(), width).split('\n')) expect(measureColumns(line)).toBeLessThanOrEqual(width);
  });
});

it('a full step shows the whole request, with the original and the changed arguments', () => {
  const { steps, ...chain } = viewAs(deployed(), 'auditor');
  const second = steps.filter(({ number }) => number === 2);
  const text = formatFullStep(second, { steps, ...chain }, { color: false, tableWidth: 100 });
  for (const shown of ['hunter2', 'swordfish', 'Not main.', 'as ops', pushing.reason, 'decided after 2 hours']) {
    expect(text).toContain(shown);
  }
  expect(text).toMatch(/digest [0-9a-f]{32}/);
});

describe('the head', () => {
  const c = getColors({ color: false });
  const outcomeLine = (play: Deployment, role?: string) =>
    formatLineRows(formatOutcomeLine(viewAs(play, role)), 100, c);

  it('shows open requests, and that a chain is paused', () => {
    const play = deploying();
    play.asks(pushing, push, { tool: 'shell_exec' });
    const waits = '⏸ Waiting for approval of git_push; Waiting for approval of shell_exec';
    expect([outcomeLine(play), outcomeLine(play, 'end_user')]).toEqual([[waits], [waits]]);
    expect(toChainRow(viewAs(play), { runId: 'r', steps: 1, status: 'waiting' })?.doing).toBe(waits.slice(2));
    const row = toChainRow(viewAs(play, 'end_user'), {
      runId: 'r',
      steps: 1,
      status: getRecordedStatus(recordedOf(play)),
    });
    const anyRow = {
      agent: null,
      agentVersion: null,
      tenant: null,
      outcome: null,
      since: null,
      costOver: null,
      thread: null,
      text: null,
    };
    const listed = (['running', 'waiting', 'paused', 'ended'] as const).map((status) =>
      row === null ? null : matchesFilter(row, { ...anyRow, status }),
    );
    expect(listed).toEqual([true, true, false, false]);
    play.decides('1.1', { kind: 'deny' });
    play.decides('1.2', { kind: 'deny' });
    play.pauses();
    expect(outcomeLine(play)).toEqual(['● running: the model is thinking, step 2 of at most 10']);
    play.asks(null, { tool: 'read_log' });
    play.returned('2.1');
    expect(outcomeLine(play)).toEqual(['⏸ Paused by ana: Lunch.']);
  });
});

it('a watcher sees a request when it opens, and then only new decisions', () => {
  const play = deploying();
  const look = createLiveView(createViewer('developer'), {});
  const printer = new ChainPrinter({ color: false, width: 110 });
  const news = () => {
    const { changedSteps, reasoning } = look(play.chain, new Map());
    const state = reasoning.state;
    const items = [...changedSteps.map((step) => toStepItem(step, state)), toTurnItem()];
    return items.map((item) => printer.print(item)).join('');
  };
  play.asks({ ...pushing, approvers: 2 }, push);
  expect(news()).toContain('  [APPROVAL: git_push] Waits for approval.');
  play.decides('1.1', { kind: 'approve' });
  expect(news()).toMatch(/^ {2}\[APPROVAL: git_push\] Approved by ana, as one of several\.\n/);
  play.decides('1.1', { kind: 'approve' }, 'bob');
  expect(news()).toBe('  [APPROVAL: git_push] Approved by bob.  0 ms\n');
  expect(news()).toBe('');
});

it('a running chain is printed with requests and decisions', () => {
  const printer = new ChainPrinter({ color: false, width: 100, form: 'run' });
  const text = watchTurns(recordedOf(deployed()).turns)
    .map((item) => printer.print(item))
    .join('');
  expect(text).toContain(
    `  [APPROVAL: git_push] Waits for approval. ${pushing.reason}\n                       high risk · for ops or lead · until `,
  );
  expect(text).toContain(
    '  [APPROVAL: git_push] Denied by ana: Not on a Friday.  2 hours\n  [MESSAGE] bob: Push to a branch of your own.\n',
  );
  expect(text).toContain(
    '  2.1 [OUTCOME: git_push] It happened, according to ana: I see it on the server.  1 min\n  → Pushed to fix-1.  1.5 s\n',
  );
  // Lines of parallel calls have the id of their call.
  expect(text).toMatch(/^ {2}4\.2 → all is well {2}1 s\n {2}4\.1 \[QUESTION: ask_user\] Answered by kim\. {2}\S.*\n/m);
  expect(text).not.toMatch(/hunter2|swordfish/);
  // The last step has only the answer, which is printed at the end.
  expect(text).not.toMatch(/^Step 5\b/m);
});

it('a printed run, a watched chain and the tree show the same text for the same item', () => {
  const play = deployed();
  // Compares without tree lines, call ids and usage; each outlet numbers marks separately.
  const readItems = (text: string) =>
    text.split('\n').flatMap((line) => /(\[[A-Z]+(: \w+)?\] \S.*?)(?= {2}|$)/.exec(line)?.[1] ?? []);
  const listItems = (text: string) => readItems(text).filter((item) => !item.includes('[redacted'));
  const run = new ChainPrinter({ color: false, width: 500, form: 'run' });
  const watch = new ChainPrinter({ color: false, width: 500 });
  const { steps } = viewAs(play);
  const live = watchTurns(recordedOf(play).turns).map((item) => run.print(item));
  const inRun = listItems(live.join(''));
  const inWatch = listItems(steps.map((step) => watch.print(toStepItem(step))).join('') + watch.flush());
  const inTree = listItems(tree(play, 500)).filter((item) => !item.startsWith('[ANSWER]'));
  expect(inTree.length).toBeGreaterThan(8);
  expect(inRun).toEqual(expect.arrayContaining(inTree));
  expect(inWatch).toEqual(expect.arrayContaining(inTree));
});

it('explain shows who may decide, until when and how, and that the time limit is paused', () => {
  const play = deploying();
  play.asks({ ...pushing, approvers: 2, byRequester: false }, push);
  play.decides('1.1', { kind: 'approve' });
  const { next, why, limits } = explain(play.state, null, play.at + 3 * hour);
  expect(next).toMatch(/^It waits for a person's approval of call 1\.1 \(git_push\)\./);
  expect(why).toEqual([
    'Step 1 requested 1 call; none has ended.',
    'A person with the role ops or lead may decide on call 1.1 until 2026-11-27 10:00 UTC; then it is denied.',
    '2 different people must approve it; 1 has.',
    "The chain's own user may not decide.",
    'Decide: longhand approve deploy-1 1.1 --role ops, or longhand deny deploy-1 1.1 --role ops',
    'It ends as max_iterations after 9 more steps.',
    'The time limit is paused while it waits for people; 10 min remain.',
  ]);
  expect(limits).toContainEqual({ name: 'timeMs', used: 0, limit: 600_000 });
});

it('explain shows who paused a chain and how to resume it', () => {
  const play = deploying();
  play.asks(null, { tool: 'read_log' });
  play.pauses();
  expect(explain(play.state, null, play.at).next).toBe('It waits for call 1.1 (read_log). Then it is paused.');
  play.returned('1.1');
  const { next, why } = explain(play.state, null, play.at);
  expect(next).toBe('It is paused until a person resumes it.');
  expect(why.slice(0, 2)).toEqual(['Paused by ana: Lunch.', 'Resume: longhand resume deploy-1']);
});

it.each<[StepFilterFlags, readonly string[]]>([
  [{ type: 'approval' }, ['1.1p1', '2.1p1', '2.1p2', '3.1p1', '4.1p1']],
  [{ type: 'approval', search: 'friday' }, ['1.1p1']],
  [{ type: 'approval', search: 'fix-1' }, ['2.1p1', '2.1p2']],
])('requests are found by %j', (flags, ids) => {
  expect(filterSteps(viewAs(deployed()).steps, parseStepFilter(flags, 0)).map(({ id }) => id)).toEqual(ids);
});

it('two chains differ if the decisions differ, not if other people made them', () => {
  const decidedBy = (by: string, kind: 'approve' | 'deny') => {
    const play = deploying();
    play.asks(pushing, push);
    play.decides('1.1', { kind }, by);
    return viewAs(play);
  };
  expect(compareChains(decidedBy('ana', 'deny'), decidedBy('ana', 'deny')).equal).toBe(true);
  expect(compareChains(decidedBy('ana', 'approve'), decidedBy('bob', 'approve')).equal).toBe(true);
  const parted = compareChains(decidedBy('ana', 'deny'), decidedBy('ana', 'approve'));
  expect(parted.firstDifference).toMatchObject({ step: 1, what: 'decisions' });
});
