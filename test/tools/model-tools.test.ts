/** The tools `llm` and `consensus`: their arguments, their prices in the snapshot, and the rules for several answers. */

import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { CallableModel, CostPart } from '../../src/core/model/call-cost.js';
import { computeMaxCallCost, listCostParts } from '../../src/core/model/call-cost.js';
import { type ConsensusToolOptions, consensusTool, type LlmToolOptions, llmTool } from '../../src/entries/tools.js';
import type { Json } from '../../src/index.js';
import { groupAnswers, renderJudgeQuestion } from '../../src/tools/builtin/compare-answers.js';
import type { ModelAnswer, ModelQuestion } from '../../src/tools/define/call-models.js';
import type { Tool } from '../../src/tools/define/define-tool.js';
import { createStandaloneContext } from '../../src/tools/define/standalone-context.js';
import { somePrice } from '../support/core-builders.js';
import { matchError } from '../support/match-error.js';

const findModel = (name: string): CallableModel => ({
  ...{ name, provider: 'some-provider', id: `${name}-1`, price: name === 'local' ? null : somePrice },
  ...{ maxTokens: 8_000, contextTokens: 200_000, takesTemperature: name === 'warm' },
});

const given = (
  text: string,
  stopReason: Extract<ModelAnswer, { ok: true }>['stopReason'] = 'end_turn',
): ModelAnswer => ({
  ...{ ok: true, text, stopReason },
});
const refusedBy = (kind: 'overloaded' | 'authentication'): ModelAnswer => ({ ok: false, kind, message: 'not now' });

interface Run {
  readonly asked: readonly (ModelQuestion & { readonly model: string })[];
  readonly result: unknown;
}

/** Executes a tool as a worker does, with models that answer by their names. */
async function run(tool: Tool, input: Json, answers: { readonly [model: string]: ModelAnswer }): Promise<Run> {
  const { cost } = tool.bindModels?.(findModel) ?? {};
  if (cost === undefined) throw new Error('The tool asks no models.');
  const parts: readonly CostPart[] = listCostParts(cost, input);
  const asked: (ModelQuestion & { readonly model: string })[] = [];
  const ask = async (part: number, question: ModelQuestion): Promise<ModelAnswer> => {
    const model = parts[part]?.model.name ?? '';
    asked.push({ model, ...question });
    return answers[model] ?? refusedBy('overloaded');
  };
  return { result: await tool.parse(input)(createStandaloneContext({}), { parts, ask }), asked };
}

