/** L7: a reply costs linear time, also one that is written to be slow to read, and so does its quoted form. */

import { expect, it } from 'vitest';
import type { StrategyOptions } from '../../../src/core/model/agent.js';
import type { ReplyBlock } from '../../../src/core/model/model.js';
import { noUsage } from '../../../src/core/model/usage.js';
import { compactReading } from '../../../src/core/strategies/compact-reading.js';
import { getStrategy } from '../../../src/core/strategies/strategies.js';
import { reactDefaults, toolsDefaults } from '../../../src/core/strategies/strategy.js';
import { agentOf } from '../../support/core-builders.js';
import { growth } from '../../support/cpu-cost.js';

const multiple = { ...reactDefaults, multipleActions: true, requireThought: false };
const answer = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };

function parse(strategy: StrategyOptions, content: readonly ReplyBlock[], outputSchema?: typeof answer): unknown {
  const agent = agentOf({ strategy, ...(outputSchema === undefined ? {} : { outputSchema }) });
  const reply = { model: 'm', usage: noUsage, stopReason: 'end_turn', content } as const;
  return compactReading(getStrategy(strategy).parse(reply, agent, () => null));
}

const text = (written: string): readonly ReplyBlock[] => [{ type: 'text', text: written }];

/** Four times the length may cost four times the time. Quadratic would be sixteen. */
const allowed = 9;

it.each([
  ['actions', 'Action: look\n'],
  ['code fences', '```\nThought: a\n```\n'],
  ['actions in code fences', '```\nAction: look\n```\n'],
  ['opening quotation marks', '“'],
  ['quotation marks of both kinds', '“"Action: "'],
])('a ReAct reply of many %s is linear', (_, part) => {
  const reply = (length: number) => parse(multiple, text(part.repeat(length / part.length)));
  expect(
    growth(
      allowed,
      () => reply(60_000),
      () => reply(240_000),
    ),
  ).toBeLessThan(allowed);
});

it('an answer of blanks and labels is linear', () => {
  const reply = (length: number) =>
    parse(multiple, text(`Final Answer: ${' '.repeat(length)}${'Thought: '.repeat(length / 9)}`));
  expect(
    growth(
      allowed,
      () => reply(60_000),
      () => reply(240_000),
    ),
  ).toBeLessThan(allowed);
});

/** Objects that end inside a text, so that each of them is read to the end of the reply. */
const unreadable = `{"a": 'b `;

it('values of many calls are quoted in linear time, after unreadable ones', () => {
  const call = `\nAction: look\nAction Input: {"query": "${'x'.repeat(400)}"}`;
  const reply = (objects: number) => parse(multiple, text(`Thought: ${unreadable.repeat(objects)}${call.repeat(200)}`));
  expect(
    growth(
      allowed,
      () => reply(1),
      () => reply(90),
    ),
  ).toBeLessThan(allowed);
});

it('calls with the same id are quoted in linear time', () => {
  const reply = (calls: number) =>
    parse(
      toolsDefaults,
      Array.from({ length: calls }, (_, at) => ({
        ...{ type: 'tool_use', id: 'same', name: 'look' },
        input: Object.fromEntries(Array.from({ length: 200 }, (_, member) => [`${member}`, `a value of call ${at}`])),
      })),
    );
  expect(
    growth(
      allowed,
      () => reply(50),
      () => reply(200),
    ),
  ).toBeLessThan(allowed);
});

it('an answer with a schema is found in linear time, before unreadable values', () => {
  const reply = (objects: number) =>
    parse(toolsDefaults, text(`{"a": "b"} ${unreadable.repeat(objects)}${'c'.repeat(400_000)}`), answer);
  expect(
    growth(
      allowed,
      () => reply(1),
      () => reply(90),
    ),
  ).toBeLessThan(allowed);
});

it('the calls of a reply with too many are not validated', () => {
  let validated = 0;
  const content = Array.from({ length: 201 }, (_, at) => ({
    ...{ type: 'tool_use', id: `u${at}`, name: 'look' },
    input: {},
  })) as readonly ReplyBlock[];
  const reply = { model: 'm', usage: noUsage, stopReason: 'tool_use', content } as const;
  const { problem } = getStrategy(toolsDefaults).parse(reply, agentOf(), () => {
    validated += 1;
    return null;
  });
  expect(problem).toContain('has more than 200 calls');
  expect(validated).toBe(0);
});
