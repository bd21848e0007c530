/** A recorded reply is parsed again, and keeps the recorded decisions about its calls. */

import { expect, it } from 'vitest';
import { createRequestRules } from '../../../src/core/engine/state/request-rules.js';
import { reparse } from '../../../src/core/strategies/reparse.js';
import { agentOf, replyOf } from '../../support/core-builders.js';

const rules = (reason: string) => createRequestRules({ reason, risk: 'high' });
const use = (id: string, name: string, cents: number) => ({ type: 'tool_use', id, name, input: { cents } }) as const;
const content = [use('a', 'look', 1), use('b', 'pay', 5), use('c', 'pay', 5), use('d', 'pay', 7)];
const agent = agentOf();

it('the approval rules of a call move with it if other calls are parsed now', () => {
  const calls = [
    { use: 3, rejected: null },
    { use: 1, rejected: null },
  ];
  const reply = replyOf({ content, calls }, { approvals: [rules('Seven.'), rules('Five.')] });
  const { reply: now, difference } = reparse(reply, agent);
  expect(difference).not.toBeNull();
  expect(now.approvals?.map((each) => each?.reason ?? null)).toEqual([null, 'Five.', 'Five.', 'Seven.']);
});

it('equal calls keep their own approval rules', () => {
  const calls = content.map((_, at) => ({ use: at, rejected: null }));
  const approvals = [null, null, rules('Twice.'), rules('Seven.')];
  const reply = replyOf({ content, calls, thought: 'It is due.' }, { approvals });
  const { reply: now, difference } = reparse(reply, agent);
  expect(difference).not.toBeNull();
  expect(now.approvals).toEqual(approvals);
});

it('a reply with the same reading is unchanged', () => {
  const calls = content.map((_, at) => ({ use: at, rejected: null }));
  const reply = replyOf({ content, calls }, { approvals: [null, rules('Five.'), null, null] });
  expect(reparse(reply, agent)).toEqual({ reply, difference: null });
});