describe('llmTool', () => {
  const llm = llmTool({ models: ['fast', 'warm'], maxTokens: 500, system: 'Be brief.' });

  it('states the prices and sizes of its models, to the chain and to the model', () => {
    const bound = llm.bindModels?.(findModel);
    expect(bound?.cost).toEqual({
      ...{ kind: 'model', models: [findModel('fast'), findModel('warm')], maxTokens: 500, instructionBytes: 9 },
    });
    expect(bound?.description).toContain('- fast: $2 in, $10 out per million tokens; reads 200,000 tokens');
    expect(bound?.effects).toBe('read');
    expect(bound?.kind).toBe('llm');
  });

  it('offers a temperature only where a model takes one', () => {
    const list = (...models: string[]) =>
      Object.keys(llmTool({ models }).bindModels?.(findModel).inputSchema.properties as object);
    expect(list('fast', 'warm')).toEqual(['model', 'prompt', 'system', 'temperature', 'maxTokens']);
    expect(list('fast')).toEqual(['model', 'prompt', 'system', 'maxTokens']);
  });

  it('asks the chosen model, with its own system prompt or that of the call', async () => {
    const answers = { warm: given('42') };
    const onText = expect.any(Function);
    expect(await run(llm, { model: 'warm', prompt: 'How many?', temperature: 0.5 }, answers)).toEqual({
      result: '42',
      asked: [{ model: 'warm', system: 'Be brief.', prompt: 'How many?', temperature: 0.5, onText }],
    });
    const { asked } = await run(llm, { model: 'warm', prompt: 'How many?', system: 'Count.' }, answers);
    expect(asked).toEqual([{ model: 'warm', system: 'Count.', prompt: 'How many?', onText }]);
  });

  it.each([
    { prompt: 'How many?' },
    { model: 'other', prompt: 'How many?' },
    { model: 'fast' },
    { model: 'fast', prompt: '' },
    { model: 'fast', prompt: 'How many?', maxTokens: 501 },
    { model: 'fast', prompt: 'How many?', maxTokens: 0 },
  ])('rejects %j, before anything is reserved', (input) => {
    expect(llm.validateInput(input)).not.toBeNull();
  });

  it.each([
    [
      'a temperature for a model that takes none',
      { temperature: 1 },
      given('42'),
      /^Invalid temperature: fast takes none/,
    ],
    ['a rejected key', {}, refusedBy('authentication'), /^fast did not answer \(authentication\): not now/],
    ['a refusal', {}, given('No.', 'refusal'), /it refused to answer/],
    ['an answer of nothing but thinking', {}, given('', 'max_tokens'), /maxTokens left no room/],
  ])('reports %s to the model, and is not retried', async (_, more, answer, message) => {
    const call = run(llm, { model: 'fast', prompt: 'How many?', ...more }, { fast: answer });
    await expect(call).rejects.toMatchObject({ name: 'ToolError', message: expect.stringMatching(message) });
  });

  it('is retried where another attempt may succeed', async () => {
    const call = run(llm, { model: 'fast', prompt: 'How many?' }, { fast: refusedBy('overloaded') });
    await expect(call).rejects.toMatchObject({
      name: 'Error',
      message: 'fast did not answer (overloaded): not now',
    });
  });

  it('marks an answer that was cut', async () => {
    const { result } = await run(
      llm,
      { model: 'fast', prompt: 'How many?' },
      { fast: given('One, two', 'max_tokens') },
    );
    expect(result).toBe('One, two\n[cut: the answer reached maxTokens]');
  });

  it('cannot be executed without a chain, which pays for it', async () => {
    const execute = llm.parse({ model: 'fast', prompt: 'How many?' });
    await expect(async () => execute(createStandaloneContext({}))).rejects.toMatchObject({ name: 'NotDone' });
  });

  it.each<[string, object, string]>([
    ['no models', { models: [] }, 'must name 1 to 16 models'],
    ['a model twice', { models: ['fast', 'fast'] }, 'names a model twice'],
    ['unknown options', { models: ['fast'], modls: 1 }, 'modls'],
  ])('rejects %s', (_, options, message) => {
    expect(() => llmTool(options as LlmToolOptions)).toThrow(matchError('invalid_options', message));
  });
});

