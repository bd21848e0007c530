/** What an official server requests in the middle of a call: a person, a model. And its prompts. */

import { describe, expect, it } from 'vitest';
import { mcpTools } from '../../../src/entries/tools.js';
import { NotDone } from '../../../src/index.js';
import type { CallModels } from '../../../src/tools/define/call-models.js';
import { contextOf } from '../../support/call-tool.js';
import { findServer, hostileServer, openSource } from '../../support/mcp-source.js';

const everything = { name: 'all', command: process.execPath, args: [findServer('everything'), 'stdio'] };

const asking = 'all_trigger-elicitation-request';
const sampling = 'all_trigger-sampling-request';

const model = {
  ...{ name: 'fast', provider: 'test', id: 'fast-1', price: null, contextTokens: null, maxTokens: 8_000 },
  takesTemperature: true,
};

describe('a person', () => {
  it('is asked by the schema of the server, and the server gets the answer', async () => {
    const { call, find } = await openSource({ ...everything, elicitation: true });
    const asked: object[] = [];
    const ask = (async (question: object) => {
      asked.push(question);
      return { name: 'Ada', check: true };
    }) as never;
    expect(JSON.stringify(await call(asking, {}, { ask }))).toMatch(/accept.*Ada/s);
    expect(asked).toMatchObject([
      {
        question: expect.stringMatching(
          /^The MCP server all asks in a call of trigger-elicitation-request: Please provide .*again from its start\.$/s,
        ),
      },
    ]);
    expect(find(asking).snapshot.effects).toBe('unsafe');
  });

  it('who has not answered yet is a cancel for the server, and other calls wait for this one', async () => {
    const { call } = await openSource({ ...everything, elicitation: { roles: ['desk'] } });
    const order: string[] = [];
    const wait = (name: string) => async (question: { readonly roles?: readonly string[] }) => {
      order.push(`${name} asks ${question.roles?.join()}`);
      await new Promise((done) => setImmediate(done));
      order.push(`${name} ends`);
      throw new NotDone('later');
    };
    const run = (name: string) => call(asking, {}, { ask: wait(name) as never });
    const ends = await Promise.allSettled([run('one'), run('two')]);
    // The call is unsafe: what the server did after the cancel must not be lost.
    for (const end of ends) {
      expect(end).toMatchObject({ reason: { name: 'NotDone', result: expect.anything() } });
      expect(JSON.stringify(end)).toMatch(/cancel/);
    }
    expect(order).toEqual(['one asks desk', 'one ends', 'two asks desk', 'two ends']);
  });

  it('is not asked for a call that was cancelled, and one that waits for its turn does not end the connection', async () => {
    const { call } = await openSource({ ...everything, elicitation: true });
    const stop = new AbortController();
    const asked: string[] = [];
    let answer = (_: object) => {};
    const answered = new Promise<object>((resolve) => {
      answer = resolve;
    });
    const ask = (name: string) =>
      (async () => {
        asked.push(name);
        return answered;
      }) as never;
    const first = call(asking, {}, { ask: ask('first') });
    await expect.poll(() => asked).toEqual(['first']);
    const second = Promise.resolve(call(asking, {}, { ask: ask('second'), signal: stop.signal }));
    const third = call(asking, {}, { ask: ask('third') });
    stop.abort();
    await expect(second).rejects.toThrow(/was cancelled before it was sent/);
    answer({ name: 'Ada' });
    for (const result of await Promise.all([first, third])) expect(JSON.stringify(result)).toContain('Ada');
    expect(asked).toEqual(['first', 'third']);
  });

  it('does not see the secrets of the connection', async () => {
    const token = 'zebra-orchid-secret-77';
    const { call } = await openSource(
      {
        name: 'evil',
        command: process.execPath,
        args: [hostileServer],
        env: { TOKEN: { secret: 'TOKEN' } },
        elicitation: true,
      },
      { TOKEN: token },
    );
    const asked: object[] = [];
    const ask = (async (question: object) => {
      asked.push(question);
      return {};
    }) as never;
    await call('evil_ask_with_secret', {}, { ask });
    expect(JSON.stringify(asked)).toMatch(/Is \[redacted:\w+\] your token\?/);
    expect(JSON.stringify(asked)).not.toContain(token);
  });

  it('is not asked by a server that may not: it does not offer such tools', async () => {
    const { refresh } = await openSource(everything);
    const names = (await refresh()).map(({ name }) => name);
    expect(names).toContain('all_echo');
    expect(names).not.toContain(asking);
    expect(names).not.toContain(sampling);
  });
});

describe('a model', () => {
  it('is asked within what was reserved, as often as the options permit', async () => {
    const { find } = await openSource({ ...everything, sampling: { model: 'fast', maxTokens: 200, maxBytes: 1_000 } });
    const cost = find(sampling).bindModels?.(() => model).cost;
    expect(cost).toEqual({ kind: 'sampling', models: [model], maxTokens: 200, instructionBytes: 1_000, requests: 1 });
    const questions: object[] = [];
    const models: CallModels = {
      parts: [{ role: 'answer', model, reservation: { inputTokens: 2_024, outputTokens: 200, usd: null } }],
      ask: async (part, question) => {
        questions.push({ part, ...question });
        return { ok: true, text: 'Oslo', stopReason: 'end_turn' };
      },
    };
    const run = (given?: CallModels) => find(sampling).parse({ prompt: 'The capital of Norway?' })(contextOf(), given);
    expect(JSON.stringify(await run(models))).toContain('Oslo');
    expect(questions).toMatchObject([
      {
        part: 0,
        prompt: expect.stringMatching(/The capital of Norway\?$/),
        maxTokens: 100,
        system: 'You are a helpful test server.',
      },
    ]);
    const refused = JSON.stringify(await run({ ...models, parts: [] }));
    expect(refused).toMatch(/A call may ask for 0 answers of a model/);
  });
});

it('a source with sampling has no other cost', () => {
  const options = { ...everything, sampling: { model: 'fast' }, all: { cost: 0.05 } };
  expect(() => mcpTools(options)).toThrow(/`cost` cannot be set with `sampling`/);
});

it('the prompts of a server can be listed and filled in', async () => {
  const { call, failure } = await openSource({ ...everything, prompts: true });
  const { prompts } = (await call('all_list_prompts', {})) as { readonly prompts: readonly object[] };
  expect(prompts).toContainEqual(
    expect.objectContaining({
      name: 'args-prompt',
      arguments: expect.arrayContaining([expect.objectContaining({ name: 'city', required: true })]),
    }),
  );
  const filled = await call('all_get_prompt', { name: 'args-prompt', arguments: { city: 'Oslo' } });
  expect(filled).toMatchObject({ messages: [{ role: 'user', content: expect.stringContaining('Oslo') }] });
  expect(await failure('all_get_prompt', { name: 'nowhere' })).toMatch(/^ToolError: The MCP server all/);
});
