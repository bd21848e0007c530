/** A reply that could not be parsed is shown whole, to those who may read all that it can be. */

import { describe, expect, it } from 'vitest';
import { formatItemLines } from '../../../src/core/view/print/item-lines.js';
import type { ThinkingStep } from '../../../src/core/view/reasoning.js';
import { createViewer, type Reasoning, type VisibilityConfig, view } from '../../../src/entries/view.js';
import { reasoningWith, someTools, thought } from '../../support/some-reasoning.js';

const key = `ghp_${'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'}`;
const written = `Thought: I look.\nAction: weather\nAction Input: {"city": ${key}\nObservation: sun`;
const unreadable: ThinkingStep = {
  ...thought(1, 'I look.'),
  problem: 'Invalid Action Input for weather.',
  reply: [{ type: 'text', text: written }],
};
const chain: Reasoning = reasoningWith([unreadable], { tools: { weather: {} } });

function findReply(role: string, config: VisibilityConfig = {}, of: Reasoning = chain) {
  const [step] = view(of, createViewer(role), config).steps;
  return (step as ThinkingStep).reply;
}

describe('a reply that could not be parsed', () => {
  const masked = written.replace(key, '[redacted:api-key]');

  it('is whole in the step of a developer, masked, and of an auditor, as it arrived', () => {
    expect(findReply('developer')).toEqual([{ type: 'text', text: masked }]);
    expect(findReply('auditor')).toEqual(unreadable.reply);
  });

  it('is not in the step of an end user, even where the role sees every step in full', () => {
    expect(findReply('end_user', { roles: { end_user: 'full' } })).toBeUndefined();
  });

  it('is not in the step of a developer who may not see a part that it can have', () => {
    expect(findReply('developer', { required: [{ atMost: 'summary', step: 'tool_call' }] })).toBeUndefined();
    expect(findReply('developer', { tools: { weather: { sensitive: ['city'] } } })).toBeUndefined();
    expect(findReply('developer', {}, reasoningWith([unreadable], { tools: someTools }))).toBeUndefined();
  });

  it('is printed whole with the step, and not with the tree', () => {
    const seen = view(chain, createViewer('developer'));
    const contents = (detail: 'full' | 'short') =>
      seen.steps.flatMap((step) => formatItemLines(step, detail, seen)).map(({ content }) => content);
    expect(contents('full')).toEqual(['', 'I look.', 'Invalid Action Input for weather.', masked]);
    expect(contents('short')).toEqual(['', 'I look.', 'Invalid Action Input for weather.']);
  });
});