describe('consensusTool', () => {
  const ask = (options: Partial<ConsensusToolOptions> = {}) =>
    consensusTool({ models: ['a', 'b', 'c'], rule: 'majority', maxTokens: 300, ...options });
  const question = { prompt: 'Is it due?' };

  it('asks all models, and takes the answer of most, in any spelling', async () => {
    const answers = { a: given('Yes.'), b: given(' yes'), c: given('No') };
    const { result, asked } = await run(ask(), question, answers);
    expect(asked.map(({ model }) => model)).toEqual(['a', 'b', 'c']);
    expect(result).toEqual({
      ...{ answer: 'Yes.', decided: 'majority', why: '2 of 3 models agree.' },
      answers: [
        { models: ['a', 'b'], answer: 'Yes.' },
        { models: ['c'], answer: 'No' },
      ],
    });
  });

  it('shows where the models differ when none of the answers has a majority', async () => {
    const { result } = await run(ask(), question, { a: given('Yes'), b: given('No'), c: given('Perhaps') });
    expect(result).toMatchObject({ answer: null, decided: 'no', why: 'No majority: 1 of 3 models agree.' });
    expect(result).toHaveProperty('answers.length', 3);
  });

  it('decides without a model that failed, and shows it', async () => {
    const answers = { a: given('Yes'), b: given('Yes'), c: refusedBy('overloaded') };
    const failed = [{ model: 'c', problem: 'overloaded: not now' }];
    expect((await run(ask(), question, answers)).result).toMatchObject({ answer: 'Yes', failed });
    const { result } = await run(ask({ rule: 'unanimous' }), question, answers);
    expect(result).toMatchObject({ answer: null, why: '2 of 3 models agree; the others did not answer.', failed });
  });

  it('is retried where no model answered', async () => {
    await expect(run(ask(), question, {})).rejects.toMatchObject({ name: 'Error' });
    const rejected = { a: refusedBy('authentication'), b: refusedBy('authentication'), c: refusedBy('authentication') };
    await expect(run(ask(), question, rejected)).rejects.toMatchObject({ name: 'ToolError' });
  });

  it('compares by a member of the answers, which must fit the schema', async () => {
    const tool = ask({ answerSchema: z.object({ due: z.boolean(), why: z.string() }), compareBy: 'due' });
    const { result, asked } = await run(tool, question, {
      a: given('{"due": true, "why": "it is late"}'),
      b: given('```json\n{"due": true, "why": "the date"}\n```'),
      c: given('{"due": "maybe"}'),
    });
    expect(asked[0]?.system).toContain('Answer with JSON only, of this schema:');
    expect(result).toMatchObject({
      answer: { due: true, why: 'it is late' },
      decided: 'majority',
      failed: [{ model: 'c', problem: expect.stringContaining('its answer does not fit the schema') }],
    });
  });

  describe('with a judge', () => {
    const judged = ask({ rule: 'judge', judge: 'judge' });
    const differing = { a: given('Yes'), b: given('No'), c: given('No.') };

    it('takes the answer that the judge chooses, with its reason', async () => {
      const answers = { ...differing, judge: given('{"best": 2, "reason": "It cites the contract."}') };
      const { result, asked } = await run(judged, question, answers);
      expect(asked.map(({ model }) => model)).toEqual(['a', 'b', 'c', 'judge']);
      expect(result).toMatchObject({
        ...{ answer: 'Yes', decided: 'judge' },
        why: 'The judge chose the answer of a: It cites the contract.',
      });
    });

    it('is not asked where all agree', async () => {
      const { asked, result } = await run(judged, question, { a: given('No'), b: given('No'), c: given('No') });
      expect(asked).toHaveLength(3);
      expect(result).toMatchObject({ answer: 'No', why: '3 of 3 models agree; nothing to judge.' });
    });

    it.each([
      ['fails', refusedBy('overloaded'), 'The judge did not decide: overloaded: not now.'],
      ['writes no JSON', given('The first.'), 'The judge did not decide: its reply is not JSON.'],
      ['chooses another number', given('{"best": 7}'), 'The judge chose answer 7, which does not exist.'],
    ])('leaves the question open where the judge %s, and shows the answers', async (_, judge, why) => {
      const { result } = await run(judged, question, { ...differing, judge });
      expect(result).toMatchObject({ answer: null, decided: 'no', why });
      expect(result).toHaveProperty('answers.length', 2);
    });

    it('reserves for a judge that reads all answers', () => {
      const cost = judged.bindModels?.(findModel).cost;
      const parts = cost === undefined ? [] : listCostParts(cost, question);
      const longest = { models: ['a'], answer: '𝕏'.repeat(2_000) };
      const read = renderJudgeQuestion(question.prompt, [longest, longest, longest], 4 * 300);
      expect(Buffer.byteLength(read)).toBeLessThan(parts[3]?.reservation.inputTokens ?? 0);
      expect(computeMaxCallCost(cost, question)?.outputTokens).toBe(4 * 300);
    });
  });

  it('groups answers without their spelling, and lists by the first of each', () => {
    const opinions = ['One', 'two', 'ONE.', ' one '].map((answer, at) => ({ model: String(at), answer }));
    expect(groupAnswers(opinions, null)).toEqual([
      { models: ['0', '2', '3'], answer: 'One' },
      { models: ['1'], answer: 'two' },
    ]);
  });

  it.each<[string, object, string]>([
    ['one model', { models: ['a'] }, 'at least two models'],
    ['an unknown rule', { rule: 'lottery' }, 'rule'],
    ['no rule', { rule: undefined }, 'rule'],
    ['a judge without the rule', { judge: 'a' }, '`judge` needs the rule judge'],
    ['the rule without a judge', { rule: 'judge' }, 'the rule judge needs `judge`'],
    ['a member without a schema', { compareBy: 'due' }, '`compareBy` needs `answerSchema`'],
  ])('rejects %s', (_, options, message) => {
    expect(() => ask(options as ConsensusToolOptions)).toThrow(matchError('invalid_options', message));
  });
});
