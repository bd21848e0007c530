/** The redrawn view of a chain with a plan: permanent lines, prompts and masking. */

import { EventEmitter } from 'node:events';
import { stripVTControlCharacters } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { openScreen } from '../../../src/cli/print/chain-display.js';
import { toRecordedResult } from '../../../src/client/read/recorded-chain.js';
import type { AgentSnapshot } from '../../../src/core/model/agent.js';
import type { ChainResult, FollowEvent, Step, Task, TaskStatus } from '../../../src/index.js';
import { storedChain } from '../../support/stored-chain.js';

const key = 'sk-ant-api03-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789AbCdEfGhIjKlMnOp';
const hostile = '\u001b]0;owned\u0007\u001b[2J\u202e';
const place = { chainId: 'c', runId: 'r', eventId: 1, item: 0, provisional: false } as const;
let agent: AgentSnapshot;
let step: Step;
let result: ChainResult;

beforeAll(async () => {
  const recorded = await storedChain('parallel-tools');
  agent = recorded.chain.state.agent as AgentSnapshot;
  step = recorded.chain.steps[0] as Step;
  result = toRecordedResult(recorded) as ChainResult;
});

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
const toPlanEvent = (...tasks: readonly Task[]): FollowEvent => ({
  ...place,
  type: 'plan-changed',
  at: 0,
  plan: { tasks, revision: 1, source: 'model' },
});
const toStartEvent = (text = ''): FollowEvent => {
  const input = {
    rules: 1,
    agent: 'coder',
    task: `Mend it ${text}`,
    model: null,
    limits: {},
    tenant: null,
    user: null,
    roles: [],
  };
  return { ...place, type: 'chain-started', at: 0, input };
};
const toRequestEvent: () => FollowEvent = () => ({
  ...place,
  type: 'request-opened',
  at: 0,
  call: '1.1',
  tool: 'git_commit',
  request: {
    kind: 'approval',
    rules: {
      reason: '',
      risk: 'low',
      roles: [],
      approvers: 1,
      byRequester: true,
      onExpiry: 'deny',
      expiresMs: null,
      escalate: null,
    },
    askedAt: 0,
    expiresAt: null,
    digest: '',
  } as never,
});

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
    show(toStartEvent());
    expect(taken()).toContain('coder  Mend it');
    show({ ...place, type: 'agent-prepared', at: 0, agent });
    show(toPlanEvent(task('a', 'in_progress'), task('b', 'pending')));
    expect(taken()).toMatch(/0\/2 tasks\n▶ a {2}Do a\s+⋯ b {2}Do b/);
    show(toPlanEvent(task('a', 'completed'), task('b', 'in_progress')));
    expect(taken()).toMatch(/^✓ a {2}completed \(1\/2\): done\s+[\s\S]*1\/2 tasks/m);
    show({ ...place, type: 'chain-ended', result });
    expect(taken()).toMatch(/tokens/);
    close();
  });

  it('has the newest interim result beside its running call, masked', () => {
    const { show, taken, close } = openTestScreen({ columns: 300, rows: 24 });
    show(toStartEvent());
    show({ ...place, type: 'agent-prepared', at: 0, agent });
    const calls = step.calls.map((call) => ({ ...call, status: 'pending' as const }));
    show({ ...place, type: 'step-added', at: 0, step: { ...step, calls } });
    const { id: call = '', tool = '' } = calls[0] ?? {};
    const interim = { ...place, provisional: true, type: 'interim-result', step: 1, call, tool, attempt: 1 } as const;
    taken();
    show({ ...interim, interim: { value: '7 of 9, ann@example.org' } });
    expect(taken()).toContain('⋯ 7 of 9, [redacted:email]');
    show({ ...interim, interim: { value: { progress: 8, total: 9, message: 'for ann@example.org' } } });
    expect(taken()).toContain('⋯ 88 % · 8 of 9 · for [redacted:email]');
    show({ ...interim, interim: null });
    expect(taken()).not.toContain('8 of 9');
    close();
  });

  it('prints every call with its result when it has ended above the view, and failed ones as failed', () => {
    const { show, taken, close } = openTestScreen({ columns: 120, rows: 24 });
    show(toStartEvent());
    show({ ...place, type: 'agent-prepared', at: 0, agent });
    const [first, ...others] = step.calls.map((call) => ({ ...call, status: 'pending' as const }));
    if (first === undefined) throw new Error('The step has no call.');
    const rejected = { ...first, id: '1.9', tool: 'make_plan', status: 'error' as const, observation: 'No task.' };
    taken();
    show({ ...place, type: 'step-added', at: 0, step: { ...step, calls: [first, ...others, rejected] } });
    const added = taken();
    expect(added).toMatch(/^ {2}1\.9 \[TOOL: make_plan\].*\n {6}→ error: No task\.\n/m);
    expect(added).not.toContain(`${first.id} [TOOL`);
    const ended = { ...place, type: 'call-completed', at: 0, tool: first.tool } as const;
    const result = { call: first.id, status: 'error', observation: 'x is undefined', clippedFrom: null } as const;
    const failure = { type: 'TypeError', message: 'x is undefined', stack: 'at parse (/app/tools.ts:3:9)' };
    show({ ...ended, result, failure });
    expect(taken()).toMatch(
      /^ {2}1\.1 \[TOOL: \w+\].*\n {6}→ error: TypeError: x is undefined\n {8}at parse \(\/app\/tools\.ts:3:9\)\n/m,
    );
    for (const call of others) {
      show({ ...ended, tool: call.tool, result: { ...result, call: call.id, status: 'ok', observation: 'fine' } });
      expect(taken()).toMatch(new RegExp(`^ {2}${call.id.replace('.', '\\.')} \\[TOOL: .*\\n {6}→ fine\\n`, 'm'));
    }
    close();
  });

  it('draws nothing during a prompt, and continues below it', () => {
    const { show, showBeforePrompt, report, stream, taken, close } = openTestScreen();
    show(toStartEvent());
    show(toPlanEvent(task('a', 'in_progress')));
    showBeforePrompt(toRequestEvent());
    expect(taken()).toContain('→ waits for a person: git_commit (1.1)');
    stream.emit('resize');
    stream.columns = 60;
    stream.emit('resize');
    expect(taken()).toBe('');
    report('Approved call 1.1');
    expect(taken()).toBe('Approved call 1.1\n');
    show(toPlanEvent(task('a', 'completed')));
    expect(taken()).toContain('1/1 tasks');
    close();
  });

  it('counts the charge of a sub-chain once, even if it is reported twice', () => {
    const { show, taken, close } = openTestScreen();
    show(toStartEvent());
    show({ ...place, type: 'agent-prepared', at: 0, agent });
    const ended = (tokens: number, usd: number): FollowEvent => {
      const charged = { tokens, usd, timeMs: 1, chains: 1, usage: step.usage };
      const end = { at: 0, outcome: 'success' as const, steps: 1, charged };
      return { ...place, type: 'sub-chain-ended', at: 0, call: '1.1', tool: 'researcher', chainId: 'c', end };
    };
    show(ended(100, 0.5));
    expect(taken()).toContain('100 tokens · $0.50');
    show(ended(150, 0.75));
    expect(taken()).toContain('150 tokens · $0.75');
    close();
  });

  it('fits a small terminal', () => {
    const { show, taken, close } = openTestScreen({ columns: 30, rows: 10 });
    show(toStartEvent('and more '.repeat(20)));
    show(toPlanEvent(...Array.from({ length: 40 }, (_, at) => task(`task_${at}`, 'pending', 'long '.repeat(30)))));
    taken();
    show({ ...place, type: 'step-added', at: 0, step: { ...step, thought: 'I think '.repeat(50) } });
    const lines = taken().trimEnd().split('\n');
    expect(lines.length).toBeLessThan(10);
    for (const line of lines) expect(line.length).toBeLessThan(30);
    close();
  });

  it('shows no secret and no control character', () => {
    const { show, showBeforePrompt, taken, close } = openTestScreen({ columns: 400, rows: 50 });
    const unsafe = `${key} ${hostile}`;
    show(toStartEvent(unsafe));
    show({ ...place, type: 'agent-prepared', at: 0, agent });
    show({
      ...place,
      type: 'step-added',
      at: 0,
      step: {
        ...step,
        thought: unsafe,
        calls: step.calls.map((call) => ({ ...call, input: unsafe, status: 'pending' as const })),
      },
    });
    show(toPlanEvent(task('a', 'in_progress', unsafe), { ...task('b', 'failed', unsafe), error: unsafe }));
    show({ ...place, type: 'notice-added', at: 0, notice: { code: 'plan_changed', text: unsafe, step: 1, at: 0 } });
    showBeforePrompt({ ...toRequestEvent(), tool: hostile } as FollowEvent);
    const text = taken();
    expect(text).toContain('[redacted:api-key');
    expect(text).not.toContain('AbCdEf');
    expect(text).not.toMatch(/owned|\u202e/);
    close();
  });
});
