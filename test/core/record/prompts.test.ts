/** Prompts rebuilt from chains, and compared with the digests in replies. */

import { describe, expect, it } from 'vitest';
import { findTurnPrefix, foldRecordedTurns, toOrigin } from '../../../src/core/engine/fold-turns.js';
import { computeDigest } from '../../../src/core/lib/digest.js';
import { toCanonicalJson } from '../../../src/core/lib/json.js';
import type { Prompt } from '../../../src/core/model/prompt.js';
import { findPrompt, verifyPrompts } from '../../../src/core/record/prompts.js';
import { renderRequest } from '../../../src/core/strategies/strategies.js';
import {
  agentOf,
  answers,
  asks,
  look,
  modelFailure,
  rawReply,
  readBy,
  replyOf,
  someInput,
  use,
} from '../../support/core-builders.js';
import { planAgent, tasksOf } from '../../support/core-plans.js';
import { type Play, prepared, started } from '../../support/core-play.js';

const digestOf = (play: Play, purpose: 'step' | 'closing' = 'step') => {
  const { agent } = play.state;
  return agent === null ? '' : computeDigest(toCanonicalJson(renderRequest(play.chain, agent, purpose)));
};

const textOf = (prompt: Prompt | null) => (prompt?.kind === 'sent' ? JSON.stringify(prompt.request.messages) : '');

describe('the prompt of a model call', () => {
  it('of the first steps of a fork is that of the chain that made the call', () => {
    const origin = prepared();
    origin.replied({ ...asks(look()), request: digestOf(prepared()) });
    origin.returned('1.1');
    const turns = foldRecordedTurns(origin.turns).turns;
    const cut = findTurnPrefix(turns, 1);
    if (cut === null) throw new Error('The step is not complete.');
    const fork = started({ ...someInput, origin: toOrigin({ chainId: 'chain-0', runId: 'run-0' }, cut, 1, null) });
    fork.take({ type: 'prepared', agent: agentOf() });
    fork.replied({ ...answers('Done.'), request: digestOf(fork) });
    expect(findPrompt(fork.turns, 1, computeDigest)).toMatchObject({
      call: 'model-1',
      proof: 'proven',
      request: { messages: [{ role: 'user' }] },
    });
    expect(findPrompt(fork.turns, 2, computeDigest)).toMatchObject({ call: 'model-2', proof: 'proven' });
    expect(verifyPrompts(fork.turns, computeDigest)).toEqual({ proven: 1, differing: [] });
  });

  it('is shown as differing where another version of Longhand rendered it', () => {
    const play = prepared();
    play.replied(answers('Done.'));
    const rebuilt = digestOf(prepared());
    expect(findPrompt(play.turns, 1, computeDigest)).toMatchObject({
      proof: 'differs',
      digests: { sent: '0'.repeat(64), rebuilt },
    });
    expect(verifyPrompts(play.turns, computeDigest)).toEqual({ proven: 0, differing: ['model-1'] });
  });

  it('is that of the attempt that succeeded for a step, and unproven for an attempt that failed', () => {
    const play = prepared();
    play.failed(modelFailure('overloaded'));
    play.fired('retry');
    play.replied({ ...answers('Done.'), request: digestOf(play) });
    expect(findPrompt(play.turns, 1, computeDigest)).toMatchObject({ call: 'model-2', step: 1, proof: 'proven' });
    expect(findPrompt(play.turns, 'model-1', computeDigest)).toMatchObject({
      step: 1,
      proof: 'unproven',
      failure: 'overloaded',
    });
  });

  it('contains the observations before the call, and names the provider and the model', () => {
    const play = prepared();
    play.replied(readBy(agentOf(), rawReply([use('use_1', 'look')], 'tool_use')));
    play.returned('1.1', 'It is due.');
    play.replied(replyOf({ answer: 'Due.' }, { provider: 'gateway.example', request: digestOf(play) }));
    const prompt = findPrompt(play.turns, 2, computeDigest);
    expect(prompt).toMatchObject({ proof: 'proven', provider: 'gateway.example', model: 'some-model' });
    expect(textOf(findPrompt(play.turns, 1, computeDigest))).not.toContain('It is due.');
    expect(textOf(prompt)).toContain('It is due.');
  });

  it('is missing for a plan that was reused, and rebuilt for the call after it', () => {
    const play = started();
    play.take({ type: 'prepared', agent: planAgent({ reuse: 'v1' }) });
    play.replied({ ...replyOf({}, { provider: null, request: null }), reusedPlan: tasksOf('a: Look') as never });
    play.replied({ ...answers('Done.'), request: digestOf(play) });
    expect(findPrompt(play.turns, 'model-1', computeDigest)).toMatchObject({ kind: 'missing', reason: 'plan_reused' });
    expect(findPrompt(play.turns, 'model-2', computeDigest)).toMatchObject({ kind: 'sent', proof: 'proven' });
  });

  it('does not exist for a step or a call that the chain did not make', () => {
    const play = prepared();
    expect(findPrompt(play.turns, 1, computeDigest)).toBeNull();
    expect(findPrompt(play.turns, 'model-9', computeDigest)).toBeNull();
  });
});
