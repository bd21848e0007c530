/**
 * The results of calls. L4: every error is an observation that the model can react to, or a reason that a person can read.
 * L5: an unsafe call is executed once, also after a reset in Temporal.
 */

import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ChainHandle } from '../../../src/entries/client.js';
import { createViewer } from '../../../src/entries/view.js';
import {
  type Agent,
  type Call,
  defineAgent,
  defineTool,
  type Json,
  NotDone,
  type Tool,
  type ToolContext,
  ToolError,
} from '../../../src/index.js';
import { withWorker } from '../../support/chain-test.js';
import type { ScriptedReply } from '../../support/scripted-reply.js';

function createAgent(...tools: readonly Tool[]): Agent {
  return defineAgent({ name: 'caller', model: 'claude-sonnet-5-5', strategy: 'tools', tools });
}

interface Doing {
  readonly effects?: 'read' | 'idempotent' | 'unsafe';
  readonly attempts?: number;
}

/** A tool `act` with the code of the test. */
function createTool(
  run: (context: ToolContext, given: string) => unknown,
  { effects = 'read', attempts }: Doing = {},
): Tool {
  return defineTool({
    name: 'act',
    description: 'Acts',
    inputSchema: z.object({ on: z.string() }),
    effects,
    approval: false,
    ...(attempts === undefined ? {} : { retry: { attempts, backoff: 50 } }),
    execute: ({ on }, context) => run(context, on),
  });
}

const calls = (...inputs: readonly Json[]): ScriptedReply => ({
  text: 'I act.',
  calls: inputs.map((input) => ({ name: 'act', input })),
});
const done: ScriptedReply = { text: 'All done.' };

async function readCalls(chain: ChainHandle): Promise<readonly Call[]> {
  return (await chain.read()).steps.flatMap((step) => step.calls);
}

/** Returns the results of calls that the last message of a request shows to the model. */
function getResults(body: { readonly messages: readonly { readonly content: unknown }[] } | undefined): unknown {
  return body?.messages.at(-1)?.content;
}

describe('the calls of a step', () => {
  it('run together, and are observed in the order of the calls', async () => {
    const order: string[] = [];
    let openGate = () => {};
    const gate = new Promise<void>((resolve) => {
      openGate = resolve;
    });
    // The first call ends only once the second and the third have.
    const tool = createTool(async (_, on) => {
      if (on === 'first') await gate;
      order.push(on);
      if (order.length === 2) openGate();
      return `did ${on}`;
    });
    const agent = createAgent(tool);
    const replies = [calls({ on: 'first' }, { on: 'second' }, { on: 'third' }), done];
    await withWorker({ agents: [agent], replies }, async ({ longhand, models }) => {
      const chain = await longhand.start(agent, 'Act');
      expect((await chain.result()).answer).toBe('All done.');
      expect(order.at(-1)).toBe('first');
      const observed = (await readCalls(chain)).map(({ observation }) => observation);
      expect(observed).toEqual(['did first', 'did second', 'did third']);
      expect(getResults(models.requests[1]?.body)).toMatchObject(
        ['did first', 'did second', 'did third'].map((content) => ({ type: 'tool_result', content })),
      );
    });
  });

  it('have idempotency keys of their own', async () => {
    const keys: string[] = [];
    const agent = createAgent(createTool(({ idempotencyKey }) => keys.push(idempotencyKey), { effects: 'idempotent' }));
    const replies = [calls({ on: 'a' }, { on: 'a' }), calls({ on: 'b' }), done];
    await withWorker({ agents: [agent], replies: [...replies, ...replies] }, async ({ longhand }) => {
      await (await longhand.start(agent, 'Act')).result();
      await (await longhand.start(agent, 'Act')).result();
    });
    expect(keys).toHaveLength(6);
    expect(new Set(keys).size).toBe(6);
  });
});

describe('a call that cannot be executed (L4)', () => {
  it.each([
    ['of a tool that does not exist', { name: 'fly', input: {} }, 'There is no tool named fly. You have: act.'],
    ['of a name that every object has', { name: 'constructor', input: {} }, 'There is no tool named constructor.'],
    [
      'with bad arguments',
      { name: 'act', input: { on: 7 } },
      'The arguments of act are invalid. The call was not run.\non:',
    ],
  ])('%s is an error for the model and no problem of the reply', async (_, call, message) => {
    const entered: string[] = [];
    const agent = createAgent(createTool((_context, on) => entered.push(on)));
    await withWorker({ agents: [agent], replies: [{ calls: [call] }, done] }, async ({ longhand, models }) => {
      const chain = await longhand.start(agent, 'Act');
      expect(await chain.result()).toMatchObject({ outcome: 'success', steps: 2 });
      expect(await readCalls(chain)).toMatchObject([
        { status: 'error', observation: expect.stringContaining(message) },
      ]);
      expect(JSON.stringify(getResults(models.requests[1]?.body))).toContain('"is_error":true');
    });
    expect(entered).toEqual([]);
  });
});

