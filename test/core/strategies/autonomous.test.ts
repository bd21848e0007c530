/** The strategy `autonomous`: the finish tool called alone, with others, with invalid arguments, or never. */

import { describe, expect, it } from 'vitest';
import { createFinishSchema } from '../../../src/core/engine/state/control-tools.js';
import type { Json } from '../../../src/core/lib/json.js';
import type { ReplyBlock, ReplyStopReason } from '../../../src/core/model/model.js';
import { autonomous } from '../../../src/core/strategies/autonomous.js';
import { autonomousDefaults } from '../../../src/core/strategies/strategy.js';
import { findConversationFault } from '../../support/conversation-rules.js';
import { answers, autonomousAgent, rawReply, readBy, text, thinks, use } from '../../support/core-builders.js';
import { type Play, prepared } from '../../support/core-play.js';

const agent = autonomousAgent();
const own = autonomousAgent({
  strategy: {
    ...autonomousDefaults,
    finishToolName: 'complete_research',
    finishToolDescription: 'Hand in the timeline.',
  },
  outputSchema: {
    type: 'object',
    properties: { years: { type: 'array', items: { type: 'integer' } } },
    required: ['years'],
  },
});

/** Validates like a worker: the finish tool takes one text. */
const judge = (name: string, input: Json): string | null =>
  name === 'finish' && typeof (input as { result?: Json }).result !== 'string' ? 'result: a text is required' : null;

const replies = (play: Play, content: readonly ReplyBlock[], stopReason: ReplyStopReason = 'tool_use') =>
  play.replied(readBy(play.state.agent ?? agent, rawReply(content, stopReason), judge));

