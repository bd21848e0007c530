/** Functions before and after the calls of tools. */

import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { askUser, calculator } from '../../../src/entries/tools.js';
import {
  defineAgent,
  defineTool,
  type Effects,
  type Json,
  NotDone,
  type Tool,
  ToolError,
  type ToolHooks,
  type ToolSource,
  wrapTools,
} from '../../../src/index.js';
import { Unanswered } from '../../../src/tools/define/ask-person.js';
import { isErrorBefore } from '../../../src/tools/define/wrap-tools.js';
import { contextOf } from '../../support/call-tool.js';
import { matchError } from '../../support/match-error.js';

const add = (effects: Effects = 'read', ran: Json[] = []) =>
  defineTool({
    name: 'add',
    description: 'Adds one',
    inputSchema: z.object({ n: z.number() }),
    outputSchema: z.number(),
    effects,
    ...(effects === 'read' ? { cacheTtl: '1h' } : {}),
    execute: ({ n }) => {
      ran.push(n);
      return n + 1;
    },
  });
const call = async (tool: Tool | undefined, input: Json = { n: 1 }, logged: string[] = []) => {
  const log = (message: string) => void logged.push(message);
  return tool?.parse(input)(contextOf({ tenant: 'acme', log: { debug: log, info: log, warn: log, error: log } }));
};
const wrap = (tool: Tool, hooks: ToolHooks) => wrapTools([tool], hooks)[0];

describe('before', () => {
  it('sees arguments and context, and may change the arguments, which are validated again', async () => {
    const seen: unknown[] = [];
    const hooks: ToolHooks = {
      before: (input, { tool, context }) => {
        seen.push(input, tool, context.tenant);
        return { n: 41 };
      },
    };
    expect(await call(wrap(add(), hooks))).toBe(42);
    expect(seen).toEqual([{ n: 1 }, 'add', 'acme']);
    expect(await call(wrap(add(), { before: async () => undefined }))).toBe(2);
    expect(await wrapTools([add()], { before: () => ({ n: 2 }) })[0]?.execute({ n: 1 })).toBe(3);
    await expect(call(wrap(add(), { before: () => ({ n: 'x' }) }))).rejects.toThrow(
      /^add did not run: its hook returned invalid arguments\. /,
    );
  });

  it('cannot change the arguments in place, which people have approved', async () => {
    const input = { n: 1 };
    const change = (given: Json) => {
      (given as { n: number }).n = 9;
    };
    expect(await call(wrap(add(), { before: change }), input)).toBe(2);
    expect(input).toEqual({ n: 1 });
  });

  it.each<[Effects, Error, typeof NotDone | typeof ToolError | typeof Error]>([
    ['read', new ToolError('Over the quota.'), ToolError],
    ['read', new Error('Over the quota.'), Error],
    ['unsafe', new ToolError('Over the quota.'), NotDone],
    ['unsafe', new Error('Over the quota.'), NotDone],
    ['unsafe', new NotDone('Over the quota.'), NotDone],
  ])('that throws keeps a tool from running: %s, %s', async (effects, error, expected) => {
    const ran: Json[] = [];
    const hooks: ToolHooks = {
      before: () => {
        throw error;
      },
    };
    const failed = call(wrap(add(effects, ran), hooks));
    await expect(failed).rejects.toThrow('Over the quota.');
    await expect(failed).rejects.toBeInstanceOf(expected);
    expect(ran).toEqual([]);
  });
});

describe('after', () => {
  it('sees arguments and result, and may change the result, which the output schema validates', async () => {
    const seen: unknown[] = [];
    const hooks: ToolHooks = {
      before: () => ({ n: 5 }),
      after: (result, { input }) => {
        seen.push(input, result);
        return 100;
      },
    };
    expect(await call(wrap(add(), hooks))).toBe(100);
    expect(seen).toEqual([{ n: 5 }, 6]);
    expect(await call(wrap(add(), { after: () => undefined }))).toBe(2);
    await expect(call(wrap(add(), { after: () => 'many' }))).rejects.toThrow(
      'The hook of add returned an invalid result.',
    );
  });

  it('that fails leaves no doubt about an unsafe call, and withholds its result', async () => {
    const logged: string[] = [];
    const hooks: ToolHooks = {
      after: () => {
        throw new Error('Cannot mask it.');
      },
    };
    expect(await call(wrap(add('unsafe'), hooks), { n: 1 }, logged)).toBe(
      'add was executed. Its result is not shown, because the hook after it failed.',
    );
    expect(logged).toHaveLength(1);
    await expect(call(wrap(add(), hooks))).rejects.toThrow('Cannot mask it.');
    expect(await call(wrap(add('unsafe'), { after: () => 'many' }))).toBe('many');
  });
});

