/**
 * Failures of a provider. L6: each attempt at a model call is one activity with one attempt and one fact, and is charged what
 * it may have cost; the waits between attempts are durable. L4: a failure that no retry can fix ends the chain with the fix.
 */

import { describe, expect, it } from 'vitest';
import { findFreePort } from '../../../src/cli/server/ports.js';
import type { CallModelInput } from '../../../src/contract/activities.js';
import type { ModelFailure } from '../../../src/core/model/fact.js';
import { countTotalTokens } from '../../../src/core/model/usage.js';
import type { ChainHandle } from '../../../src/entries/client.js';
import { anthropicProvider, type ModelProvider } from '../../../src/entries/models.js';
import { type AgentDefinition, defineAgent } from '../../../src/index.js';
import { budget, isLong } from '../../support/budget.js';
import { type ChainTest, withWorker } from '../../support/chain-test.js';
import { playInTime } from '../../support/enough-time.js';
import { decryptPayload } from '../../support/opened.js';
import type { ScriptedReply } from '../../support/scripted-reply.js';
import { note } from '../../support/tools.js';

function createAgent(definition: Partial<AgentDefinition> = {}) {
  return defineAgent({ name: 'patient', model: 'claude-sonnet-5-5', strategy: 'tools', tools: [note], ...definition });
}

const agent = createAgent();
const done: ScriptedReply = { text: 'All done.' };
const atOnce = { 'retry-after': '0' } as const;

interface ModelCall {
  readonly attempt: number;
  /** The reserved tokens. */
  readonly reserved: number;
  readonly failure: ModelFailure | null;
}

interface ModelCalls {
  readonly calls: readonly ModelCall[];
  /** The durable waits between the calls in milliseconds, in order. */
  readonly waits: readonly number[];
}

/** Reads the model calls, one activity each, and the timers between them from the history. */
async function readModelCalls({ longhand }: ChainTest, { chainId }: ChainHandle): Promise<ModelCalls> {
  const events = (await longhand.client.workflow.getHandle(chainId).fetchHistory()).events ?? [];
  const calls = events.flatMap(({ eventId, activityTaskScheduledEventAttributes: scheduled }): ModelCall[] => {
    if (scheduled?.activityType?.name !== 'longhand.callModel') return [];
    expect(scheduled.retryPolicy?.maximumAttempts).toBe(1);
    const { attempt, reservation } = decryptPayload(scheduled.input?.payloads?.[0]) as CallModelInput;
    const completed = events
      .map((event) => event.activityTaskCompletedEventAttributes)
      .find((ended) => String(ended?.scheduledEventId) === String(eventId));
    const result = decryptPayload(completed?.result?.payloads?.[0]) as { readonly failure?: ModelFailure } | null;
    const failure = result?.failure ?? null;
    return [{ attempt, reserved: reservation.inputTokens + reservation.outputTokens, failure }];
  });
  const waits = events.flatMap(({ timerStartedEventAttributes: timer, userMetadata }) => {
    if (!timer || !/before attempt/.test(String(decryptPayload(userMetadata?.summary)))) return [];
    const { seconds, nanos } = timer.startToFireTimeout ?? {};
    return [Number(seconds ?? 0) * 1_000 + (nanos ?? 0) / 1_000_000];
  });
  return { calls, waits };
}

