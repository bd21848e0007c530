/** The redrawn view of a chain with a plan: permanent lines, prompts and masking. */

import { EventEmitter } from 'node:events';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { openScreen } from '../../../src/cli/print/chain-display.js';
import type { PrintItem } from '../../../src/cli/print/chain-printer.js';
import { foldRecordedTurns } from '../../../src/core/engine/fold-turns.js';
import { view } from '../../../src/core/view/view.js';
import { createViewer } from '../../../src/core/view/visibility.js';
import type { Task, TaskStatus } from '../../../src/index.js';
import { agentOf, someInput } from '../../support/core-builders.js';
import { makes, planAgent, replyWithCalls, starts } from '../../support/core-plans.js';
import { prepared } from '../../support/core-play.js';
import { approval, call, noticed, reasoningWith, result, thought } from '../../support/some-reasoning.js';
import { toStepItem, toTurnItem, watchTurns } from '../../support/watched.js';

const key = 'sk-ant-api03-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789AbCdEfGhIjKlMnOp';
const hostile = '\u001b]0;owned\u0007\u001b[2J\u202e';
const task = (id: string, status: TaskStatus, text = ''): Task => ({
  id,
  status,
  description: `Do ${id} ${text}`,
  dependsOn: [],
  tools: [],
  confirm: [],
  result: status === 'completed' ? `done ${text}` : null,
  error: null,
  attempts: 1,
});
const toPlanTurn = (...tasks: readonly Task[]): PrintItem =>
  toTurnItem({ plan: { tasks, revision: 1, source: 'model', level: 'full', percent: 0 } });
const toStart = (task = 'Mend it'): PrintItem => {
  const chain = reasoningWith([], { agent: 'coder', task, outcome: null, endedAt: null });
  return { type: 'view-opened', view: view(chain, createViewer('developer')), limits: agentOf().limits };
};
const end: PrintItem = { type: 'view-completed', view: view(reasoningWith([]), createViewer('developer')) };
const full = { level: 'full', redacted: 0 } as const;
const pending = (id: string, tool: string): PrintItem =>
  toStepItem({ ...call(id, tool, { of: id }, { status: 'pending' }), ...full });

function openTestScreen(size: { columns: number; rows: number } = { columns: 80, rows: 24 }) {
  const written: string[] = [];
  const stream = Object.assign(new EventEmitter(), {
    ...size,
    isTTY: true,
    write: (text: string) => written.push(stripVTControlCharacters(text)) > 0,
  });
  const write = (text: string) => void written.push(text);
  const terminal = { write, report: (line: string) => write(`${line}\n`), color: false, width: size.columns };
  const showing = openScreen({ terminal, stream: stream as unknown as NodeJS.WriteStream, now: () => 0 });
  return { ...showing, stream, taken: () => written.splice(0).join('') };
}

