/** The start of a sub-chain when people send messages or cancel while one activity prepares the agent and calls the model. */

import { describe, expect, it } from 'vitest';
import { decideFirstCall } from '../../../src/core/engine/first-call.js';
import type { Chain } from '../../../src/core/model/chain.js';
import { renderRequest } from '../../../src/core/strategies/index.js';
import { agentOf, answers, modelFailure, someInput } from '../../support/core-builders.js';
import { lineage } from '../../support/core-delegation.js';
import { steers } from '../../support/core-people.js';
import { kinds, Play, started } from '../../support/core-play.js';

const agent = agentOf();
const input = { ...someInput, lineage: lineage() };

/** The result of the activity, from the chain at the time when the call started. */
function beginSubChain(play: Play, then: Chain, answer: string): void {
  const { call } = decideFirstCall(then, agent);
  if (call === null) throw new Error('No model call was decided.');
  const came = { status: 'replied', reply: answers(answer) } as const;
  play.take({
    type: 'subChainPrepared',
    call: 'model-1',
    agent,
    first: { reservation: call.reservation, result: came },
  });
}

const askedNext = ({ chain }: { readonly chain: Chain }) =>
  renderRequest(chain, agent, 'step').messages.map(({ role, content }) => [
    role,
    content.map((block) => (block.type === 'text' ? block.text : block.type)).join(' | '),
  ]);

describe('a starting sub-chain', () => {
  it('calls the model again if a message arrives during the first model call', () => {
    const play = started(input);
    const then = play.chain;
    play.take(steers('Mind the gap.'));
    beginSubChain(play, then, 'Done.');
    expect(kinds(play.actions)).toContain('callModel');
    expect(askedNext(play)).toEqual([
      ['user', input.task],
      ['assistant', 'Done.'],
      ['user', expect.stringContaining('Mind the gap.')],
    ]);
  });

  it('includes an earlier message in the first request, and the answer ends the chain', () => {
    const play = new Play();
    play.take({ type: 'started', chainId: 'chain-1', input }, steers('Mind the gap.'));
    const then = play.chain;
    expect(askedNext(decideFirstCall(then, agent))).toEqual([['user', expect.stringContaining('Mind the gap.')]]);
    beginSubChain(play, then, 'Done.');
    expect(play.result).toMatchObject({ outcome: 'success', answer: 'Done.' });
  });

  it.each(['lost', 'not_called', 'connection'] as const)(
    'prepares its agent alone after a first call that failed as %s, and then calls the model',
    (kind) => {
      const play = started(input);
      play.failed(modelFailure(kind));
      play.after(1_000).fired('retry');
      expect(kinds(play.actions)).toEqual(['prepare']);
      play.take({ type: 'prepared', agent });
      expect(play.modelCall).toMatchObject({ call: 'model-2', purpose: 'step' });
    },
  );

  it('ends without a summary when cancelled before its agent is known', () => {
    const play = started(input);
    play.take({ type: 'cancelRequested', id: 'request-1', by: 'ann', reason: null, summarize: true });
    play.cancelledByTemporal();
    play.failed(modelFailure('lost', { settle: 'reservation' }));
    expect(play.result).toMatchObject({ outcome: 'cancelled', partial: null });
  });
});