it('wraps tools of sources, whose list is the same until it changes', async () => {
  const list = [add()];
  const source: ToolSource = {
    ...{ name: 'some', prefix: '', optional: false },
    open: () => ({ list: async () => list, close: async () => {} }),
  };
  const [wrapped] = wrapTools([source], { after: () => 7 });
  const opened = wrapped?.open({ secrets: async () => undefined, log: contextOf().log } as never);
  const first = await opened?.list({ isFresh: true });
  expect(await call(first?.[0])).toBe(7);
  expect(await opened?.list({ isFresh: false })).toBe(first);
});

it('runs hooks of hooks from the outside in, and separates cached results', async () => {
  const order: string[] = [];
  const hooks = (name: string): ToolHooks => ({
    before: () => void order.push(`before ${name}`),
    after: () => void order.push(`after ${name}`),
  });
  const tool = add();
  const twice = wrapTools(wrapTools([tool], hooks('inner')), hooks('outer'))[0];
  expect(await call(twice)).toBe(2);
  expect(order).toEqual(['before outer', 'before inner', 'after inner', 'after outer']);
  const versions = [tool, wrap(tool, { version: '1' }), wrap(tool, { version: '2' })];
  expect(new Set(versions.map((each) => each?.cache?.version)).size).toBe(3);
  // Equal functions may close over different values.
  expect(wrap(tool, { after: () => 3 })?.cache).toBeUndefined();
});

it('masks what an unsafe call returned without the answer of a person', async () => {
  const asking = defineTool({
    name: 'pay',
    description: 'Pays',
    inputSchema: z.object({}),
    effects: 'unsafe',
    execute: () => {
      throw new Unanswered('A person has to answer first.', { paid: true, internal: 7 });
    },
  });
  const wrapped = wrap(asking, { after: () => ({ paid: true }) });
  await expect(call(wrapped, {})).rejects.toMatchObject({ name: 'NotDone', result: { paid: true } });
});

it('does not enter a tool whose call was given up during the hook', async () => {
  const ran: Json[] = [];
  const stop = new AbortController();
  const wrapped = wrap(add('unsafe', ran), { before: () => new Promise(() => {}) });
  const running = wrapped?.parse({ n: 1 })(contextOf({ signal: stop.signal }));
  stop.abort(new Error('its time limit'));
  const failed = await Promise.resolve(running).catch((error: Error) => error);
  expect(failed).toMatchObject({ name: 'NotDone', message: 'add did not run: its time limit' });
  expect(isErrorBefore(failed)).toBe(true);
  expect(ran).toEqual([]);
});

it('rejects what it cannot wrap', () => {
  const agent = defineAgent({ name: 'clerk', model: 'm', tools: [] });
  expect(() => wrapTools([agent as never], {})).toThrow(matchError('invalid_options', 'clerk is an agent'));
  expect(() => wrapTools([calculator(), askUser()], {})).toThrow(
    matchError('invalid_options', 'no worker of Longhand executes calls of ask_user'),
  );
  expect(() => wrapTools([], { before: 1 } as never)).toThrow(
    matchError('invalid_options', 'before must be a function'),
  );
});

it('the text of a model is not streamed past a hook that may mask the result', async () => {
  const emitted: unknown[] = [];
  const create = (kind: string) =>
    defineTool({
      ...{ name: 'ask', description: 'Asks', inputSchema: z.object({}), effects: 'read', kind },
      execute: (_, { emit }) => {
        emit(kind);
        return 'done';
      },
    });
  const after = () => 'masked';
  for (const [kind, hooks] of [
    ['llm', { after }],
    ['custom', { after }],
    ['llm', {}],
  ] as const) {
    await wrap(create(kind), hooks)?.parse({})(contextOf({ emit: (value: unknown) => void emitted.push(value) }));
  }
  expect(emitted).toEqual(['custom', 'llm']);
});