describe('a model call that fails', () => {
  /** The wire's tests have each failure; the short form has one before the stream and one in it. */
  const retried: readonly [string, ScriptedReply, Partial<ModelFailure>, number][] = [
    [
      'a rate limit with a retry-after header',
      { status: 429, headers: { 'retry-after': '1' }, error: { type: 'rate_limit_error', message: 'slow down' } },
      { kind: 'rate_limit', settle: 'nothing', retryAfterMs: 1_000 },
      1_000,
    ],
    [
      'an overloaded provider',
      { status: 529, headers: { 'retry-after-ms': '40' } },
      { kind: 'overloaded', settle: 'nothing' },
      40,
    ],
    ['an error of the server', { status: 500 }, { kind: 'server_error', settle: 'nothing' }, 1_000],
    ['a cut stream', { cutAfter: 4, text: 'Let me see' }, { kind: 'cut', settle: 'usage' }, 1_000],
    [
      'an error in the middle of the stream',
      { errorAfter: 4, text: 'Let me see', error: { type: 'overloaded_error', message: 'too many' } },
      { kind: 'overloaded', settle: 'usage' },
      1_000,
    ],
  ];
  const some = isLong ? retried : retried.filter(([what]) => /^a (rate limit|cut)/.test(what));

  it.each(some)('with %s is retried after a durable wait', async (_, reply, failure, wait) => {
    await withWorker({ agents: [agent], replies: [reply, done] }, async (test) => {
      const chain = await test.longhand.start(agent, 'Go');
      const result = await chain.result();
      expect(result).toMatchObject({ outcome: 'success', answer: 'All done.', steps: 1 });
      const { calls, waits } = await readModelCalls(test, chain);
      expect(calls.map(({ attempt }) => attempt)).toEqual([1, 2]);
      expect(calls[0]?.failure).toMatchObject(failure);
      expect(waits).toEqual([wait]);
      const { state, notices } = await chain.read();
      expect(notices).toMatchObject([{ code: 'model_retry', text: expect.stringContaining('Attempt 1') }]);
      // Usage that arrived before the stream died is part of the chain's.
      expect(state.charged.tokens).toBe(countTotalTokens(result.usage));
    });
  });

  it('only in the empty line after its last event is not retried, and is charged its reported usage', async () => {
    await withWorker({ agents: [agent], replies: [{ ...done, endLacks: 1 }] }, async (test) => {
      const chain = await test.longhand.start(agent, 'Go');
      const result = await chain.result();
      expect(result).toMatchObject({ outcome: 'success', answer: 'All done.', steps: 1 });
      expect(test.models.requests).toHaveLength(1);
      const { calls, waits } = await readModelCalls(test, chain);
      expect({ calls, waits }).toMatchObject({ calls: [{ attempt: 1, failure: null }], waits: [] });
      const { state, notices } = await chain.read();
      expect(notices).toEqual([]);
      expect(state.charged.tokens).toBe(countTotalTokens(result.usage));
    });
  });

  it('with a timeout is charged in full and retried', async () => {
    const impatient = createAgent({ modelTimeout: 600 });
    let requests = 0;
    // On a busy machine, a reply may not be complete in this time either.
    const replies = () => (requests++ === 0 ? ({ hang: true } as const) : done);
    await withWorker({ agents: [impatient], replies }, async (test) => {
      const chain = await test.longhand.start(impatient, 'Go');
      const result = await chain.result();
      expect(result.outcome).toBe('success');
      const { calls } = await readModelCalls(test, chain);
      const failed = calls.filter(({ failure }) => failure !== null);
      expect(failed.length).toBeGreaterThan(0);
      for (const { failure } of failed) expect(failure).toMatchObject({ kind: 'timeout', settle: 'reservation' });
      expect(test.models.aborted).toBeGreaterThan(0);
      const { state } = await chain.read();
      const reserved = failed.reduce((sum, call) => sum + call.reserved, 0);
      expect(state.charged.tokens).toBe(countTotalTokens(result.usage) + reserved);
    });
  });

  it('with a refused connection costs nothing and is retried', async () => {
    const unreachable = anthropicProvider({ baseURL: `http://127.0.0.1:${await findFreePort()}`, apiKey: 'test' });
    let calledTimes = 0;
    await withWorker({ agents: [agent], replies: [done] }, async (test) => {
      await test.worker.stop();
      const answering = anthropicProvider({ baseURL: test.models.url, apiKey: 'test' });
      const provider: ModelProvider = {
        name: 'anthropic',
        call: (...call) => (calledTimes++ === 0 ? unreachable : answering).call(...call),
      };
      await test.startWorker({ providers: [provider] });
      const chain = await test.longhand.start(agent, 'Go');
      expect((await chain.result()).outcome).toBe('success');
      const { calls, waits } = await readModelCalls(test, chain);
      expect(calls[0]?.failure).toMatchObject({ kind: 'connection', settle: 'nothing' });
      expect(waits).toEqual([1_000]);
    });
  });

  it('again and again opens its circuit: calls fail unsent until a probe succeeds', async () => {
    const busy: ScriptedReply = { status: 529, headers: atOnce, error: { type: 'overloaded_error', message: 'busy' } };
    await playInTime(1_000, (pause) =>
      withWorker({ agents: [agent], replies: [busy, busy, done] }, async (test) => {
        await test.worker.stop();
        await test.startWorker({ circuitBreaker: { failures: 2, pause } });
        const chain = await test.longhand.start(agent, 'Go');
        expect(await chain.result()).toMatchObject({ outcome: 'success', costUsd: expect.any(Number) });
        const { calls } = await readModelCalls(test, chain);
        // The pause was over before the third call.
        if (calls.length === 3) return null;
        const kinds = calls.map(({ failure }) => failure?.kind);
        expect(kinds.slice(0, 3)).toEqual(['overloaded', 'overloaded', 'circuit_open']);
        expect(test.models.requests).toHaveLength(3);
        return kinds;
      }),
    );
  });

  it('ends the chain after the attempts of the agent', async () => {
    const impatient = createAgent({ modelRetry: { attempts: 3 } });
    const busy: ScriptedReply = { status: 529, headers: atOnce, error: { type: 'overloaded_error', message: 'busy' } };
    await withWorker({ agents: [impatient], replies: Array<ScriptedReply>(3).fill(busy) }, async (test) => {
      const chain = await test.longhand.start(impatient, 'Go');
      const result = await chain.result();
      expect(result).toMatchObject({ outcome: 'failure', reasonCode: 'model_attempts', steps: 0, costUsd: 0 });
      expect(result.reason).toContain('busy');
      expect((await readModelCalls(test, chain)).calls.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
    });
  });

  it('has attempts that are counted from 1 after each reply', async () => {
    const busy: ScriptedReply = { status: 529, headers: atOnce };
    const step: ScriptedReply = { calls: [{ name: 'note', input: { text: 'a' } }] };
    const replies = [busy, busy, step, busy, done];
    await withWorker({ agents: [agent], replies }, async (test) => {
      const chain = await test.longhand.start(agent, 'Go');
      expect(await chain.result()).toMatchObject({ outcome: 'success', steps: 2 });
      expect((await readModelCalls(test, chain)).calls.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 1, 2]);
    });
  });

  it('can use up the budget, so that it is not retried (L6)', async () => {
    const poor = createAgent({ limits: { tokens: 20_000 } });
    // No usage arrives before the cut.
    const cut: ScriptedReply = { cutAfter: 0, text: 'Let me see' };
    const summary: ScriptedReply = { text: 'Nothing was found.' };
    await withWorker({ agents: [poor], replies: [cut, summary] }, async (test) => {
      const chain = await test.longhand.start(poor, 'Go');
      const result = await chain.result();
      expect(result).toMatchObject({ outcome: 'token_budget', steps: 0, partial: 'Nothing was found.' });
      // The room that was kept pays for the summary.
      const { calls } = await readModelCalls(test, chain);
      expect(calls).toMatchObject([{ failure: { kind: 'cut' } }, { failure: null }]);
      const { tokens } = await chain.describe();
      expect(tokens).toBe((calls[0]?.reserved ?? 0) + countTotalTokens(result.usage));
      expect(tokens).toBeLessThanOrEqual(20_000);
    });
  });
});

