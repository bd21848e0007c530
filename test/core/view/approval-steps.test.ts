/** Requests to people and their decisions, as steps of a chain. */

import { describe, expect, it } from 'vitest';
import { toChainResult } from '../../../src/core/engine/result.js';
import { computeCallKey } from '../../../src/core/lib/digest.js';
import { buildReasoning, emptyReasoningContext } from '../../../src/core/view/build-reasoning.js';
import type { ApprovalStep, Reasoning } from '../../../src/core/view/reasoning.js';
import type { Play } from '../../support/core-play.js';
import { deployed, deploying, hour, pushing } from '../../support/play-approvals.js';

const push = { tool: 'git_push', input: { branch: 'main' } };

function read({ chain, actions }: Play): Reasoning {
  const ended = actions.some(({ type }) => type === 'end');
  return buildReasoning(chain, { ...emptyReasoningContext, result: ended ? toChainResult(chain.state) : null });
}

function requestsOf(play: Play): readonly ApprovalStep[] {
  return read(play).steps.flatMap((step) => (step.kind === 'approval' ? [step] : []));
}

function requestOf(play: Play): ApprovalStep {
  const [request] = requestsOf(play);
  if (request === undefined) throw new Error('No request found.');
  return request;
}

describe('a request', () => {
  it('follows its call while it waits, with all that a person needs', () => {
    const play = deploying();
    play.asks(pushing, push, { tool: 'read_log' });
    const { steps, state } = read(play);
    expect(steps.map(({ id }) => id)).toEqual(['1', '1.1', '1.1p1', '1.2', '1.2p1']);
    expect(state).toBe('waiting');
    expect(steps[2]).toEqual({
      kind: 'approval',
      id: '1.1p1',
      number: 1,
      at: play.at,
      correlationId: '1.1',
      tool: 'git_push',
      toolKind: 'external',
      request: 'approval',
      reason: pushing.reason,
      risk: 'high',
      roles: ['ops', 'lead'],
      approvers: 1,
      onExpiry: 'deny',
      digest: computeCallKey('git_push', push.input),
      input: push.input,
      status: 'waiting',
      decisions: [],
      expiresAt: play.at + (pushing.expiresMs ?? 0),
      durationMs: null,
    });
  });

  it('that is denied has a result without a duration', () => {
    const play = deploying();
    play.asks(pushing, push);
    play.after(hour).decides('1.1', { kind: 'deny' }, 'ana', 'Not now.');
    const { steps, state } = read(play);
    expect(steps.map(({ id }) => id)).toEqual(['1', '1.1', '1.1p1', '1.1r']);
    expect(steps[2]).toMatchObject({
      status: 'denied',
      durationMs: hour,
      decisions: [{ by: 'ana', reason: 'Not now.' }],
    });
    expect(steps[3]).toMatchObject({ status: 'denied', durationMs: null });
    expect(state).toBe('thinking');
  });

  it('shows the requested and the changed arguments', () => {
    const play = deploying();
    play.asks({ ...pushing, approvers: 2 }, push);
    const input = { branch: 'fix-1' };
    play.after(hour).decides('1.1', { kind: 'approve', input });
    const digest = computeCallKey('git_push', input);
    expect(requestOf(play)).toMatchObject({ status: 'waiting', input: push.input, changedInput: input, digest });
    play.after(hour).decides('1.1', { kind: 'approve' }, 'bob');
    play.after(5).returned('1.1', 'pushed');
    expect(requestOf(play)).toMatchObject({ status: 'approved', durationMs: 2 * hour });
    expect(read(play).steps).toContainEqual(
      expect.objectContaining({ id: '1.1', input, changedFrom: push.input, status: 'ok' }),
    );
    expect(read(play).steps).toContainEqual(expect.objectContaining({ id: '1.1r', durationMs: 5 }));
  });

  it('for an unknown outcome is separate, about the call as it was made', () => {
    const [, approval, outcome] = requestsOf(deployed());
    expect(approval).toMatchObject({ id: '2.1p1', status: 'approved', input: { branch: 'main' } });
    expect(outcome).toMatchObject({ id: '2.1p2', request: 'outcome', status: 'happened', input: { branch: 'fix-1' } });
    expect(outcome?.digest).toBe(approval?.digest);
  });

  it('contains the roles of an escalation once it has happened', () => {
    const play = deploying();
    play.asks({ ...pushing, escalation: { afterMs: hour, roles: ['cto'] } }, push);
    expect(requestOf(play).roles).toEqual(['ops', 'lead']);
    play.after(hour).fired('request');
    expect(requestOf(play).roles).toEqual(['ops', 'lead', 'cto']);
  });

  it.each([
    ['the chain ended first', () => deploying().cancels()],
    ['approvals are missing', () => deploying().cancels('ana')],
  ])('is not decided where %s', (_, ended) => {
    expect(requestOf(ended())).toMatchObject({ status: 'not_decided', durationMs: null });
  });

  it('of a chain that was ended from outside is not open', () => {
    const play = deploying();
    play.asks(pushing, push);
    const result = { ...toChainResult(play.state), outcome: 'terminated' as never };
    const { steps } = buildReasoning(play.chain, { ...emptyReasoningContext, result });
    expect(steps).toContainEqual(expect.objectContaining({ id: '1.1p1', status: 'not_decided' }));
  });

  it.each([
    ['1.1p1', 'denied'],
    ['2.1p1', 'approved'],
    ['2.1p2', 'happened'],
    ['3.1p1', 'expired'],
    ['4.1p1', 'answered'],
  ])('%s was %s', (id, status) => {
    expect(requestsOf(deployed()).find((step) => step.id === id)?.status).toBe(status);
  });
});
