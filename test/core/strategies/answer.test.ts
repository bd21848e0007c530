/** Answers of agents with an output schema: valid, repaired, corrected; in each strategy. */

import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { parseAnswerProblem, renderAnswerProblem } from '../../../src/core/engine/state/answer-problem.js';
import type { Json, JsonObject } from '../../../src/core/lib/json.js';
import type { AgentSnapshot, StrategyOptions } from '../../../src/core/model/agent.js';
import type { ReplyBlock, ReplyStopReason } from '../../../src/core/model/model.js';
import { expandReading, type Reading } from '../../../src/core/model/reading.js';
import { compactReading } from '../../../src/core/strategies/compact-reading.js';
import { reparse } from '../../../src/core/strategies/reparse.js';
import { getStrategy, renderClosingRequest } from '../../../src/core/strategies/strategies.js';
import {
  autonomousDefaults,
  planDefaults,
  reactDefaults,
  toolsDefaults,
} from '../../../src/core/strategies/strategy.js';
import { validateInput } from '../../../src/tools/define/tool-schema.js';
import { agentOf, rawReply, text, tool, use } from '../../support/core-builders.js';
import { type Play, prepared } from '../../support/core-play.js';

const schema = z.object({ city: z.string(), celsius: z.number(), note: z.string().optional() });
const outputSchema = z.toJSONSchema(schema, { io: 'input' }) as JsonObject;
const paris = { city: 'Paris', celsius: 12 };
const json = JSON.stringify(paris);

const agentWith = (strategy: StrategyOptions, more: Partial<AgentSnapshot> = {}): AgentSnapshot => ({
  ...agentOf({ strategy }),
  outputSchema,
  ...more,
});
const tools = agentWith(toolsDefaults);
const autonomous = agentWith(autonomousDefaults);
const plan = agentWith(planDefaults);
const react = agentWith(reactDefaults);

const validate = (answer: Json) => validateInput(schema, answer);

function parse(
  agent: AgentSnapshot,
  content: readonly ReplyBlock[],
  stopReason: ReplyStopReason = 'end_turn',
): Reading {
  return getStrategy(agent.strategy).parse(rawReply(content, stopReason), agent, () => null, validate);
}

function toFact(agent: AgentSnapshot, content: readonly ReplyBlock[]) {
  const { content: _, ...rest } = rawReply(content);
  const sent = { provider: 'some-provider', request: '0'.repeat(64), check: null, approvals: null };
  return { ...rest, ...sent, reading: compactReading(parse(agent, content)) };
}

const replies = (play: Play, agent: AgentSnapshot, ...content: readonly ReplyBlock[]) =>
  play.replied(toFact(agent, content));

