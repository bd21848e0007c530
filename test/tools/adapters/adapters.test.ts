/** Tools of other libraries, made with the libraries themselves. */

import { tool as langchainTool } from '@langchain/core/tools';
import { jsonSchema, tool, zodSchema } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { aiSdkTools, langchainTools } from '../../../src/entries/tools.js';
import type { Tool } from '../../../src/index.js';
import { isToolFile } from '../../../src/tools/define/file.js';
import { callOf } from '../../support/call-tool.js';

const byName = (tools: readonly Tool[]) => Object.fromEntries(tools.map((each) => [each.name, each]));

describe('tools of the AI SDK', () => {
  const find = tool({
    description: 'Finds an order',
    inputSchema: z.object({ order: z.string().meta({ sensitive: true }) }),
    execute: async ({ order }, { toolCallId, abortSignal }) => ({ order, toolCallId, aborted: abortSignal?.aborted }),
  });
  const refund = tool({
    description: 'Refunds an order',
    inputSchema: jsonSchema<{ order: string; cents: number }>({
      type: 'object',
      properties: { order: { type: 'string' }, cents: { type: 'integer', minimum: 1 } },
      required: ['order', 'cents'],
    }),
    needsApproval: ({ cents }) => cents > 1_000,
    execute: async () => 'refunded',
  });

  it('are unsafe unless the options state their effects', () => {
    const tools = byName(aiSdkTools({ find, refund }, { tools: { find: { effects: 'read', timeout: '5s' } } }));
    expect(tools.find?.snapshot).toMatchObject({ effects: 'read', timeoutMs: 5_000, description: 'Finds an order' });
    expect(tools.find?.snapshot.view.sensitive).toEqual(['order']);
    expect(tools.refund?.snapshot).toMatchObject({ effects: 'unsafe', attempts: 1 });
  });

  it('get the arguments, the idempotency key and the signal of the call', async () => {
    const { call } = callOf(() => aiSdkTools({ find }));
    expect(await call('find', { order: 'A1' })).toEqual({ order: 'A1', toolCallId: 'key', aborted: false });
  });

  it('validate arguments by their own JSON Schema', () => {
    const { find: findTool } = callOf(() => aiSdkTools({ refund }));
    expect(findTool('refund').validateInput({ order: 'A1', cents: 0 })).toBe('cents: must be at least 1');
  });

  it('`needsApproval` decides each call', async () => {
    const approval = byName(aiSdkTools({ refund })).refund?.approval;
    const truthy = byName(aiSdkTools({ refund: { ...refund, needsApproval: () => 'yes' } })).refund?.approval;
    expect(await (typeof truthy === 'function' && truthy({ input: {} } as never))).toBe(true);
    const decide = (cents: number) =>
      typeof approval === 'function' && approval({ input: { order: 'A1', cents } } as never);
    expect([await decide(5_000), await decide(5)]).toEqual([true, false]);
  });

  it('their own validation applies, with its defaults and conversions', async () => {
    const order = tool({
      description: 'Orders',
      inputSchema: zodSchema(
        z
          .object({ from: z.number(), to: z.number(), count: z.number().default(5) })
          .refine(({ from, to }) => from < to),
      ),
      execute: async (input) => input,
    });
    const { call, failure } = callOf(() => aiSdkTools({ order }));
    expect(await call('order', { from: 1, to: 2 })).toEqual({ from: 1, to: 2, count: 5 });
    expect(await failure('order', { from: 5, to: 1 })).toContain('NotDone: Invalid arguments of order');
  });

  it('preliminary results are interim results', async () => {
    const count = tool({
      description: 'Counts',
      inputSchema: z.object({}),
      execute: async function* () {
        yield '1 of 2';
        yield '2 of 2';
        yield 'done';
      },
    });
    const emitted: unknown[] = [];
    const { call } = callOf(() => aiSdkTools({ count }));
    expect(await call('count', {}, { emit: (value) => emitted.push(value) })).toBe('done');
    expect(emitted).toEqual(['1 of 2', '2 of 2']);
  });

  it('the model sees what `toModelOutput` makes of a result, with its files', async () => {
    const chart = tool({
      description: 'Draws a chart',
      inputSchema: z.object({}),
      execute: async () => ({ png: 'iVBORw0KGgo=' }),
      toModelOutput: ({ output }) => ({
        type: 'content',
        value: [
          { type: 'text', text: 'The chart' },
          { type: 'image-data', data: output.png, mediaType: 'image/png' },
        ],
      }),
    });
    const { call } = callOf(() => aiSdkTools({ chart }));
    const [text, picture] = (await call('chart', {})) as readonly unknown[];
    expect(text).toBe('The chart');
    expect(isToolFile(picture) && picture.name).toBe('file-2.png');
  });

  it('an error for the model is one of the tool', async () => {
    const fail = tool({
      description: 'Fails',
      inputSchema: z.object({}),
      execute: async () => 0,
      toModelOutput: () => ({ type: 'error-text', value: 'Order not found. Use another one.' }),
    });
    const { failure } = callOf(() => aiSdkTools({ fail }));
    expect(await failure('fail', {})).toBe('ToolError: Order not found. Use another one.');
  });

  it('one without `execute` is rejected', () => {
    const elsewhere = tool({ description: 'x', inputSchema: z.object({}) });
    expect(() => aiSdkTools({ elsewhere })).toThrow('elsewhere has no `execute`');
    expect(aiSdkTools({ elsewhere, find }, { only: ['find'] })).toHaveLength(1);
  });
});

