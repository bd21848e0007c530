/**
 * L1 for random scripts: with any replies of models, results of tools and cancels of people, the state of the workflow after
 * each task equals the fold of the history. The scripts are few and the same in every run; those of test/core are many and
 * need no server.
 */

import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { stateQuery } from '../../../src/contract/names.js';
import { listWaitingCalls } from '../../../src/core/engine/state/due-requests.js';
import { type ChainResult, connect, type Longhand } from '../../../src/entries/client.js';
import { defineAgent, defineTool, type Effects, type JsonObject, ToolError } from '../../../src/index.js';
import { expectOneTruth, withWorker } from '../../support/chain-test.js';
import type { RecordedRequest } from '../../support/messages-server.js';
import { acts, answers } from '../../support/react-reply.js';
import type { ScriptedReply } from '../../support/scripted-reply.js';
import { getTemporalAddress } from '../../support/temporal.js';

type Strategy = 'tools' | 'react';

type Move =
  | { readonly calls: readonly { readonly name: string; readonly input: JsonObject }[] }
  | { readonly answer: string }
  | { readonly reply: ScriptedReply };

interface Script {
  readonly strategy: Strategy;
  readonly moves: readonly Move[];
  /** The number of the request or call at which the chain is cancelled; and whether the model call then hangs. */
  readonly cancel: { readonly at: number; readonly byName: boolean; readonly hangs: boolean } | null;
  /** Whether a person approves payments, and how the first unknown outcome is resolved. */
  readonly pays: boolean;
  readonly doubt: (typeof resolutions)[number];
}

const resolutions = ['happened', 'not_happened', 'give_up'] as const;

const call = fc.record({
  name: fc.constantFrom('look', 'look', 'glance', 'glance', 'glance', 'save', 'save', 'pay', 'ghost'),
  input: fc.oneof<fc.WeightedArbitrary<JsonObject>[]>(
    {
      weight: 9,
      arbitrary: fc.record({
        text: fc.constantFrom('rain', 'wind', 'snow', 'broken'),
        // Calls end in another order than they start, and several end in one workflow task.
        ms: fc.constantFrom(0, 2, 4, 6, 8),
      }),
    },
    { weight: 1, arbitrary: fc.constant({ txt: 'a member that there is not' }) },
  ),
});

const error = { type: 'overloaded_error', message: 'Busy.' };
const unreadable: readonly ScriptedReply[] = [
  { text: '' },
  { text: 'Action: look\nAction Input: {"text": ' },
  { text: 'I should', calls: [{ name: 'look', input: {} }], stopReason: 'max_tokens' },
];
const failures: readonly ScriptedReply[] = [
  { status: 529, error, headers: { 'retry-after-ms': '5' } },
  { status: 429, error: { type: 'rate_limit_error', message: 'Slow.' }, headers: { 'retry-after-ms': '1' } },
  { status: 400, error: { type: 'invalid_request_error', message: 'Not like this.' } },
  { cutAfter: 3, text: 'I was about to answer' },
];

const move = fc.oneof<fc.WeightedArbitrary<Move>[]>(
  { weight: 8, arbitrary: fc.record({ calls: fc.array(call, { minLength: 1, maxLength: 3 }) }) },
  { weight: 1, arbitrary: fc.constant({ answer: 'All done.' }) },
  { weight: 3, arbitrary: fc.record({ reply: fc.constantFrom(...unreadable, ...failures) }) },
);

const scripts: fc.Arbitrary<Script> = fc.record({
  strategy: fc.constantFrom('tools', 'react'),
  moves: fc.array(move, { minLength: 1, maxLength: 6 }),
  cancel: fc.option(fc.record({ at: fc.integer({ min: 1, max: 8 }), byName: fc.boolean(), hangs: fc.boolean() }), {
    freq: 2,
  }),
  pays: fc.boolean(),
  doubt: fc.constantFrom(...resolutions),
});

/** A chain that follows its script. */
class Playing {
  readonly chainId = `chain-${randomUUID()}`;
  private readonly pending: Promise<unknown>[] = [];
  private moments = 0;
  private moves: readonly Move[];

  constructor(
    private readonly longhand: Longhand,
    private readonly script: Script,
  ) {
    this.moves = script.moves;
  }

  replies(): ScriptedReply {
    if (this.countMoment() && this.script.cancel?.hangs) return { hang: true, afterEvents: 3, text: 'I continue' };
    const [next = { answer: 'Enough.' }, ...rest] = this.moves;
    this.moves = rest;
    return toReply(next, this.script.strategy);
  }