describe('the finish tool', () => {
  it('is one of the tools of the request, with its configured name, description and schema', () => {
    const names = (some = agent) => autonomous.render(prepared(some).chain, some).tools;
    expect(names().at(-1)).toEqual({
      name: 'finish',
      description: autonomousDefaults.finishToolDescription,
      inputSchema: createFinishSchema(),
    });
    expect(names(own).at(-1)).toMatchObject({ name: 'complete_research', description: 'Hand in the timeline.' });
    expect(autonomous.render(prepared(own).chain, own).system).toContain('`complete_research`');
  });

  it('has another name, and the chain another limit, where the agent sets them', () => {
    const researcher = autonomousAgent({ strategy: own.strategy, limits: { steps: 2 } });
    const play = prepared(researcher);
    for (const step of [1, 2]) {
      replies(play, [use(`u${step}`, 'look', { step })]);
      play.returned(`${step}.1`, `news ${step}`);
    }
    expect(play.modelCall.purpose).toBe('closing');
    play.replied(answers('Half a timeline.'));
    expect(play.result).toMatchObject({
      outcome: 'max_iterations',
      steps: 2,
      partial: 'Half a timeline.',
      reason: expect.stringContaining('"complete_research"'),
    });
    const finished = prepared(researcher);
    replies(finished, [use('u1', 'complete_research', { result: 'A timeline.' })]);
    expect(finished.result).toMatchObject({ outcome: 'success', answer: 'A timeline.', steps: 1 });
  });

  it('ends the chain with its result when called alone', () => {
    const play = prepared(agent);
    replies(play, [thinks('Done.'), use('u1', 'finish', { result: 'All is paid.' })]);
    expect(play.result).toMatchObject({ outcome: 'success', answer: 'All is paid.', steps: 1 });
    expect(play.ran).toEqual([]);
  });

  it('ends the chain as a failure when the model sets success to false, with its reason and its findings', () => {
    const play = prepared(agent);
    const input = { result: 'Two of three are paid.', success: false, reason: 'The bank is closed.' };
    replies(play, [use('u1', 'finish', input)]);
    expect(play.result).toMatchObject({
      outcome: 'failure',
      success: false,
      answer: null,
      partial: 'Two of three are paid.',
      reasonCode: 'task_failed',
      reason: 'The model could not complete the task: The bank is closed.',
    });
    expect(play.step.answer).toBeNull();
  });

  it('is a visible call with its arguments', () => {
    const play = prepared(agent);
    replies(play, [use('u1', 'finish', { result: 'All is paid.', success: true })]);
    expect(play.step.calls).toMatchObject([
      { tool: 'finish', input: { result: 'All is paid.', success: true }, status: 'ok', observation: 'Received.' },
    ]);
  });

  it('returns a value of the output schema of the agent', () => {
    const play = prepared(own);
    replies(play, [use('u1', 'complete_research', { result: { years: [1943, 1958] } })]);
    expect(play.result.answer).toEqual({ years: [1943, 1958] });
  });

  it('ends the chain when called with others, which are recorded as not run', () => {
    const play = prepared(agent);
    replies(play, [use('u1', 'pay', {}), use('u2', 'finish', { result: 'Done.' }), use('u3', 'look', {})]);
    expect(play.result).toMatchObject({ outcome: 'success', answer: 'Done.' });
    expect(play.ran).toEqual([]);
    expect(play.step.calls).toMatchObject([
      { tool: 'pay', status: 'not_run', observation: 'Not run: the chain ended first.' },
      { tool: 'finish', status: 'ok' },
      { tool: 'look', status: 'not_run' },
    ]);
    const { messages } = autonomous.render(play.chain, agent);
    expect(messages.at(-1)?.content.map((block) => 'tool_use_id' in block && block.tool_use_id)).toEqual([
      'u1',
      'u2',
      'u3',
    ]);
    expect(findConversationFault(messages as unknown as Json)).toBeNull();
  });

  it('is an error for the model when called with invalid arguments, and the others run', () => {
    const play = prepared(agent);
    replies(play, [use('u1', 'finish', { answer: 42 }), use('u2', 'look', {})]);
    expect(play.statuses).toEqual(['error', 'pending']);
    expect(play.step.calls[0]?.observation).toBe('result: a text is required');
    expect(play.ran).toEqual(['1.2']);
    play.returned('1.2');
    expect(play.modelCall.call).toBe('model-2');
    expect(findConversationFault(autonomous.render(play.chain, agent).messages as unknown as Json)).toBeNull();
  });

  it('can be called again after invalid arguments', () => {
    const play = prepared(agent);
    replies(play, [use('u1', 'finish', {})]);
    expect(play.state).toMatchObject({ unreadableReplies: 0, stop: null });
    replies(play, [use('u2', 'finish', { result: 'Now.' })]);
    expect(play.result).toMatchObject({ outcome: 'success', answer: 'Now.', steps: 2 });
  });

  it('ends with the first valid call when called twice', () => {
    const play = prepared(agent);
    replies(play, [
      use('u1', 'finish', {}),
      use('u2', 'finish', { result: 'a' }),
      use('u3', 'finish', { result: 'b' }),
    ]);
    expect(play.result.answer).toBe('a');
  });

  it('does not end the chain when cut off by the output limit', () => {
    const play = prepared(agent);
    replies(play, [use('u1', 'finish', { result: 'All is p' })], 'max_tokens');
    expect(play.state.stop).toBeNull();
    expect(play.step.problem).toContain('cut off');
  });
});

describe('a chain', () => {
  it('ends with a reply without calls, whose text is the answer', () => {
    const play = prepared(agent);
    replies(play, [thinks('Hm.'), text('All is paid.')], 'end_turn');
    expect(play.result).toMatchObject({ outcome: 'success', answer: 'All is paid.' });
  });

  it('does not end with an empty reply', () => {
    const play = prepared(agent);
    replies(play, [], 'end_turn');
    expect(play.step.problem).toContain('empty');
    expect(play.modelCall.call).toBe('model-2');
  });

  it('that reaches its limit reports that the finish tool was not called', () => {
    const play = prepared(autonomousAgent({ strategy: own.strategy, limits: { steps: 1 } }));
    replies(play, [use('u1', 'look', {})]);
    play.returned('1.1');
    expect(play.state.stop?.reason).toMatchObject({
      code: 'max_steps',
      rest: expect.stringContaining('"complete_research"'),
    });
  });
});
