/** A finished chain as an example for a `react` agent. */

import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { buildReasoning, emptyReasoningContext } from '../../../src/core/view/build-reasoning.js';
import { createViewer, toExample, type VisibilityConfig, view } from '../../../src/entries/view.js';
import { defineAgent, defineTool } from '../../../src/index.js';
import { answers, asks, look, poll, toolFailure, unreadable } from '../../support/core-builders.js';
import { type Play, prepared } from '../../support/core-play.js';
import { matchError } from '../../support/match-error.js';

function playChain(): Play {
  const play = prepared();
  play.replied(withThought('I look at the bill and the account.', asks(look({ at: 'bill' }), poll({ at: 'account' }))));
  play.returned('1.1', { due: 40 });
  play.returned('1.2', 'There are 90 dollars.');
  play.replied(unreadable());
  play.replied(withThought('Is there a second bill?', asks(look({ at: 'drawer' }))));
  play.broke('3.1', toolFailure('ToolError', 'The drawer is locked.'));
  return play;
}

function withThought(thought: string, reply: ReturnType<typeof asks>) {
  return { ...reply, reading: { ...reply.reading, thought } };
}

const viewOf = (play: Play, role = 'developer', config: VisibilityConfig = {}) => {
  const result = play.state.stop === null ? null : play.result;
  return view(buildReasoning(play.chain, { ...emptyReasoningContext, result }), createViewer(role), config);
};

describe('an example from a chain', () => {
  const play = playChain();
  play.replied(withThought('90 is enough for 40.', answers('The bill can be paid.')));

  it('has its task, the calls with a result, and its answer', () => {
    expect(toExample(viewOf(play))).toEqual({
      task: 'Find out what is due, and pay it.',
      steps: [
        {
          thought: 'I look at the bill and the account.',
          action: 'look',
          input: { at: 'bill' },
          observation: { due: 40 },
        },
        {
          thought: 'I look at the bill and the account.',
          action: 'poll',
          input: { at: 'account' },
          observation: 'There are 90 dollars.',
        },
      ],
      thought: '90 is enough for 40.',
      answer: 'The bill can be paid.',
    });
  });

  it('can be used in the definition of an agent', () => {
    const inputSchema = z.object({ at: z.string() });
    const [see, ask] = ['look', 'poll'].map((name) =>
      defineTool({ name, description: 'Looks', inputSchema, effects: 'read', execute: () => '' }),
    );
    const strategy = { name: 'react', examples: [toExample(viewOf(play))] } as const;
    const agent = defineAgent({ name: 'clerk', model: 'some-model', strategy, tools: [see!, ask!] });
    expect(agent.strategy).toMatchObject({ examples: [{ answer: 'The bill can be paid.' }] });
  });

  it('shows no more than its viewer may see (L8)', () => {
    expect(() => toExample(viewOf(play, 'end_user'))).toThrow(matchError('not_visible', 'does not see 1'));
    const hidden: VisibilityConfig = { required: [{ tool: 'look', atMost: 'hidden' }] };
    expect(() => toExample(viewOf(play, 'developer', hidden))).toThrow(matchError('not_visible', 'does not see 1.1'));
  });

  it('needs a chain that ended as success', () => {
    expect(() => toExample(viewOf(playChain()))).toThrow(matchError('invalid_options', 'has no answer (thinking)'));
  });
});