describe('the screen', () => {
  it('draws the plan, and prints ended tasks above it', () => {
    const { show, taken, close } = openTestScreen();
    show(toStart());
    expect(taken()).toContain('coder  Mend it');
    show(toPlanTurn(task('a', 'in_progress'), task('b', 'pending')));
    expect(taken()).toMatch(/0\/2 tasks, 0 %\n▶ a {2}Do a\s+⋯ b {2}Do b/);
    show(toPlanTurn(task('a', 'completed'), task('b', 'in_progress')));
    expect(taken()).toMatch(/^✓ a {2}completed \(1\/2\): done\s+[\s\S]*1\/2 tasks/m);
    show(end);
    expect(taken()).toMatch(/tokens/);
    close();
  });

  it('has the newest interim result beside its running call', () => {
    const { show, taken, close } = openTestScreen({ columns: 300, rows: 24 });
    show(toStart());
    show(pending('1.1', 'count'));
    const interim = { type: 'interim-result', step: 1, call: '1.1', tool: 'count', attempt: 1 } as const;
    taken();
    show({ ...interim, interim: { value: '7 of 9' } });
    expect(taken()).toContain('⋯ 7 of 9');
    show({ ...interim, interim: { value: { progress: 8, total: 9, message: 'for Ann' } } });
    expect(taken()).toContain('⋯ 88 % · 8 of 9 · for Ann');
    show({ ...interim, interim: null });
    expect(taken()).not.toContain('8 of 9');
    close();
  });

  it('prints every call with its result when it has ended above the view, and failed ones as failed', () => {
    const { show, taken, close } = openTestScreen({ columns: 120, rows: 24 });
    show(toStart());
    show(toStepItem({ ...thought(1, 'I call.'), ...full }));
    show(pending('1.1', 'look'));
    show(pending('1.2', 'look'));
    show(toStepItem({ ...call('1.9', 'make_plan', {}, { status: 'error' }), ...full }));
    show(toStepItem({ ...result('1.9', 'make_plan', 'No task.', { status: 'error' }), ...full }));
    taken();
    show(toPlanTurn(task('a', 'pending')));
    const added = taken();
    expect(added).toMatch(/^ {2}1\.9 \[TOOL: make_plan\].*\n {6}→ error: No task\./m);
    expect(added).not.toContain('1.1 [TOOL');
    const lastFailure = { type: 'TypeError', message: 'x is undefined', stack: 'at parse (/app/tools.ts:3:9)' };
    const attempts = { made: 1, worker: null, scheduledEventId: 1, endedEventId: 2, lastFailure } as never;
    show(toStepItem({ ...call('1.1', 'look', { of: '1.1' }, { status: 'error', attempts }), ...full }));
    show(toStepItem({ ...result('1.1', 'look', 'x is undefined', { status: 'error' }), ...full }));
    show(toTurnItem());
    expect(taken()).toMatch(
      /^ {2}1\.1 \[TOOL: look\].*\n {6}→ error: TypeError: x is undefined.*\n {8}at parse \(\/app\/tools\.ts:3:9\)\n/m,
    );
    show(toStepItem({ ...call('1.2', 'look', { of: '1.2' }), ...full }));
    show(toStepItem({ ...result('1.2', 'look', 'fine'), ...full }));
    show(toTurnItem());
    expect(taken()).toMatch(/^ {2}1\.2 \[TOOL: look\].*\n {6}→ fine/m);
    close();
  });

  it('draws nothing during a prompt, and continues below it', () => {
    const { show, pause, report, stream, taken, close } = openTestScreen();
    show(toStart());
    show(toPlanTurn(task('a', 'in_progress')));
    show(toStepItem({ ...approval('1.1', 'git_commit', {}), ...full }));
    const asked = taken();
    expect(asked).toContain('→ waits for a person: git_commit (1.1)');
    // The prompt shows the request.
    expect(asked).not.toContain('[APPROVAL');
    pause();
    taken();
    stream.emit('resize');
    stream.columns = 60;
    stream.emit('resize');
    expect(taken()).toBe('');
    report('Approved call 1.1');
    expect(taken()).toBe('Approved call 1.1\n');
    show(toPlanTurn(task('a', 'completed')));
    expect(taken()).toContain('1/1 tasks');
    close();
  });

  it('counts the charge of a sub-chain once, even if it is reported twice', () => {
    const { show, taken, close } = openTestScreen();
    show(toStart());
    const ended = (tokens: number, costUsd: number): PrintItem => {
      const total = { chains: 1, tokens, costUsd };
      const spent = { state: 'completed', outcome: 'success', steps: 1, own: total, total } as const;
      const child = { chainId: 'c/1.1', path: ['c', 'c/1.1'], call: '1.1', agent: 'researcher', requests: 0, ...spent };
      return { type: 'sub-chain-changed', child };
    };
    show(ended(100, 0.5));
    show(toTurnItem());
    expect(taken()).toContain('100 tokens · $0.50');
    show(ended(150, 0.75));
    show(toTurnItem());
    expect(taken()).toContain('150 tokens · $0.75');
    close();
  });

  it('fits a small terminal', () => {
    const { show, taken, close } = openTestScreen({ columns: 30, rows: 10 });
    show(toStart('and more '.repeat(20)));
    show(toPlanTurn(...Array.from({ length: 40 }, (_, at) => task(`task_${at}`, 'pending', 'long '.repeat(30)))));
    taken();
    show(toStepItem({ ...thought(1, 'I think '.repeat(50)), ...full }));
    const lines = taken().trimEnd().split('\n');
    expect(lines.length).toBeLessThan(10);
    for (const line of lines) expect(line.length).toBeLessThan(30);
    close();
  });

  it('shows no control character', () => {
    const { show, taken, close } = openTestScreen({ columns: 400, rows: 50 });
    show(toStart(hostile));
    show(toStepItem({ ...thought(1, hostile), ...full }));
    show(toStepItem({ ...call('1.1', hostile, hostile, { status: 'pending' }), ...full }));
    show(toStepItem({ ...approval('1.1', hostile, hostile), ...full }));
    show(toPlanTurn(task('a', 'in_progress', hostile), { ...task('b', 'failed', hostile), error: hostile }));
    show(toStepItem({ ...noticed(1, 'plan_changed', hostile), ...full }));
    const text = taken();
    expect(text).toContain('waits for a person');
    expect(text).not.toMatch(/owned|\u202e/);
    close();
  });

  it('shows no secret', () => {
    const { show, taken, close } = openTestScreen({ columns: 400, rows: 50 });
    const play = prepared(planAgent(), { ...someInput, task: `Use ${key}` });
    replyWithCalls(play, makes('a', 'b'), starts('a'), ['look', { key }]);
    play.returned('1.3', key);
    for (const item of watchTurns(foldRecordedTurns(play.turns).turns)) show(item);
    const text = taken();
    expect(text).toContain('[redacted:api-key');
    expect(text).not.toContain('AbCdEf');
    close();
  });
});
