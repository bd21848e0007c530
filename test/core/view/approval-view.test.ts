/** L8: requests to people, and what they said, are shown as far as their call is, and hide what their call hides. */

import { describe, expect, it } from 'vitest';
import { toChainResult } from '../../../src/core/engine/result.js';
import { formatMarkdownReport } from '../../../src/core/print/report.js';
import { buildReasoning, emptyReasoningContext } from '../../../src/core/view/build-reasoning.js';
import type { ReasoningView } from '../../../src/core/view/reasoning-view.js';
import { view } from '../../../src/core/view/view.js';
import { createViewer, type VisibilityConfig } from '../../../src/core/view/visibility.js';
import { deployed, deploying, pushing } from '../../support/play-approvals.js';

const { chain, state } = deployed();
const whole = buildReasoning(chain, { ...emptyReasoningContext, result: toChainResult(state) });

function seen(role: string, config: VisibilityConfig = {}): ReasoningView {
  const repeated = { ...whole, answer: 'I was given swordfish-7 instead of hunter2-hunter2.' };
  return view(repeated, createViewer(role), config);
}

const secrets = /hunter2-hunter2|swordfish-7|angelfish-8/;

describe('arguments that people were asked about and changed', () => {
  it('hide what their tool calls sensitive, wherever it is said', () => {
    expect(JSON.stringify(whole)).toMatch(secrets);
    for (const role of ['developer', 'end_user']) {
      expect(JSON.stringify(seen(role))).not.toMatch(secrets);
      expect(formatMarkdownReport(seen(role))).not.toMatch(secrets);
    }
    expect(JSON.stringify(seen('auditor'))).toMatch(secrets);
  });

  it('have marks by which each is known for the same again', () => {
    const step = seen('developer').steps.find(({ id }) => id === '2.1p1');
    expect(step).toMatchObject({
      input: { branch: 'main', token: '[redacted:field]' },
      changedInput: { branch: 'fix-1', token: '[redacted:field#2]' },
      decisions: [{ input: { branch: 'fix-1', token: '[redacted:field#2]' } }, { by: 'bob' }],
    });
    expect(seen('developer').answer).toBe('I was given [redacted:field#2] instead of [redacted:field].');
  });

  it('are hidden although no call has been made with them yet', () => {
    const play = deploying();
    const input = { branch: 'main', token: 'hunter2-hunter2' };
    play.asks({ ...pushing, approvers: 2 }, { tool: 'git_push', input });
    play.says('1.1', { kind: 'approve', input: { ...input, token: 'swordfish-7' } }, 'ana', 'Use swordfish-7.');
    play.says('1.1', { kind: 'approve', input: { ...input, token: 'angelfish-8' } }, 'bob');
    const { steps } = view(buildReasoning(play.chain), createViewer('developer'));
    expect(JSON.stringify(steps)).not.toMatch(secrets);
    expect(JSON.stringify(steps)).toContain('Use [redacted:field');
  });
});

describe('an end user', () => {
  it('is told who decided what, and neither why nor about which arguments', () => {
    const requests = seen('end_user').steps.filter(({ kind }) => kind === 'approval');
    expect(requests.map((step) => (step.level === 'summary' ? [step.id, step.status, step.summary] : []))).toEqual([
      ['1.1p1', 'denied', 'git_push was denied by ana'],
      ['2.1p1', 'approved', 'git_push was approved with other arguments by ana and bob'],
      ['2.1p2', 'happened', 'ana said that git_push was done'],
      ['3.1p1', 'expired', 'Nobody decided on shell_exec in time'],
      ['4.1p1', 'answered', 'kim answered ask_user'],
    ]);
    expect(JSON.stringify(requests)).not.toMatch(/Friday|fix-1|main/);
  });
});

it('of a call that is hidden nothing is told but that there is a request', () => {
  const { steps, progress } = seen('developer', { tools: { git_push: { level: 'hidden' } } });
  expect(steps.filter(({ id }) => id.startsWith('2.1p'))).toEqual([
    { level: 'hidden', id: '2.1p1', number: 2, kind: 'approval' },
    { level: 'hidden', id: '2.1p2', number: 2, kind: 'approval' },
  ]);
  expect(JSON.stringify(steps)).not.toMatch(/git_push|Friday/);
  expect(progress.join()).not.toContain('git_push');
});

it('why a call failed is not told with a request by whom its result is not told', () => {
  const config = { required: [{ atMost: 'summary', step: 'tool_result' }] } as const;
  const told = (rules: VisibilityConfig) =>
    JSON.stringify(seen('developer', rules).steps.filter(({ id }) => id === '2.1p2'));
  expect(told({})).toContain('No sign of life');
  expect(told(config)).not.toContain('No sign of life');
});

describe('progress', () => {
  it('tells what was decided and what is waited for', () => {
    const play = deploying();
    play.asks(pushing, { tool: 'git_push' }, { tool: 'shell_exec' });
    const lines = () => view(buildReasoning(play.chain), createViewer('end_user')).progress;
    expect(lines()).toEqual(['Waiting for approval of git_push', 'Waiting for approval of shell_exec']);
    play.says('1.1', { kind: 'approve' });
    expect(lines()).toEqual([
      'git_push was approved by ana',
      'Waiting for 1 call',
      'Waiting for approval of shell_exec',
    ]);
  });

  it('a question that waits is told in its own words', () => {
    const play = deploying();
    play.asks(null, { tool: 'ask_user', input: { question: 'Is 4111 1111 1111 1111 the right card?' } });
    const { progress, steps } = view(buildReasoning(play.chain), createViewer('end_user'));
    expect(progress).toEqual(['Waiting for an answer: Is [redacted:card] the right card?']);
    expect(steps).toContainEqual(expect.objectContaining({ id: '1.1p1', summary: progress[0] }));
    expect(view(buildReasoning(play.chain), createViewer('end_user'), { default: 'hidden' }).progress).toEqual([]);
  });

  it('of many requests tells their number', () => {
    expect(seen('end_user').progress).toEqual(['Checked 1 external source', 'People were asked 5 times']);
  });
});