describe('a call that fails (L4)', () => {
  it('with a ToolError is an observation with its message and is not retried', async () => {
    const entered: string[] = [];
    const message = 'There is no such city. Ask for another.';
    const agent = createAgent(
      createTool((_context, on) => {
        entered.push(on);
        throw on === 'Ys' ? new NotDone(message, { permanent: true }) : new ToolError(message, { permanent: true });
      }),
    );
    const asked = calls({ on: 'Atlantis' }, { on: 'Ys' });
    await withWorker({ agents: [agent], replies: [asked, asked, done] }, async ({ longhand }) => {
      const chain = await longhand.start(agent, 'Act');
      expect((await chain.result()).outcome).toBe('success');
      const again = (call: string) => ({
        status: 'error',
        observation: `Not run: it would fail as call ${call} did with the same arguments. Change the arguments, or try another way.\n${message}`,
      });
      const failed = { status: 'error', observation: message };
      expect(await readCalls(chain)).toMatchObject([failed, failed, again('1.1'), again('1.2')]);
    });
    expect(entered.sort()).toEqual(['Atlantis', 'Ys']);
  });

  it('with a fatal ToolError ends the chain, naming the call', async () => {
    const agent = createAgent(
      createTool(() => {
        throw new ToolError('The account is closed.', { fatal: true });
      }),
    );
    await withWorker({ agents: [agent], replies: [calls({ on: 'account' })] }, async ({ longhand }) => {
      const chain = await longhand.start(agent, 'Act');
      const { outcome, reasonCode, reason } = await chain.result();
      expect([outcome, reasonCode]).toEqual(['failure', 'call_failed']);
      expect(reason).toContain('1.1 (act)');
      expect(reason).toContain('The account is closed.');
    });
  });

  it('with another error is retried by its policy with the same key', async () => {
    const seen: { attempt: number; key: string }[] = [];
    const failing = ({ attempt, idempotencyKey: key }: ToolContext) => {
      seen.push({ attempt, key });
      throw new Error(`fault ${attempt}`);
    };
    const agent = createAgent(createTool(failing, { effects: 'idempotent', attempts: 3 }));
    await withWorker({ agents: [agent], replies: [calls({ on: 'a' }), done] }, async ({ longhand }) => {
      const chain = await longhand.start(agent, 'Act');
      expect((await chain.result()).outcome).toBe('success');
      expect(await readCalls(chain)).toMatchObject([{ status: 'error', observation: 'fault 3' }]);
    });
    expect(seen.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
    expect(new Set(seen.map(({ key }) => key)).size).toBe(1);
  });

  it('once and succeeds at the second attempt is a normal result', async () => {
    const agent = createAgent(
      createTool(
        ({ attempt }) => {
          if (attempt === 1) throw new Error('a moment');
          return 'there';
        },
        { attempts: 2 },
      ),
    );
    await withWorker({ agents: [agent], replies: [calls({ on: 'a' }), done] }, async ({ longhand }) => {
      const chain = await longhand.start(agent, 'Act');
      expect((await chain.result()).outcome).toBe('success');
      expect(await readCalls(chain)).toMatchObject([{ status: 'ok', observation: 'there' }]);
    });
  });
});

describe('the result of a tool', () => {
  it('is clipped for the model at its limit and remains JSON', async () => {
    const rows = Array.from({ length: 2_000 }, (_, id) => ({ id, text: `row ${id}` }));
    const agent = defineAgent({ ...createAgent(createTool(() => rows)).definition, maxObservationTokens: 200 });
    await withWorker({ agents: [agent], replies: [calls({ on: 'a' }), done] }, async ({ longhand }) => {
      const chain = await longhand.start(agent, 'Act');
      await chain.result();
      const [call] = await readCalls(chain);
      expect(call?.clippedFrom).toBe(Buffer.byteLength(JSON.stringify(rows)));
      expect(Array.isArray(call?.observation)).toBe(true);
      expect(JSON.stringify(call?.observation).length).toBeLessThan(2_000);
      expect(JSON.stringify(call?.observation)).toContain('row 0');
      expect(JSON.stringify(call?.observation)).toContain('row 1999');
    });
  });

  it('and its equal call have the visibility that the tool set while it ran, for users alone', async () => {
    const agent = createAgent(
      createTool(({ visibility }, on) => {
        visibility('summary', `Checked ${on}\n${'x'.repeat(300)}`);
        return 'data';
      }),
    );
    const replies = [calls({ on: 'a' }), calls({ on: 'a' }), done];
    await withWorker({ agents: [agent], replies }, async ({ longhand }) => {
      const chain = await longhand.start(agent, 'Act');
      await chain.result();
      const open = { roles: { reviewer: 'full' } } as const;
      const seen = await chain.view(createViewer('reviewer'), open);
      const results = seen.steps.filter(({ kind }) => kind === 'tool_result');
      expect(results).toMatchObject([{ level: 'summary' }, { level: 'summary' }]);
      for (const step of results) expect('summary' in step && step.summary).toMatch(/^Checked a x{189}…$/);
      const all = await chain.view(createViewer('developer'), open);
      expect(all.steps.filter(({ kind }) => kind === 'tool_result')).toMatchObject([
        { level: 'full' },
        { level: 'full' },
      ]);
    });
  });

  it('may be undefined or not JSON', async () => {
    const odd = { a: undefined, b: 10n, c: null };
    const cases: Record<string, unknown> = { nothing: undefined, number: 7, zero: null, odd };
    const agent = createAgent(createTool((_, on) => cases[on]));
    const replies = [calls({ on: 'nothing' }, { on: 'number' }, { on: 'zero' }, { on: 'odd' }), done];
    await withWorker({ agents: [agent], replies }, async ({ longhand }) => {
      const chain = await longhand.start(agent, 'Act');
      expect((await chain.result()).outcome).toBe('success');
      expect((await readCalls(chain)).map(({ observation }) => observation)).toEqual([
        'done',
        7,
        null,
        expect.stringContaining('cannot be converted to JSON'),
      ]);
    });
  });
});