describe('an answer in text', () => {
  it.each<[string, string, readonly string[] | undefined]>([
    ['JSON alone', ` ${json}\n`, undefined],
    ['JSON with null for an absent member', JSON.stringify({ ...paris, note: null }), undefined],
    ['a code fence', `\`\`\`json\n${json}\n\`\`\``, ['code_fence']],
    ['text around JSON', `Here it is: ${json} Anything else?`, ['text_around']],
    ['text before a code fence', `The answer:\n\`\`\`\n${json}\n\`\`\``, ['text_around']],
    ['a trailing comma', '{"city": "Paris", "celsius": 12,}', ['json']],
    ['one member around it', JSON.stringify({ answer: paris }), ['unwrapped']],
    [
      'all at once',
      "Sure!\n```\n{'answer': {'city': 'Paris', 'celsius': 12,},}\n```",
      ['text_around', 'json', 'unwrapped'],
    ],
  ])('that is %s becomes the value', (_name, written, repairs) => {
    const reading = parse(tools, [text(written)]);
    expect(reading).toMatchObject({ answer: paris, problem: null });
    expect(reading.repairs).toEqual(repairs);
    expect(expandReading(compactReading(reading))).toEqual(reading);
  });

  it.each<[string, string, string]>([
    ['prose', 'It is 12 °C in Paris.', 'Expected one JSON object, found other text.'],
    [
      'of another type',
      '{"city": "Paris", "celsius": "12"}',
      'celsius: Invalid input: expected number, received string',
    ],
    ['incomplete', '{"city": "Paris"}', 'celsius: Invalid input: expected number, received undefined'],
    ['several values', `${json} or ${json}`, 'The reply has several JSON objects. Write only one.'],
    ['cut off', '{"city": "Paris", "celsius": ', 'The JSON is not complete: it ends where'],
    ['a list', `[${json}]`, 'Invalid input: expected object, received array'],
    ['wrapped in one of its own members', JSON.stringify({ city: paris }), 'city: Invalid input: expected string'],
  ])('that is %s becomes a correction with what is wrong', (_name, written, problem) => {
    const reading = parse(tools, [text(written)]);
    expect(reading.answer).toBeNull();
    expect(reading.problem).toContain(
      'The answer does not match its schema. Give the whole answer again, as one JSON object without other text.\n',
    );
    expect(reading.problem).toContain(problem);
  });

  it('with many faults has a correction of bounded length', () => {
    const long = z.object({ list: z.array(z.number()) });
    const written = JSON.stringify({ list: Array.from({ length: 100 }, () => 'x') });
    const own = { ...tools, outputSchema: z.toJSONSchema(long) as JsonObject };
    const { problem } = getStrategy(own.strategy).parse(
      rawReply([text(written)]),
      own,
      () => null,
      (answer) => validateInput(long, answer),
    );
    expect(problem?.split('\n')).toHaveLength(22);
    expect(renderAnswerProblem(own, parseAnswerProblem(problem) ?? '')).toBe(problem);
    expect(problem).toMatch(/… and 80 more$/);
  });

  it('of a refusal is not corrected', () => {
    expect(parse(tools, [text('I cannot.')], 'refusal')).toMatchObject({ answer: 'I cannot.', problem: null });
  });

  it('that was accepted or rejected is so again in a replay, without the validator', () => {
    for (const written of [json, `\`\`\`\n${json}\n\`\`\``, JSON.stringify({ answer: paris }), '{"city": 1}', 'Hm.']) {
      expect(reparse(toFact(tools, [text(written)]), tools).difference).toBeNull();
    }
  });
});

describe('a chain', () => {
  it('asks again twice for a valid answer, and ends with the third', () => {
    const play = prepared(tools);
    replies(play, tools, text('12 °C'));
    expect(play.step).toMatchObject({ answer: null, problem: expect.stringContaining('does not match') });
    replies(play, tools, text('{"city": "Paris"}'));
    expect(play.state.stop).toBeNull();
    replies(play, tools, text(`\`\`\`json\n${json}\n\`\`\``));
    expect(play.result).toMatchObject({ outcome: 'success', answer: paris, steps: 3 });
    expect(play.step.repairs).toEqual(['code_fence']);
  });

  it('ends as a failure at the third invalid answer, and keeps the text of each', () => {
    const play = prepared(tools);
    for (const words of ['One.', 'Two.', 'Three.']) replies(play, tools, text(words));
    expect(play.state.stop).toMatchObject({
      outcome: 'failure',
      reason: { code: 'unreadable_replies', times: 3, problem: 'the answer does not match its schema' },
    });
    expect(play.chain.steps.map(({ content }) => content)).toEqual([[text('One.')], [text('Two.')], [text('Three.')]]);
  });
});

