/** A reply that could not be parsed is recorded whole. */

import { expect, it } from 'vitest';
import type { Reply } from '../../../src/core/model/model.js';
import { expandReading } from '../../../src/core/model/reading.js';
import { noUsage } from '../../../src/core/model/usage.js';
import { compactReading } from '../../../src/core/strategies/compact-reading.js';
import { getStrategy } from '../../../src/core/strategies/strategies.js';
import { sampleAgent, sampleTool } from './sample-chain.js';

const agent = sampleAgent([sampleTool('search', {})]);
const text = 'Thought: I look.\nAction: search\nAction Input: {"city": \nObservation: sun';

function parse(...content: Reply['content']) {
  const reply = { model: 'claude', stopReason: 'end_turn', content, usage: noUsage } as const;
  return getStrategy(agent.strategy).parse(reply, agent, () => null);
}

it('a reply that could not be parsed keeps what the conversation leaves out', () => {
  const reading = parse({ type: 'thinking', thinking: 'Hm.', signature: '' }, { type: 'text', text });
  expect(reading.problem).not.toBeNull();
  expect(reading.content).not.toContainEqual({ type: 'text', text });
  expect(expandReading(compactReading(reading)).received).toEqual([
    { type: 'thinking', thinking: 'Hm.', signature: '' },
    { type: 'text', text },
  ]);
});

it('a reply is recorded once where it was parsed, or where the conversation has all of it', () => {
  expect(parse({ type: 'text', text: 'Thought: I know.\nFinal Answer: 3\nObservation: sun' })).not.toHaveProperty(
    'received',
  );
  const whole = parse({ type: 'text', text: 'Thought: I look.\nAction: search\nAction Input: {"city":' });
  expect(whole.problem).not.toBeNull();
  expect(whole).not.toHaveProperty('received');
});
