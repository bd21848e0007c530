/** A plan of an earlier chain that a person must approve before it is reused. */

import { describe, expect, it } from 'vitest';
import { foldRecordedTurns } from '../../../../src/core/engine/fold-turns.js';
import type { Json } from '../../../../src/core/lib/json.js';
import type { ReusedPlan } from '../../../../src/core/model/plan.js';
import { renderRequest } from '../../../../src/core/strategies/strategies.js';
import { buildReasoning } from '../../../../src/core/view/build-reasoning.js';
import { view } from '../../../../src/core/view/view.js';
import { createViewer } from '../../../../src/core/view/visibility.js';
import { replyOf } from '../../../support/core-builders.js';
import { decides } from '../../../support/core-people.js';
import { lastGuide, makes, planAgent, replyWithCalls, statusesOf } from '../../../support/core-plans.js';
import { kinds, type Play, prepared } from '../../../support/core-play.js';

const agent = planAgent({ reuse: 'v1', confirmReuse: true });
const task = (id: string) => ({ id, description: `Do ${id}.`, dependsOn: [], tools: [], confirm: [] });
const reusedPlan: ReusedPlan = {
  ...{ tasks: [task('a'), task('b')], chainId: 'earlier', goal: 'Find out what was due' },
  similarity: 0.83,
};

function playWaiting(): Play {
  const play = prepared(agent);
  play.replied({ ...replyOf({}), provider: null, request: null, usage: null, reusedPlan });
  return play;
}

describe('a plan that a person must approve', () => {
  it('waits with its goal, its similarity and its origin, and no plan is made until then', () => {
    const play = playWaiting();
    expect(play.state.plan).toBeNull();
    expect(play.state.stop).toBeNull();
    expect(kinds(play.actions)).toEqual(['timer request']);
    const [call] = play.chain.steps[0]?.calls ?? [];
    expect(call).toMatchObject({ id: '1.1', tool: 'make_plan', status: 'pending', input: reusedPlan });
    expect(call?.requests?.[0]).toMatchObject({
      kind: 'approval',
      rules: {
        reason:
          'A plan of chain earlier worked before, for the goal "Find out what was due" (similarity 0.83). Reuse it?',
      },
    });
  });

  it('is the plan of the chain once it is approved', () => {
    const play = playWaiting();
    play.take(decides('1.1', { kind: 'approve' }));
    expect(statusesOf(play)).toBe('a pending, b pending');
    expect(play.state.plan?.source).toBe('reused');
    expect(play.chain.steps[0]?.calls[0]).toMatchObject({ status: 'ok', observation: 'Plan created.' });
    expect(play.chain.notices.at(-1)?.text).toContain('It is reused: 2 tasks, a, b.');
    expect(lastGuide(play)).toContain('- a: Do a.\n- b: Do b.\nAvailable tasks:');
    expect(kinds(play.actions)).toEqual(['callModel']);
  });

  it('is replaced by a plan of the model when it is denied', () => {
    const play = playWaiting();
    play.take(decides('1.1', { kind: 'deny' }, { reason: 'It forgets the rent' }));
    expect(play.state.plan).toBeNull();
    expect(play.chain.steps[0]?.calls[0]).toMatchObject({ status: 'denied' });
    expect(kinds(play.actions)).toEqual(['callModel']);
    expect(JSON.stringify(renderRequest(play.chain, agent, 'step').messages)).toContain(
      'A plan of an earlier chain: Denied by ana: It forgets the rent.',
    );
    replyWithCalls(play, makes('c'));
    expect(statusesOf(play)).toBe('c pending');
    expect(play.state.plan?.source).toBe('model');
  });

  it('may be changed with its approval; without a readable task, the model makes one', () => {
    const play = playWaiting();
    play.take(decides('1.1', { kind: 'approve', input: { ...reusedPlan, tasks: [task('c')] } as unknown as Json }));
    expect(statusesOf(play)).toBe('c pending');
    const other = playWaiting();
    other.take(decides('1.1', { kind: 'approve', input: { tasks: [] } }));
    expect(other.state.plan).toBeNull();
    expect(kinds(other.actions)).toEqual(['callModel']);
  });

  it('is not made when the chain is cancelled', () => {
    const play = playWaiting();
    play.cancelledBy('ada');
    expect(play.state.stop?.outcome).toBe('cancelled');
    expect(play.state.plan).toBeNull();
    expect(play.chain.steps[0]?.calls[0]?.status).not.toBe('pending');
  });

  it('is hidden from viewers who may not read thoughts', () => {
    const { chain } = playWaiting();
    const text = JSON.stringify(view(buildReasoning(chain), createViewer('end_user')));
    expect(text).not.toContain('Find out what was due');
    expect(JSON.stringify(view(buildReasoning(chain), createViewer('developer')))).toContain('Find out what was due');
  });

  it('folds to the same chain from its record', () => {
    const play = playWaiting();
    play.take(decides('1.1', { kind: 'approve' }));
    expect(foldRecordedTurns(play.turns).chain.state.head).toBe(play.state.head);
  });
});