  /** Counts a moment. Returns whether the script cancels the chain at it. */
  countMoment(): boolean {
    this.moments += 1;
    const { cancel } = this.script;
    if (this.moments !== cancel?.at) return false;
    const { longhand, chainId } = this;
    const handle = longhand.client.workflow.getHandle(chainId);
    const sent = cancel.byName ? longhand.getHandle(chainId).cancel({ by: 'Ada', reason: 'enough' }) : handle.cancel();
    // The chain may have ended.
    this.pending.push(sent.catch(() => {}));
    return true;
  }

  /** A query during a local call ends the workflow task without a command. */
  query(): void {
    const { longhand, chainId } = this;
    this.pending.push(
      longhand.client.workflow
        .getHandle(chainId)
        .query(stateQuery)
        .catch(() => {}),
    );
  }

  /** Decides the requests of the chain until it ends. */
  private async decide(): Promise<void> {
    const { chainId, longhand, script } = this;
    const chain = longhand.getHandle(chainId);
    const inDoubt = new Set<string>();
    for (let seen = await chain.describe(); seen.status === 'running'; seen = await chain.describe()) {
      for (const { id, request } of listWaitingCalls((await chain.read()).state)) {
        const doubt = inDoubt.has(id) ? 'give_up' : script.doubt;
        const decision =
          request.kind === 'outcome'
            ? chain.resolveOutcome(id, doubt)
            : script.pays
              ? chain.approve(id)
              : chain.deny(id);
        if (request.kind === 'outcome') inDoubt.add(id);
        // The chain may have ended, or the request may be closed.
        await decision.catch(() => {});
      }
      await pause(50);
    }
  }

  async run(): Promise<ChainResult> {
    const { longhand, chainId, script } = this;
    const chain = await longhand.start(script.strategy, `See to ${chainId}`, { chainId, limits: { steps: 4 } });
    if (script.moves.some((move) => 'calls' in move && move.calls.some(({ name }) => name === 'pay'))) {
      this.pending.push(this.decide());
    }
    const result = await chain.result();
    await Promise.all(this.pending);
    await expectOneTruth(longhand, chain);
    return result;
  }
}

function toReply(move: Move, strategy: Strategy): ScriptedReply {
  if ('reply' in move) return move.reply;
  if ('answer' in move) return strategy === 'react' ? answers('I know enough.', move.answer) : { text: move.answer };
  const [first] = move.calls;
  if (strategy === 'tools' || first === undefined) return { text: 'I call.', calls: move.calls };
  return acts('I want to know more.', first.name, first.input);
}

/** The chains of a run, by their ids. */
const playing = new Map<string, Playing>();

function replyTo({ body }: RecordedRequest): ScriptedReply {
  const [chainId = ''] = /chain-[-0-9a-f]{36}/.exec(JSON.stringify(body.messages[0])) ?? [];
  return playing.get(chainId)?.replies() ?? { text: 'Who are you?' };
}

function createTool(name: string, effects: Effects, local = false) {
  return defineTool({
    name,
    description: 'Takes a text',
    inputSchema: z.object({ text: z.string(), ms: z.number() }),
    effects,
    local,
    ...(effects === 'unsafe' ? {} : { retry: { attempts: 2, backoff: 10 } }),
    execute: async ({ text, ms }, { chainId }) => {
      playing.get(chainId)?.countMoment();
      if (local) playing.get(chainId)?.query();
      await pause(ms);
      if (text !== 'broken') return `${name}: ${text}`;
      throw effects === 'read' ? new ToolError('It is broken.') : new Error('It broke.');
    },
  });
}

const tools = [
  createTool('look', 'read'),
  createTool('glance', 'read', true),
  createTool('save', 'idempotent'),
  createTool('pay', 'unsafe'),
];
const agents = (['tools', 'react'] as const).map((name) => {
  return defineAgent({ name, model: 'claude-sonnet-5-5', strategy: name, tools });
});

it('the fold of the history equals the state of the workflow after every task', async () => {
  const results: ChainResult[] = [];
  await withWorker({ agents, replies: replyTo }, async ({ models, taskQueue }) => {
    // A separate client: its chains are compared at once, so that fast-check reports the scripts that fail.
    const longhand = await connect({ address: getTemporalAddress(), taskQueue });
    const property = fc.asyncProperty(fc.array(scripts, { minLength: 5, maxLength: 5 }), async (given) => {
      const begun = given.map((script) => new Playing(longhand, script));
      for (const each of begun) playing.set(each.chainId, each);
      results.push(...(await Promise.all(begun.map((each) => each.run()))));
    });
    await fc.assert(property, { numRuns: 5, seed: 4, endOnFailure: true }).finally(() => longhand.close());
    expect(models.rejected).toEqual([]);
  });
  // Scripts with equal outcomes would prove little.
  const outcomes = results.map(({ outcome }) => outcome);
  expect(outcomes).toEqual(expect.arrayContaining(['success', 'cancelled', 'failure', 'max_iterations']));
  expect(results.reduce((sum, { steps }) => sum + steps, 0)).toBeGreaterThan(30);
});
