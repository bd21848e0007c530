/** The strategy `plan` with `requireThought`. */

import { expect, it } from 'vitest';
import { defineAgent } from '../../../src/agents/define-agent.js';
import { getStrategy, renderRequest } from '../../../src/core/strategies/strategies.js';
import { anything, rawReply, text, thinks, use } from '../../support/core-builders.js';
import { planAgent } from '../../support/core-plans.js';
import { prepared } from '../../support/core-play.js';

it('a step of a plan has a thought where it is required: a reply without one is corrected', () => {
  const agent = planAgent({ requireThought: true });
  const calls = [use('u1', 'look', {})];
  const read = (...content: Parameters<typeof rawReply>[0]) =>
    getStrategy(agent.strategy).parse(rawReply(content, 'tool_use'), agent, anything);
  expect(read(...calls).problem).toContain('Your reply has no thought.');
  expect(read(text(' '), ...calls).problem).toContain('Your reply has no thought.');
  expect(read(text('I look first.'), ...calls)).toMatchObject({ problem: null, thought: 'I look first.' });
  expect(read(thinks('I look first.'), ...calls).problem).toBeNull();
  expect(read(text('Done.')).problem ?? '').not.toContain('thought');
  const plain = planAgent();
  expect(getStrategy(plain.strategy).parse(rawReply(calls, 'tool_use'), plain, anything).problem).toBeNull();
  // The rule is in the prompt of every plan.
  const { system } = renderRequest(prepared(agent).chain, agent, 'step');
  expect(system).toContain('Before each call, state in one sentence what you are about to do.');
  const define = (requireThought: unknown) => () =>
    defineAgent({ name: 'a', model: 'm', strategy: { name: 'plan', requireThought } as never });
  expect(define(true)).not.toThrow();
  expect(define('yes')).toThrow('strategy.requireThought must be true or false');
});
