/** L8: requests to people and their decisions have the level of their call, and mask the same values. */

import { describe, expect, it } from 'vitest';
import { toChainResult } from '../../../src/core/engine/result.js';
import { buildReasoning, emptyReasoningContext } from '../../../src/core/view/build-reasoning.js';
import { allPreferencesOn } from '../../../src/core/view/preferences.js';
import { formatMarkdownReport } from '../../../src/core/view/print/report.js';
import type { ReasoningView } from '../../../src/core/view/reasoning-view.js';
import { view } from '../../../src/core/view/view.js';
import { createViewer, type VisibilityConfig } from '../../../src/core/view/visibility.js';
import { deployed, deploying, pushing } from '../../support/play-approvals.js';

const { chain, state } = deployed();
const whole = buildReasoning(chain, { ...emptyReasoningContext, result: toChainResult(state) });

function viewAs(role: string, config: VisibilityConfig = {}): ReasoningView {
  const repeated = { ...whole, answer: 'I was given swordfish-7 instead of hunter2-hunter2.' };
  return view(repeated, createViewer(role), config);
}

const secrets = /hunter2-hunter2|swordfish-7|angelfish-8/;

describe('arguments of a request that a person changed', () => {
  it('have the sensitive values of their tool masked everywhere', () => {
    expect(JSON.stringify(whole)).toMatch(secrets);
    for (const role of ['developer', 'end_user']) {
      expect(JSON.stringify(viewAs(role))).not.toMatch(secrets);
      expect(formatMarkdownReport(viewAs(role))).not.toMatch(secrets);
    }
    expect(JSON.stringify(viewAs('auditor'))).toMatch(secrets);
  });

  it('have the same mark for the same value', () => {
    const step = viewAs('developer').steps.find(({ id }) => id === '2.1p1');
    expect(step).toMatchObject({
      input: { branch: 'main', token: '[redacted:field]' },
      changedInput: { branch: 'fix-1', token: '[redacted:field#2]' },
      decisions: [{ input: { branch: 'fix-1', token: '[redacted:field#2]' } }, { by: 'bob' }],
    });
    expect(viewAs('developer').answer).toBe('I was given [redacted:field#2] instead of [redacted:field].');
  });

  it('are masked before a call is made with them', () => {
    const play = deploying();
    const input = { branch: 'main', token: 'hunter2-hunter2' };
    play.asks({ ...pushing, approvers: 2 }, { tool: 'git_push', input });
    play.decides('1.1', { kind: 'approve', input: { ...input, token: 'swordfish-7' } }, 'ana', 'Use swordfish-7.');
    play.decides('1.1', { kind: 'approve', input: { ...input, token: 'angelfish-8' } }, 'bob');
    const { steps } = view(buildReasoning(play.chain), createViewer('developer'));
    expect(JSON.stringify(steps)).not.toMatch(secrets);
    expect(JSON.stringify(steps)).toContain('Use [redacted:field');
  });
});

describe('an end user', () => {
  it('sees the decision and the person, but not the reason or the arguments', () => {
    const requests = viewAs('end_user').steps.filter(({ kind }) => kind === 'approval');
    expect(requests.map((step) => (step.level === 'summary' ? [step.id, step.status, step.summary] : []))).toEqual([
      ['1.1p1', 'denied', 'git_push was denied by ana'],
      ['2.1p1', 'approved', 'git_push was approved with other arguments by ana and bob'],
      ['2.1p2', 'happened', 'ana reported that git_push happened'],
      ['3.1p1', 'expired', 'The approval request for shell_exec expired'],
      ['4.1p1', 'answered', 'kim answered ask_user'],
    ]);
    expect(JSON.stringify(requests)).not.toMatch(/Friday|fix-1|main/);
  });
});

it('the request of a hidden call is a place only', () => {
  const { steps, progress } = viewAs('developer', { tools: { git_push: { level: 'hidden' } } });
  expect(steps.filter(({ id }) => id.startsWith('2.1p'))).toEqual([
    { level: 'hidden', id: '2.1p1', number: 2, kind: 'approval' },
    { level: 'hidden', id: '2.1p2', number: 2, kind: 'approval' },
  ]);
  expect(JSON.stringify(steps)).not.toMatch(/git_push|Friday/);
  expect(progress.join()).not.toContain('git_push');
});

it("a viewer who may not see a call's result does not see its failure in a request", () => {
  const config = { required: [{ atMost: 'summary', step: 'tool_result' }] } as const;
  const reasonUnder = (rules: VisibilityConfig) =>
    JSON.stringify(viewAs('developer', rules).steps.filter(({ id }) => id === '2.1p2'));
  expect(reasonUnder({})).toContain('No sign of life');
  expect(reasonUnder(config)).not.toContain('No sign of life');
});

describe('progress', () => {
  it('contains decisions and open requests', () => {
    const play = deploying();
    play.asks(pushing, { tool: 'git_push' }, { tool: 'shell_exec' });
    const lines = () => view(buildReasoning(play.chain), createViewer('end_user')).progress;
    expect(lines()).toEqual([
      'Step 1 of at most 10',
      'Waiting for approval of git_push',
      'Waiting for approval of shell_exec',
    ]);
    play.decides('1.1', { kind: 'approve' });
    expect(lines()).toEqual([
      'Step 1 of at most 10',
      'git_push was approved by ana',
      'Waiting for 1 call',
      'Waiting for approval of shell_exec',
    ]);
  });

  it('contains the text of an open question', () => {
    const play = deploying();
    play.asks(null, { tool: 'ask_user', input: { question: 'Is 4111 1111 1111 1111 the right card?' } });
    const { progress, steps } = view(buildReasoning(play.chain), createViewer('end_user'));
    const question = 'Waiting for an answer: Is [redacted:card] the right card?';
    expect(progress).toEqual(['Step 1 of at most 10', question]);
    expect(steps).toContainEqual(expect.objectContaining({ id: '1.1p1', summary: question }));
    const hidden = view(buildReasoning(play.chain), createViewer('end_user'), { default: 'hidden' });
    expect(hidden.progress).toEqual(['Step 1 of at most 10']);
  });

  it('counts requests when there are many', () => {
    expect(viewAs('end_user').progress).toEqual(['Checked 1 external source', 'People received 5 requests']);
  });
});

it('an open request is shown although its reader switched the calls of its tool off, until it is decided', () => {
  const play = deploying();
  play.asks(pushing, { tool: 'git_push', input: { branch: 'main', token: 'hunter2-hunter2' } });
  const preferences = { ...allPreferencesOn, externalCalls: false, internalCalls: false };
  const listShown = () =>
    view(buildReasoning(play.chain), createViewer('developer', { preferences }))
      .steps.filter(({ level, kind }) => level !== 'hidden' && (kind === 'tool_call' || kind === 'approval'))
      .map(({ id }) => id);
  expect(listShown()).toEqual(['1.1p1']);
  play.decides('1.1', { kind: 'approve' }, 'ana', null);
  expect(listShown()).toEqual([]);
});