describe('an answer in a finish call', () => {
  it.each<[string, AgentSnapshot]>([
    ['autonomous', autonomous],
    ['plan', plan],
  ])('is validated by the strategy %s', (_name, agent) => {
    const wrong = parse(agent, [use('u1', 'finish', { result: { city: 'Paris' } })], 'tool_use');
    expect(wrong.problem).toContain('Give the whole answer again, with a call of `finish`.\ncelsius: Invalid input');
    const missing = parse(agent, [use('u1', 'finish', { success: true })], 'tool_use');
    expect(missing.problem).toContain('Expected one JSON object');
    const failed = parse(agent, [use('u1', 'finish', { success: false, reason: 'No network.' })], 'tool_use');
    expect(failed.problem).toBeNull();
  });

  it('is repaired where it is text, and needs no member of an answer that succeeded', () => {
    const play = prepared(autonomous);
    replies(play, autonomous, use('u1', 'finish', { result: json, success: null, reason: null }));
    expect(play.result).toMatchObject({ outcome: 'success', answer: paris });
  });

  it('of a plan is repaired, and text ends it only if it matches', () => {
    const ended = prepared(plan);
    replies(ended, plan, use('u1', 'finish', { result: { answer: paris } }));
    expect(ended.result).toMatchObject({ outcome: 'success', answer: paris });
    const play = prepared(plan);
    replies(play, plan, use('u1', 'make_plan', { tasks: [{ id: 'a', description: 'Look' }] }));
    replies(play, plan, text('It is warm.'));
    expect(play.step.problem).toContain('Give the whole answer with a call of `finish`.');
    replies(play, plan, use('u2', 'finish', { result: paris }));
    expect(play.result).toMatchObject({ outcome: 'success', answer: paris });
  });

  it('is the same again in a replay', () => {
    for (const agent of [autonomous, plan]) {
      for (const result of [paris, json, { answer: paris }, { city: 1 }] as readonly Json[]) {
        expect(reparse(toFact(agent, [use('u1', 'finish', { result })]), agent).difference).toBeNull();
      }
    }
  });
});

it('the Final Answer of react is read as JSON, and its schema is in the prompt', () => {
  expect(parse(react, [text(`Thought: I know it.\nFinal Answer: ${json}`)])).toMatchObject({ answer: paris });
  expect(parse(react, [text('Thought: I know it.\nFinal Answer: 12 °C')]).problem).toContain(
    'as one JSON object after "Final Answer:".',
  );
  expect(getStrategy(react.strategy).render(prepared(react).chain, react).system).toContain('"celsius"');
});

describe('a request', () => {
  const structured = (agent: AgentSnapshot, structuredOutput: 'with_tools' | 'without_tools'): AgentSnapshot => ({
    ...agent,
    model: { ...agent.model, structuredOutput },
  });
  const render = (agent: AgentSnapshot) => getStrategy(agent.strategy).render(prepared(agent).chain, agent);

  it('has the schema as its output format where the model offers it, and always in its instructions', () => {
    const request = render(structured(tools, 'with_tools'));
    expect(request.output).toMatchObject({ strict: true, schema: { required: ['city', 'celsius', 'note'] } });
    expect(request.system).toContain('Write no text with a call.');
    expect(render(tools)).not.toHaveProperty('output');
    expect(render(tools).system).toContain('Your answer must be one JSON object of this schema');
    expect(render(tools).system).toContain('"celsius"');
  });

  it('has none where the model cannot combine it with the tools of the agent', () => {
    const agent = structured(tools, 'without_tools');
    expect(agent.tools.length).toBeGreaterThan(0);
    expect(render(agent)).not.toHaveProperty('output');
    expect(render({ ...agent, tools: [] })).toHaveProperty('output');
  });

  it('has a schema that no strict mode can express unchanged, and not as strict', () => {
    const record = z.toJSONSchema(z.object({ by: z.record(z.string(), z.number()) })) as JsonObject;
    expect(render({ ...structured(tools, 'with_tools'), outputSchema: record }).output).toEqual({
      schema: record,
      strict: false,
    });
  });

  it.each([autonomous, plan])('has a strict finish tool, and no output format', (agent) => {
    const request = render(structured(agent, 'with_tools'));
    expect(request).not.toHaveProperty('output');
    const finish = request.tools.find(({ name }) => name === 'finish');
    expect(finish).toMatchObject({ strict: true, inputSchema: { required: ['result', 'success', 'reason'] } });
    expect(request.tools.filter(({ strict }) => strict)).toHaveLength(1);
    const plain = render(agent).tools.find(({ name }) => name === 'finish');
    expect(plain).not.toHaveProperty('strict');
    expect(plain?.inputSchema.properties).toMatchObject({ result: { required: ['city', 'celsius'] } });
  });

  it('for a summary has no output format', () => {
    expect(renderClosingRequest(render(structured(tools, 'with_tools')), 'The end.')).not.toHaveProperty('output');
  });

  it('of an agent without a schema is unchanged by what its model offers', () => {
    const agent = agentOf({ strategy: autonomousDefaults, tools: [tool('look')] });
    expect(render(structured(agent, 'with_tools'))).toEqual(render(agent));
  });
});
