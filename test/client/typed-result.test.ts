/** Types of results by the agent's definition. Only the types are tested: nothing connects. */

import { expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import type { ChainHandle, Longhand, TypedResult } from '../../src/entries/client.js';
import { type AgentDefinition, type AnswerFinding, defineAgent, fromJsonSchema, type Json } from '../../src/index.js';

const clerk = defineAgent({
  name: 'clerk',
  outputSchema: z.object({ total: z.number(), note: z.string().default('') }),
});
const talker = defineAgent({
  name: 'talker',
  outputSchema: fromJsonSchema<{ n: number }>({ type: 'object' }),
  successPhrases: ['DONE'],
});
const writer = defineAgent({ name: 'writer' });
const finder = defineAgent({ name: 'finder', findings: true });
const judge = defineAgent({
  name: 'judge',
  outputSchema: z.object({ ok: z.boolean() }),
  findings: true,
  confidence: true,
});
const guesser = defineAgent({ name: 'guesser', confidence: true, successPhrases: ['DONE'] });
/** Its type does not state whether it has a schema. */
const any = defineAgent({ ...(writer.definition as AgentDefinition), name: 'any' });

type Total = { total: number; note?: string | undefined };

it('a client returns the answer with the type of the output schema, as the model wrote it', () => {
  const start = async (longhand: Longhand) => {
    const chain = await longhand.start(clerk, 'Add up.');
    expectTypeOf(chain).toEqualTypeOf<ChainHandle<Total>>();
    expectTypeOf(await chain.followUp('And without VAT?')).toEqualTypeOf<ChainHandle<Total>>();
    const result = await chain.result();
    if (result.outcome === 'success') expectTypeOf(result.answer).toEqualTypeOf<Total>();
    else if (result.outcome === 'custom') expectTypeOf(result.answer).toEqualTypeOf<Json>();
    else expectTypeOf(result.answer).toEqualTypeOf<null>();
    if (result.success) expectTypeOf(result.answer).toEqualTypeOf<Total>();
    expectTypeOf(await longhand.start(talker, 'Count.')).toEqualTypeOf<ChainHandle<{ n: number } | string>>();
    expectTypeOf(await longhand.start(writer, 'Write.')).toEqualTypeOf<ChainHandle<string>>();
    expectTypeOf(await longhand.start(any, 'Do it.')).toEqualTypeOf<ChainHandle<Json>>();
    expectTypeOf(longhand.getHandle<typeof clerk>('c-1')).toEqualTypeOf<ChainHandle<Total>>();
  };
  expectTypeOf(start).returns.toEqualTypeOf<Promise<void>>();
});

it('a client returns findings, criteria and confidence with their types, where the agent asks for them', () => {
  type Found = { findings: AnswerFinding[]; decision: { criteria: string[] } };
  type Of<T> = T extends { readonly answer?: infer Answer } ? Exclude<Answer, undefined> : never;
  expectTypeOf<Of<typeof finder>>().branded.toEqualTypeOf<{ answer: string } & Found>();
  expectTypeOf<Of<typeof judge>>().branded.toEqualTypeOf<{ ok: boolean } & Found & { confidence: number }>();
  expectTypeOf<Of<typeof guesser>>().branded.toEqualTypeOf<{ answer: string; confidence: number } | string>();
  expectTypeOf<AnswerFinding>().toEqualTypeOf<{ statement: string; reason: string; sources: string[] }>();
  const start = async (longhand: Longhand) => {
    const result = await (await longhand.start(judge, 'May it be paid?')).result();
    if (result.success) expectTypeOf(result.answer.findings[0]?.reason).toEqualTypeOf<string | undefined>();
    if (result.success) expectTypeOf(result.answer.confidence).toEqualTypeOf<number>();
  };
  expectTypeOf(start).returns.toEqualTypeOf<Promise<void>>();
});

it('without the definition, an answer is any JSON', () => {
  const start = async (longhand: Longhand) => {
    expectTypeOf(await longhand.start('clerk', 'Add up.')).toEqualTypeOf<ChainHandle<Json>>();
    expectTypeOf(await longhand.fork('c-1')).toEqualTypeOf<ChainHandle<Json>>();
    expectTypeOf(longhand.getHandle('c-1')).toEqualTypeOf<ChainHandle>();
    expectTypeOf(await longhand.getHandle('c-1').result()).toEqualTypeOf<TypedResult<Json>>();
  };
  expectTypeOf(start).returns.toEqualTypeOf<Promise<void>>();
});