describe('tools of LangChain', () => {
  const add = langchainTool(async ({ a, b }: { a: number; b: number }) => `${a + b}`, {
    name: 'add',
    description: 'Adds two numbers',
    schema: z.object({ a: z.number(), b: z.number() }),
  });
  const lookUp = langchainTool(async ({ word }: { word: string }) => `${word}: a word`, {
    name: 'look_up',
    description: 'Looks up a word',
    schema: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
  });

  it('run with zod schemas and JSON Schemas', async () => {
    const { call, find } = callOf(() => langchainTools([add, lookUp], { all: { effects: 'pure' } }));
    expect(await call('add', { a: 1, b: 2 })).toBe('3');
    expect(await call('look_up', { word: 'rain' })).toBe('rain: a word');
    expect(find('look_up').validateInput({})).toBe('word is missing');
    expect(find('look_up').snapshot).toMatchObject({ effects: 'pure', description: 'Looks up a word' });
  });

  it('get the arguments as the model wrote them: LangChain converts them itself', async () => {
    const measure = langchainTool(async ({ text }: { text: number }) => `${text} characters`, {
      name: 'measure',
      description: 'Measures',
      schema: z.object({ text: z.string().transform((value) => value.length) }),
    });
    const { call } = callOf(() => langchainTools([measure]));
    expect(await call('measure', { text: 'rain' })).toBe('4 characters');
  });

  it('end with the signal of the call', async () => {
    const hang = langchainTool(
      (_: object, config) =>
        new Promise<string>((_resolve, reject) => {
          config.signal?.addEventListener('abort', () => reject(new Error('stopped')));
        }),
      { name: 'hang', description: 'Hangs', schema: z.object({}) },
    );
    const aborter = new AbortController();
    const { call } = callOf(() => langchainTools([hang]));
    const hanging = call('hang', {}, { signal: aborter.signal });
    aborter.abort();
    await expect(hanging).rejects.toThrow();
  });
});

describe('options of all adapters', () => {
  const first = tool({ description: 'first', inputSchema: z.object({}), execute: async () => 1 });
  const second = tool({ description: 'second', inputSchema: z.object({}), execute: async () => 2 });

  it('choose tools, name them, and state what the library does not', () => {
    const tools = aiSdkTools(
      { first, second },
      { only: ['second'], prefix: 'crm_', all: { effects: 'read', roles: ['clerk'] } },
    );
    expect(tools.map(({ snapshot }) => [snapshot.name, snapshot.effects, snapshot.roles])).toEqual([
      ['crm_second', 'read', ['clerk']],
    ]);
  });

  it('the name of a tool that does not exist is an error', () => {
    expect(() => aiSdkTools({ first, second }, { tools: { secnd: { effects: 'read' } } })).toThrow(
      'aiSdkTools: tool "secnd" not found. You may mean second.',
    );
  });
});
