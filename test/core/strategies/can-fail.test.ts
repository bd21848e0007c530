/**
 * A model can end its chain as a failure, with the reason, where its agent permits it (`canFail`); without, each strategy stays
 * as it is. The model of these tests fails only in the form that its request explains.
 */

import { describe, expect, it } from 'vitest';
import type { AgentSnapshot, StrategyOptions } from '../../../src/core/model/agent.js';
import type { ReplyBlock } from '../../../src/core/model/model.js';
import { renderRequest } from '../../../src/core/strategies/strategies.js';
import { autonomousDefaults, reactDefaults, toolsDefaults } from '../../../src/core/strategies/strategy.js';
import { agentOf, rawReply, readBy, text, thinks, use } from '../../support/core-builders.js';
import { type Play, prepared } from '../../support/core-play.js';

const reason = 'There is no such account.';

/** Fails as its request explains it, or invents an answer. */
function reply(play: Play): readonly ReplyBlock[] {
  const { system, tools } = renderRequest(play.chain, play.state.agent as AgentSnapshot, 'step');
  if (tools.some(({ name }) => name === 'cannot_complete') && system.includes('`cannot_complete`')) {
    return [text('I looked everywhere.'), use('u1', 'cannot_complete', { reason })];
  }
  if (system.includes('Cannot Complete: <the reason>')) {
    return [text(`Thought: I looked everywhere, and it does not exist.\nCannot Complete: ${reason}`)];
  }
  return tools.some(({ name }) => name === 'finish')
    ? [use('u1', 'finish', { result: 'Probably 12 euros.' })]
    : [text('Final Answer: Probably 12 euros.')];
}

function run(strategy: StrategyOptions): Play {
  const agent = agentOf({ strategy });
  const play = prepared(agent);
  play.replied(readBy(agent, rawReply(reply(play))));
  return play;
}

describe.each([toolsDefaults, autonomousDefaults, reactDefaults])('with the strategy $name', (strategy) => {
  it('a model that cannot complete the task ends the chain as a failure, with its reason', () => {
    const { result, step } = run({ ...strategy, canFail: true });
    expect(result).toMatchObject({
      outcome: 'failure',
      success: false,
      answer: null,
      reason: `The model could not complete the task: ${reason}`,
    });
    expect(step.thought).toContain('I looked everywhere');
  });

  it('without the option, the same model invents an answer', () => {
    expect(run(strategy).result).toMatchObject({ outcome: 'success', answer: expect.stringContaining('Probably') });
    expect(run({ ...strategy, canFail: false }).result.outcome).toBe('success');
  });
});

describe('the tool cannot_complete', () => {
  const agent = agentOf({ strategy: { name: 'tools', canFail: true } });

  it('runs none of the other calls of its reply, which are recorded as not run', () => {
    const play = prepared(agent);
    play.replied(readBy(agent, rawReply([use('u1', 'pay'), use('u2', 'cannot_complete', { reason })], 'tool_use')));
    expect(play.ran).toEqual([]);
    expect(play.statuses).toEqual(['not_run', 'ok']);
    expect(play.result.outcome).toBe('failure');
  });

  it('does not end the chain where its arguments are invalid', () => {
    const play = prepared(agent);
    const noReason = () => 'reason: expected a text';
    play.replied(readBy(agent, rawReply([use('u1', 'cannot_complete', {})], 'tool_use'), noReason));
    expect(play.statuses).toEqual(['error']);
    expect(play.state.stop).toBeNull();
  });
});

describe('the label "Cannot Complete" of react', () => {
  const agent = agentOf({ strategy: { ...reactDefaults, canFail: true } });
  const read = (words: string, of = agent) => readBy(of, rawReply([text(words)])).reading;

  it.each([
    ['in bold', '**Cannot Complete:** The bank is closed.'],
    ['as a heading', '### Cannot Complete\nThe bank is closed.'],
    ['in other case', 'cannot complete: The bank is closed.'],
    ['as a member of an object', '{"thought": "It is closed today.", "cannot_complete": "The bank is closed."}'],
  ])('is read %s', (_, words) => {
    expect(read(words)).toMatchObject({ answer: null, calls: [], problem: null });
    expect(prepared(agent).replied(readBy(agent, rawReply([text(words)])))).toEqual([{ type: 'end' }]);
  });

  it('without a reason is a correction', () => {
    expect(read('Thought: It is closed today.\nCannot Complete:').problem).toContain('Cannot Complete');
  });

  it('after an action is made up: the action runs first', () => {
    const reading = read('Thought: I must look first.\nAction: look\nAction Input: {}\nCannot Complete: It is closed.');
    expect(reading).toMatchObject({ calls: [{ tool: 'look' }], problem: null });
    expect(reading.failure).toBeUndefined();
  });

  it('is text like any other without the option', () => {
    const plain = agentOf({ strategy: reactDefaults });
    expect(read('Final Answer: 12\nCannot Complete: the rest.', plain).answer).toBeDefined();
    expect(read('Cannot Complete: It is closed.', plain).problem).toContain('neither an action nor a final answer');
  });

  it('thinking outside of the text is the thought', () => {
    const play = prepared(agent);
    play.replied(readBy(agent, rawReply([thinks('It is closed today.'), text('Cannot Complete: It is closed.')])));
    expect(play.step.thought).toBe('It is closed today.');
    expect(play.result.outcome).toBe('failure');
  });
});
