/** L7: a reply with tens of thousands of calls takes no longer than a workflow task may. */

import { expect, it } from 'vitest';
import { toActivityFact } from '../../../src/contract/facts.js';
import type { Reply } from '../../../src/core/model/model.js';
import { noUsage } from '../../../src/core/model/usage.js';
import { getStrategy } from '../../../src/core/strategies/strategies.js';
import { reactDefaults, toolsDefaults } from '../../../src/core/strategies/strategy.js';
import { createSnippetMasker } from '../../../src/core/view/snippet-masker.js';
import { agentOf, asks, look, readBy } from '../../support/core-builders.js';
import { prepared } from '../../support/core-play.js';
import { cpuOnce } from '../../support/cpu-cost.js';

const uses = (calls: number): Reply => ({
  ...{ model: 'm', stopReason: 'tool_use', usage: noUsage },
  content: Array.from({ length: calls }, (_, at) => ({ type: 'tool_use', id: `u${at}`, name: 'look', input: { at } })),
});

it('a reply with 10,000 calls is a problem, and none of them is executed', () => {
  const play = prepared(agentOf());
  const reply = readBy(agentOf(), uses(10_000));
  expect(reply.reading.calls).toEqual([]);
  expect(reply.reading.problem).toContain('has more than 200 calls');
  expect(toActivityFact('model-1', 1, { ok: true, value: { status: 'replied', reply } }).type).toBe('modelReplied');
  play.replied(reply);
  expect(play.state.unreadableReplies).toBe(1);
  const steps = play.chain.steps;
  expect(cpuOnce(() => createSnippetMasker().beginStep(agentOf().tools, steps[0]?.calls ?? []))).toBeLessThan(1_000);
});

it('a reply with 500 calls in text is the same problem', () => {
  const strategy = { ...reactDefaults, multipleActions: true, requireThought: false };
  const text = Array.from({ length: 500 }, (_, at) => `Action: look\nAction Input: {"at":${at}}`).join('\n');
  const reply: Reply = { ...uses(0), stopReason: 'end_turn', content: [{ type: 'text', text }] };
  const { calls, problem } = getStrategy(strategy).parse(reply, agentOf({ strategy }), () => null);
  expect(calls).toEqual([]);
  expect(problem).toContain('has more than 200 calls');
});

it('a forged reply with 201 calls is an invalid result', () => {
  const reply = asks(...Array.from({ length: 201 }, () => look()));
  const fact = toActivityFact('model-1', 1, { ok: true, value: { status: 'replied', reply } });
  expect(fact).toMatchObject({ type: 'modelFailed', failure: { kind: 'invalid_result' } });
});

it('a reply with 20 calls has all its calls', () => {
  const { calls } = getStrategy(toolsDefaults).parse(uses(20), agentOf(), () => null);
  expect(calls).toHaveLength(20);
});