describe('a model call that cannot be retried', () => {
  const strict = createAgent({ onProviderError: 'fail' });

  const rejections = [
    [401, 'authentication_error', 'invalid x-api-key', 'Set a valid key of this provider'],
    [400, 'invalid_request_error', 'effort: not supported', "compare the agent's model options"],
    [404, 'not_found_error', 'model: claude-sonnet-5-5', "Check the model's name"],
  ] as const;
  const rejected = rejections.slice(0, budget(1, 3));

  it.each(rejected)('ends the chain with the fix for HTTP status %i', async (status, type, message, remedy) => {
    await withWorker({ agents: [strict], replies: [{ status, error: { type, message } }] }, async (test) => {
      const chain = await test.longhand.start(strict, 'Go');
      const { outcome, reasonCode, reason } = await chain.result();
      expect([outcome, reasonCode]).toEqual(['failure', 'model_failed']);
      expect(reason).toContain(message);
      expect(reason).toContain(remedy);
      expect(test.models.requests).toHaveLength(1);
      const { status: closed } = await test.longhand.client.workflow.getHandle(chain.chainId).describe();
      expect(closed.name).toBe('FAILED');
    });
  });

  it('ends the chain as token_budget, with the fix, if the task alone is too long', async () => {
    await withWorker({ agents: [agent], replies: [tooLong] }, async ({ longhand }) => {
      const result = await (await longhand.start(agent, 'Go')).result();
      expect(result).toMatchObject({
        outcome: 'token_budget',
        reasonCode: 'context_rejected',
        success: false,
        steps: 0,
      });
      expect(result.reason).toContain('choose a model with a larger window');
    });
  });
});

