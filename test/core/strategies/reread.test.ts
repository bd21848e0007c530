/** A reply that is read once more: what was said of its calls then goes with them. */

import { expect, it } from 'vitest';
import { askRules } from '../../../src/core/state/ask-rules.js';
import { reread } from '../../../src/core/strategies/reread.js';
import { agentOf, replyOf } from '../../support/core-builders.js';

const rules = (reason: string) => askRules({ reason, risk: 'high' });
const use = (id: string, name: string, cents: number) => ({ type: 'tool_use', id, name, input: { cents } }) as const;
const content = [use('a', 'look', 1), use('b', 'pay', 5), use('c', 'pay', 5), use('d', 'pay', 7)];
const agent = agentOf();

it('by which rules a call needs approval goes with the call, where others are read beside it', () => {
  const calls = [
    { use: 3, rejected: null },
    { use: 1, rejected: null },
  ];
  const reply = replyOf({ content, calls }, { approvals: [rules('Seven.'), rules('Five.')] });
  const { reply: now, differs } = reread(reply, agent);
  expect(differs).not.toBeNull();
  expect(now.approvals?.map((each) => each?.reason ?? null)).toEqual([null, 'Five.', 'Five.', 'Seven.']);
});

it('of equal calls each keeps its own', () => {
  const calls = content.map((_, at) => ({ use: at, rejected: null }));
  const approvals = [null, null, rules('Twice.'), rules('Seven.')];
  const reply = replyOf({ content, calls, thought: 'Nobody said so.' }, { approvals });
  const { reply: now, differs } = reread(reply, agent);
  expect(differs).not.toBeNull();
  expect(now.approvals).toEqual(approvals);
});

it('a reply that reads the same is what it was', () => {
  const calls = content.map((_, at) => ({ use: at, rejected: null }));
  const reply = replyOf({ content, calls }, { approvals: [null, rules('Five.'), null, null] });
  expect(reread(reply, agent)).toEqual({ reply, differs: null });
});