const tooLong: ScriptedReply = {
  status: 400,
  error: { type: 'invalid_request_error', message: 'prompt is too long: 210000 tokens > 200000 maximum' },
};

it('a request that the provider rejects as too long is made once more, with a summary of the oldest steps', async () => {
  const notes = Array.from({ length: 8 }, (_, at): ScriptedReply => {
    return { calls: [{ name: 'note', input: { text: `Note ${at}: ${'n'.repeat(2_000)}` } }] };
  });
  await withWorker({ agents: [agent], replies: [...notes, tooLong, done] }, async (test) => {
    const chain = await test.longhand.start(agent, 'Go');
    expect(await chain.result()).toMatchObject({ outcome: 'success', answer: 'All done.', steps: 9 });
    const { calls, waits } = await readModelCalls(test, chain);
    expect(calls.slice(-2)).toMatchObject([
      { attempt: 1, failure: { kind: 'context_overflow', settle: 'nothing' } },
      { attempt: 1, failure: null },
    ]);
    expect(waits).toEqual([]);
    const [rejected = '', made = ''] = test.models.requests.slice(-2).map((request) => JSON.stringify(request));
    expect(made.length).toBeLessThan(rejected.length / 2);
    expect(made).toContain('Summary of steps 1 to ');
    const { notices } = await chain.read();
    expect(notices.filter(({ code }) => code === 'compacted')).toHaveLength(1);
  });
});

describe('a reply', () => {
  it('with a refusal ends the chain as refused', async () => {
    const replies: ScriptedReply[] = [{ text: 'I will not.', stopReason: 'refusal' }];
    await withWorker({ agents: [agent], replies }, async ({ longhand }) => {
      const chain = await longhand.start(agent, 'Go');
      expect(await chain.result()).toMatchObject({ outcome: 'refused', success: false, answer: null, steps: 1 });
      const { status } = await longhand.client.workflow.getHandle(chain.chainId).describe();
      expect(status.name).toBe('FAILED');
    });
  });

  it('that was cut off at maxTokens is a problem, and none of its calls is executed', async () => {
    const cut: ScriptedReply = {
      text: 'I note.',
      calls: [{ name: 'note', input: { text: 'half' } }],
      stopReason: 'max_tokens',
    };
    await withWorker({ agents: [agent], replies: [cut, done] }, async ({ longhand, models }) => {
      const chain = await longhand.start(agent, 'Go');
      expect(await chain.result()).toMatchObject({ outcome: 'success', steps: 2 });
      const [first] = (await chain.read()).steps;
      expect(first?.problem).toContain('cut off');
      expect(first?.calls).toEqual([]);
      expect(JSON.stringify(models.requests[1]?.body.messages.at(-1))).toContain('cut off');
      expect(models.rejected).toEqual([]);
    });
  });

  it('that was paused is continued and is one step', async () => {
    const paused: ScriptedReply = { text: 'One moment.', stopReason: 'pause_turn' };
    await withWorker({ agents: [agent], replies: [paused, done] }, async ({ longhand, models }) => {
      const chain = await longhand.start(agent, 'Go');
      expect(await chain.result()).toMatchObject({ outcome: 'success', answer: 'All done.', steps: 1 });
      expect(JSON.stringify(models.requests[1]?.body.messages.at(-1))).toContain('One moment.');
      expect((await chain.read()).steps[0]?.pausedContent).toEqual([{ type: 'text', text: 'One moment.' }]);
    });
  });

  it('that is unreadable three times in a row ends the chain without a summary', async () => {
    const empty: ScriptedReply = { thinking: 'Hm.' };
    const step: ScriptedReply = { calls: [{ name: 'note', input: { text: 'a' } }] };
    // A readable reply in between resets the count.
    const replies = [empty, empty, step, empty, empty, empty];
    await withWorker({ agents: [agent], replies }, async ({ longhand, models }) => {
      const result = await (await longhand.start(agent, 'Go')).result();
      expect(result).toMatchObject({ outcome: 'failure', reasonCode: 'unreadable_replies', steps: 6 });
      expect(models.requests).toHaveLength(6);
    });
  });
});
