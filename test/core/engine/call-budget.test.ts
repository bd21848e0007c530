/**
 * L6 for tool calls that cost: the most that a call may cost is reserved before it runs, and each attempt is settled. Chains are
 * played by the real core, with models that report anything.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { computeCommittedUse } from '../../../src/core/engine/state/budget-tree.js';
import { listCallReservations } from '../../../src/core/engine/state/call-payment.js';
import { computeWorkedMs } from '../../../src/core/engine/state/flight.js';
import { formatToolName } from '../../../src/core/lib/display.js';
import type { CallableModel, CallCost, ModelUse } from '../../../src/core/model/call-cost.js';
import { listCostParts, sumReservations } from '../../../src/core/model/call-cost.js';
import type { FailureDetails, Observation } from '../../../src/core/model/fact.js';
import type { RequestRules } from '../../../src/core/model/request.js';
import { buildReasoning } from '../../../src/core/view/build-reasoning.js';
import { listChargeNotes, listChargeRemarks } from '../../../src/core/view/print/charge-lines.js';
import type { AgentSnapshot, Json, Price, Usage } from '../../../src/index.js';
import { budget } from '../../support/budget.js';
import { agentOf, answers, asks, someInput, somePrice, tool, usage } from '../../support/core-builders.js';
import { ask, charged, delegatingAgent, lineage, reported } from '../../support/core-delegation.js';
import { kinds, type Play, prepared } from '../../support/core-play.js';

const model = (name: string, price: Price | null = somePrice): CallableModel => ({
  ...{ name, provider: 'some-provider', id: `${name}-1`, price, maxTokens: 8_000, contextTokens: null },
  takesTemperature: false,
});

const oneModel: CallCost = {
  ...{ kind: 'model', models: [model('fast'), model('strong')], maxTokens: 1_000, instructionBytes: 0 },
};
const several: CallCost = { ...oneModel, kind: 'consensus', judge: model('judge') };

const llm = tool('llm', { cost: oneModel, attempts: 3 });
const consensus = tool('consensus', { cost: several, attempts: 2 });

function asking(limits: Partial<AgentSnapshot['limits']> = {}): Play {
  return prepared(agentOf({ tools: [llm, consensus, tool('read')], limits }));
}

const question = { model: 'fast', prompt: 'What is due?' };
/** Of 12 bytes and the provider's own tokens, and of the whole answer. */
const most = { inputTokens: 1_036, outputTokens: 1_000, usd: 0.01259 };

const used = (reported: Usage | null, more: Partial<ModelUse> = {}): ModelUse => ({
  ...{ part: 0, model: 'fast-1', provider: 'some-provider', settle: 'usage', usage: reported, durationMs: 900 },
  ...more,
});

function answered(play: Play, call: string, uses?: readonly ModelUse[]): void {
  const observation: Observation = { content: 'nothing', clippedFrom: null, ...(uses === undefined ? {} : { uses }) };
  play.take({ type: 'toolReturned', call, observation });
}

const failed = (details: Json, more: Partial<FailureDetails> = {}): FailureDetails => ({
  ...{ type: 'Error', message: 'fast did not answer', timeoutType: null, details },
  ...more,
});

describe('a call with a fee', () => {
  const fee = (limits: Partial<AgentSnapshot['limits']> = {}) => {
    const cost: CallCost = { kind: 'fee', usd: 0.02 };
    const play = prepared(agentOf({ tools: [tool('search', { cost, attempts: 2 })], limits }));
    play.replied(asks({ tool: 'search', input: { q: 'rent' } }));
    return play;
  };
  const paid = (usd: number, more: Partial<ModelUse> = {}): ModelUse => ({
    ...used(null, { model: null, provider: null, usd }),
    ...more,
  });

  it('reserves the most, and is charged what its worker computed', () => {
    const play = fee();
    expect(listCallReservations(play.state)).toEqual([{ inputTokens: 0, outputTokens: 0, usd: 0.02 }]);
    answered(play, '1.1', [paid(0.005)]);
    expect(play.state.charged).toEqual({ tokens: 1_100, usd: 0.008 });
    const charges = play.step.calls[0]?.charges;
    expect(charges).toMatchObject([{ role: 'fee', name: 'search', costUsd: 0.005 }]);
    expect(listChargeRemarks(charges)).toEqual(['$0.005']);
    expect(listChargeNotes(charges)).toEqual(['search: $0.005']);
    expect(play.state.reservedCharges.calls).toBe(0);
  });

  it('costs nothing where it did not run, as for a cached result', () => {
    const play = fee();
    answered(play, '1.1', []);
    expect(play.state.charged.usd).toBe(0.003);
    expect(play.step.calls[0]).not.toHaveProperty('charges');
  });

  it.each([
    ['nothing', undefined],
    ['no amount', [used(null)]],
    ['a negative amount', [paid(-1)]],
    ['an absurd amount', [paid(1_000)]],
    ['that it began', [paid(0, { settle: 'reservation' })]],
  ])('is charged the most where its worker reports %s', (_, uses) => {
    const play = fee();
    answered(play, '1.1', uses);
    expect(play.state.charged.usd).toBe(0.023);
    expect(listChargeNotes(play.step.calls[0]?.charges)[0]).toContain('the most that it may cost');
  });

  it('is charged for each attempt, and each reserves again', () => {
    const play = fee();
    play.broke('1.1', failed({ uses: [paid(0, { settle: 'reservation' })] as unknown as Json, retry: true }));
    expect(play.state.charged.usd).toBe(0.023);
    play.after(1_000).fired('retry');
    expect(listCallReservations(play.state)).toHaveLength(1);
    answered(play, '1.1', [paid(0.02)]);
    expect(play.state.charged.usd).toBe(0.043);
    expect(play.step.calls[0]?.charges).toHaveLength(2);
  });

  it('is rejected where the cost limit cannot pay for it, and the model sees why', () => {
    const play = fee({ costUsd: 0.04 });
    expect(play.ran).toEqual([]);
    expect(play.step.calls[0]?.observation).toMatch(
      /^Not run: this call may cost up to \$0\.02, and the budget leaves \$0\.\d+\. Continue without it, or finish\.$/,
    );
  });
});

describe('a call that costs', () => {
  it('reserves the most that it may cost before it runs', () => {
    const play = asking();
    play.replied(asks({ tool: 'llm', input: question }));
    expect(kinds(play.actions)).toContain('runCalls');
    expect(listCallReservations(play.state)).toEqual([most]);
    expect(play.state.charged).toEqual({ tokens: 1_100, usd: 0.003 });
    expect(computeCommittedUse(play.state)).toEqual({ tokens: 1_100 + 2_036, usd: 0.01559 });
  });

  it('is charged what its model reports, and shows it', () => {
    const play = asking();
    play.replied(asks({ tool: 'llm', input: question }));
    answered(play, '3.1', []);
    answered(play, '1.1', [used(usage(500, 100))]);
    expect(play.state.charged).toEqual({ tokens: 1_700, usd: 0.005 });
    expect(play.state.usage).toMatchObject({ input: 1_500, output: 200 });
    expect(play.step.calls[0]?.charges).toEqual([
      {
        ...{ role: 'answer', name: 'fast', model: 'fast-1', provider: 'some-provider', durationMs: 900 },
        ...{ usage: usage(500, 100), costUsd: 0.002 },
      },
    ]);
    expect(play.modelCall.call).toBe('model-2');
    expect(listCallReservations(play.state)).toEqual([]);
  });

  it('costs nothing where nothing was sent, as for a cached answer', () => {
    const play = asking();
    play.replied(asks({ tool: 'llm', input: question }, { tool: 'llm', input: { ...question, model: 'strong' } }));
    answered(play, '1.1', []);
    answered(play, '1.2', [used(null, { settle: 'nothing', model: null, failure: 'connection' })]);
    expect(play.state.charged).toEqual({ tokens: 1_100, usd: 0.003 });
    expect(play.step.calls.map(({ charges }) => charges?.map(({ costUsd }) => costUsd))).toEqual([undefined, [0]]);
  });

  it.each([
    ['nothing at all', undefined],
    ['no usage', [used(null)]],
    ['an absurd usage', [used(usage(1e12, 1e12))]],
    ['a negative usage', [used({ ...usage(500, 100), input: -500 })]],
    ['that its stream was cut', [used(null, { settle: 'reservation', failure: 'cut', model: null })]],
  ])('is charged its whole reservation where its worker reports %s', (_, uses) => {
    const play = asking();
    play.replied(asks({ tool: 'llm', input: question }));
    answered(play, '1.1', uses);
    expect(play.state.charged).toEqual({ tokens: 1_100 + 2_036, usd: 0.01559 });
    expect(play.state.reservedCharges).toEqual({ calls: 1, tokens: 2_036, usd: most.usd });
    expect(play.step.calls[0]?.charges).toMatchObject([{ name: 'fast', charged: most, costUsd: most.usd }]);
  });

  it('is rejected where the budget cannot pay for it, and the model sees why', () => {
    const play = asking({ costUsd: 0.04 });
    play.replied(asks({ tool: 'consensus', input: { prompt: 'What is due?' } }));
    expect(play.ran).toEqual([]);
    expect(play.statuses).toEqual(['error']);
    expect(play.step.calls[0]?.observation).toMatch(
      /^Not run: this call may cost up to \$0\.\d+, and the budget leaves \$0\.\d+\. Shorten the prompt/,
    );
    expect(play.state.charged.usd).toBe(0.003);
  });

  it('is rejected where the tokens are not enough', () => {
    const play = asking({ tokens: 12_000 });
    play.replied(asks({ tool: 'llm', input: { ...question, prompt: 'x'.repeat(8_000) } }));
    expect(play.step.calls[0]?.observation).toMatch(/^Not run: this call may use up to 10,024 tokens, and the budget/);
  });

  it('reserves for the input at its highest rate, even if that is the rate of a read from the cache', () => {
    const price: Price = { input: 2e-6, output: 1e-5, cacheRead: 4e-6, cacheWrite: 0 };
    const cost: CallCost = { ...oneModel, models: [model('fast', price)] };
    expect(listCostParts(cost, question)[0]?.reservation.usd).toBe(1_036 * 4e-6 + 1_000 * 1e-5);
  });

  it('is rejected where no price is known for its model, if only the share of a parent limits the cost', () => {
    const cost: CallCost = { ...oneModel, models: [model('fast', null), model('strong')] };
    const agent = agentOf({ tools: [tool('llm', { cost })], limits: { costUsd: null } });
    const play = prepared(agent, { ...someInput, lineage: lineage() });
    play.replied(asks({ tool: 'llm', input: question }, { tool: 'llm', input: { ...question, model: 'strong' } }));
    expect(play.ran).toEqual(['1.2']);
    expect(play.step.calls[0]?.observation).toMatch(/^Not run: no price is known for fast, so the cost limit/);
    expect(play.state.charged.usd).toBe(0.003);
  });

  describe('with a context window', () => {
    const narrow = { ...model('narrow'), contextTokens: 10_000 };
    const wide = { ...model('wide'), contextTokens: 200_000 };
    /** Tokens of 4 bytes, with room for an answer of 1,000. */
    const longest = 'x'.repeat(4 * 9_000);
    const askNarrow = (cost: Partial<CallCost>, prompt: string) => {
      const play = prepared(agentOf({ tools: [tool('llm', { cost: { ...oneModel, ...cost } as CallCost })] }));
      play.replied(asks({ tool: 'llm', input: { prompt } }));
      return play;
    };

    it('is rejected where its prompt cannot fit, before anything is reserved', () => {
      const play = askNarrow({ models: [narrow] }, `${longest}x`);
      expect(play.ran).toEqual([]);
      expect(play.step.calls[0]?.observation).toBe(
        'Not run: narrow reads 10,000 tokens, its answer included, and the prompt has about 9,001. Shorten the prompt, or choose a model that reads more.',
      );
      expect(play.state.charged.usd).toBe(0.003);
    });

    it('runs where the prompt fits by the estimate, although its bytes would not', () => {
      expect(askNarrow({ models: [narrow] }, longest).ran).toEqual(['1.1']);
    });

    it('runs where one of several models can read the prompt', () => {
      const kind = { kind: 'consensus', judge: narrow } as const;
      expect(askNarrow({ ...kind, models: [narrow, wide] }, `${longest}x`).ran).toEqual(['1.1']);
      expect(askNarrow({ ...kind, models: [narrow, narrow] }, `${longest}x`).ran).toEqual([]);
    });
  });

  it('waits while other calls hold budget that they may return', () => {
    const play = asking({ costUsd: 0.07 });
    play.replied(asks({ tool: 'llm', input: question }, { tool: 'llm', input: { ...question, prompt: 'And then?' } }));
    expect(play.ran).toEqual(['1.1']);
    answered(play, '1.1', [used(usage(500, 10))]);
    expect(play.ran).toEqual(['1.1', '1.2']);
    answered(play, '1.2', [used(usage(500, 10))]);
    expect(play.statuses).toEqual(['ok', 'ok']);
  });

  it('leaves the time in which it waits for the budget of a sub-chain out of the time limit', () => {
    const agent = delegatingAgent({}, { limits: { costUsd: 0.08 } });
    const play = prepared({ ...agent, tools: [...agent.tools, llm] });
    play.replied(asks({ tool: 'llm', input: question }, ask()));
    play.broke('1.1', failed({ uses: [], retry: true }));
    const worked = computeWorkedMs(play.state);
    play.after(1_000).fired('wait');
    expect(play.state.flight).toMatchObject({
      calls: [{ progress: 'queued' }, { children: [{ chainId: 'chain-1/1.2' }] }],
    });
    play.after(60_000);
    reported(play, 'chain-1/1.2', { charged: charged({ timeMs: 5_000 }) });
    expect(computeWorkedMs(play.state) - worked).toBe(5_000);
    expect(play.ran).toEqual(['1.1', '1.1']);
  });

  it('is charged each attempt, and reserves again for the next', () => {
    const play = asking();
    play.replied(asks({ tool: 'llm', input: question }));
    play.broke('1.1', failed({ uses: [], retry: true }));
    expect(kinds(play.actions)).toContain('timer wait');
    expect(listCallReservations(play.state)).toEqual([]);
    play.after(1_000).fired('wait');
    expect(play.ran).toEqual(['1.1', '1.1']);
    play.broke('1.1', failed(null, { type: 'timeout', timeoutType: 'HEARTBEAT' }));
    play.after(2_000).fired('wait');
    expect(play.ran).toEqual(['1.1', '1.1', '1.1']);
    answered(play, '1.1', [used(usage(500, 100))]);
    expect(play.state.charged).toEqual({ tokens: 1_100 + 2_036 + 600, usd: 0.01759 });
    expect(play.step.calls[0]?.charges?.map(({ failure, costUsd }) => [failure, costUsd])).toEqual([
      ['lost', most.usd],
      [undefined, 0.002],
    ]);
  });

  it('fails after its last attempt, and at once where a retry would not help', () => {
    const play = asking();
    play.replied(asks({ tool: 'llm', input: question }, { tool: 'llm', input: { ...question, prompt: 'Why?' } }));
    play.broke('1.2', failed({ uses: [], retry: false }, { type: 'ToolError' }));
    for (const ms of [1_000, 2_000, 0]) {
      play.broke('1.1', failed({ uses: [], retry: true }));
      play.after(ms).fired('wait');
    }
    expect(play.ran).toEqual(['1.1', '1.2', '1.1', '1.1']);
    expect(play.statuses).toEqual(['error', 'error']);
  });

  it('is charged its reservation where it is abandoned', () => {
    const play = asking();
    play.replied(asks({ tool: 'llm', input: question }));
    play.cancelledBy('ann');
    play.after(10_000).fired('grace');
    expect(play.state.charged.usd).toBe(0.01559);
    expect(play.step.calls[0]).toMatchObject({ status: 'abandoned', charges: [{ charged: most }] });
  });

  it('releases its reservation where its worker lacks the tool', () => {
    const play = asking();
    play.replied(asks({ tool: 'llm', input: question }));
    play.take({ type: 'requeued', activity: '1.1' });
    expect(play.ran).toEqual(['1.1', '1.1']);
    expect(play.state.charged.usd).toBe(0.003);
    expect(listCallReservations(play.state)).toEqual([most]);
  });

  it('states what it may cost to the people who approve it', () => {
    const play = asking();
    const rules: RequestRules = {
      ...{ reason: 'Several models are asked.', roles: [], approvers: 1, byRequester: true, expiresMs: null },
      ...{ risk: 'low', onExpiry: 'deny', escalation: null },
    };
    play.replied({ ...asks({ tool: 'consensus', input: { prompt: 'Why?' } }), approvals: [rules] });
    expect(play.step.calls[0]?.requests?.[0]?.rules.reason).toBe('Several models are asked. It may cost up to $0.06.');
    expect(listCallReservations(play.state)).toEqual([]);
  });

  it('shows what it may cost while it runs, and its charges once it ended', () => {
    const play = asking();
    play.replied(asks({ tool: 'llm', input: question }));
    const readStep = (kind: 'tool_call' | 'tool_result') => {
      return buildReasoning(play.chain).steps.find((step) => step.kind === kind);
    };
    expect(readStep('tool_call')).toMatchObject({ tool: 'llm', status: 'pending', cost: most });
    answered(play, '1.1', [used(usage(500, 100))]);
    expect(readStep('tool_result')).toMatchObject({ charges: [{ name: 'fast', costUsd: 0.002 }] });
    const charges = play.step.calls[0]?.charges;
    expect(listChargeRemarks(charges)).toEqual(['600 tokens', '$0.002']);
    expect(listChargeNotes(charges)).toEqual([
      'fast: fast-1 from some-provider, 500 tokens in, 100 out, $0.002, 900 ms',
    ]);
    expect(formatToolName('llm', 'llm', question)).toBe('llm/fast');
    expect(formatToolName('llm', 'external', question)).toBe('llm');
  });

  it('has the same worst case for every reader', () => {
    const parts = listCostParts(several, { prompt: 'Why?', system: 'Be brief.', maxTokens: 200 });
    expect(parts.map(({ role, model: { name } }) => [role, name])).toEqual([
      ['answer', 'fast'],
      ['answer', 'strong'],
      ['judge', 'judge'],
    ]);
    expect(parts[0]?.reservation).toEqual({ inputTokens: 1_037, outputTokens: 200, usd: 0.0045925 });
    expect(sumReservations(parts).outputTokens).toBe(600);
  });
});

describe('a call whose result is summarized', () => {
  const summary: CallCost = {
    ...{ kind: 'summary', models: [model('fast')], aboveTokens: 500, maxTokens: 1_000, instructionBytes: 20_000 },
  };
  const reading = (limits: Partial<AgentSnapshot['limits']> = {}) =>
    prepared(agentOf({ tools: [tool('read_log', { cost: summary, attempts: 2 })], limits }));
  const most = sumReservations(listCostParts(summary, {}));

  it('reserves the most that the summary may cost, and is charged what was used', () => {
    const play = reading();
    play.replied(asks({ tool: 'read_log' }));
    expect(listCallReservations(play.state)).toEqual([most]);
    answered(play, '1.1', [used(usage(900, 50))]);
    expect(play.step.calls[0]).toMatchObject({ status: 'ok', charges: [{ role: 'summary', name: 'fast' }] });
  });

  it('runs without a summary where the budget cannot pay for one more', () => {
    const play = reading({ tokens: 40_000 });
    play.replied(asks({ tool: 'read_log', input: { a: 1 } }, { tool: 'read_log', input: { a: 2 } }));
    expect(play.ran).toEqual(['1.1', '1.2']);
    expect(listCallReservations(play.state).map(({ inputTokens }) => inputTokens)).toEqual([most.inputTokens, 0]);
    answered(play, '1.2', [used(usage(900, 50))]);
    answered(play, '1.1');
    expect(play.step.calls.map(({ charges = [] }) => charges.length)).toEqual([1, 0]);
    expect(play.state.charged.tokens).toBe(1_100 + most.inputTokens + most.outputTokens);
  });

  it('L7: is tried as often as its tool allows, also without a summary', () => {
    const play = reading({ tokens: 15_000 });
    play.replied(asks({ tool: 'read_log' }));
    expect(listCallReservations(play.state)).toMatchObject([{ inputTokens: 0 }]);
    play.broke('1.1', failed({ uses: [], retry: true }));
    play.after(1_000).fired('retry');
    play.broke('1.1', failed({ uses: [], retry: true }));
    play.after(2_000).fired('retry');
    expect(play.ran.length).toBeLessThanOrEqual(3);
    play.broke('1.1', failed({ uses: [], retry: true }));
    expect(play.step.calls[0]).toMatchObject({ status: 'error' });
  });
});

describe('a chain without such calls', () => {
  it('has no trace of them in its state', () => {
    const play = prepared(agentOf());
    play.replied(asks({ tool: 'read' }));
    expect(JSON.stringify(play.state)).not.toContain('payment');
  });
});

const anyUsage = fc.oneof(
  fc.constant(null),
  fc.record({
    input: fc.constantFrom(-1, 0, 1, 700, 1e15, Number.NaN),
    output: fc.constantFrom(-50, 0, 1, 90, 1e15),
    cacheRead: fc.constantFrom(0, 100, -1),
    cacheWrite: fc.constantFrom(0, 100),
    thinking: fc.constant(0),
  }),
);

const anyUse = fc.record({
  settle: fc.constantFrom('nothing', 'usage', 'usage', 'reservation'),
  usage: anyUsage,
});

const anyEnd = fc.record({
  kind: fc.constantFrom('returned', 'returned', 'unreported', 'retry', 'error', 'lost', 'requeued'),
  uses: fc.array(anyUse, { maxLength: 3 }),
});

const rate = fc.constantFrom(0, 1e-7, 2e-6, 1e-4);
const anyPrice = fc.record({ input: rate, output: rate, cacheRead: rate, cacheWrite: rate });

const anyCall = fc.record({
  tool: fc.constantFrom('llm', 'consensus', 'read_log'),
  input: fc.record({
    model: fc.constantFrom('fast', 'strong'),
    prompt: fc.constantFrom('Why?', 'x'.repeat(3_000), 'ß'.repeat(20_000)),
    maxTokens: fc.constantFrom(1, 400, 1_000),
  }),
});

describe('random calls that cost', () => {
  it('never exceed the limit, and leave nothing unsettled', () => {
    const scene = fc.record({
      prices: fc.tuple(anyPrice, anyPrice, anyPrice),
      costUsd: fc.constantFrom(0.01, 0.1, 1, 20),
      tokens: fc.constantFrom(20_000, 100_000, 2_000_000),
      steps: fc.array(fc.array(anyCall, { minLength: 1, maxLength: 4 }), { maxLength: 5 }),
      ends: fc.array(anyEnd, { minLength: 1, maxLength: 40 }),
      cancelAfter: fc.nat(60),
    });
    fc.assert(
      fc.property(scene, ({ prices: [a, b, c], costUsd, tokens, steps, ends, cancelAfter }) => {
        const models = [model('fast', a), model('strong', b)];
        const parts = { models, maxTokens: 1_000, instructionBytes: 50 };
        const play = prepared(
          agentOf({
            tools: [
              tool('read_log', { cost: { ...parts, kind: 'summary', aboveTokens: 100 }, attempts: 2 }),
              tool('llm', { cost: { kind: 'model', ...parts } }),
              tool('consensus', { cost: { kind: 'consensus', judge: model('judge', c), ...parts } }),
            ],
            limits: { costUsd, tokens, stallThreshold: 100 },
          }),
        );
        const check = () => {
          const { tokens: heldTokens, usd } = computeCommittedUse(play.state);
          expect(heldTokens).toBeLessThanOrEqual(tokens);
          expect(usd ?? 0).toBeLessThanOrEqual(costUsd + 1e-9);
        };
        let next = 0;
        for (let turn = 0; turn < 200 && play.actions.every(({ type }) => type !== 'end'); turn++) {
          check();
          if (turn === cancelAfter) play.cancelledBy('ann');
          else if (play.state.flight.kind === 'model') {
            const calls = play.modelCall.purpose === 'step' ? steps[play.state.steps] : undefined;
            const { inputTokens } = play.modelCall.reservation;
            const reply = calls === undefined ? answers('done') : asks(...calls);
            play.replied({ ...reply, usage: usage(Math.min(900, inputTokens), 50) });
          } else if (!playCall(play, ends[next++ % ends.length])) break;
        }
        check();
        expect(play.actions.map(({ type }) => type)).toEqual(['end']);
        expect(listCallReservations(play.state)).toEqual([]);
        expect(play.chain.steps.flatMap(({ calls }) => calls).filter(({ status }) => status === 'pending')).toEqual([]);
      }),
      { numRuns: budget(50, 1_000) },
    );
  });
});

type End = typeof anyEnd extends fc.Arbitrary<infer E> ? E : never;

/** Ends one running call, or lets the next timer fire. Returns false where nothing is under way. */
function playCall(play: Play, end: End | undefined): boolean {
  const { flight, timers } = play.state;
  const running = flight.kind === 'calls' ? flight.calls.find(({ progress }) => progress === 'running') : undefined;
  if (running === undefined) {
    if (timers.grace) play.after(10_000).fired('grace');
    else if (timers.wait !== null) play.after(60_000).fired('wait');
    else if (timers.retry) play.after(60_000).fired('retry');
    else return false;
    return true;
  }
  const uses = (end?.uses ?? []).map((use, part) => used(null, { ...use, part } as Partial<ModelUse>));
  const reported = uses as unknown as Json;
  switch (end?.kind) {
    case 'retry':
      play.broke(running.id, failed({ uses: reported, retry: true }));
      break;
    case 'error':
      play.broke(running.id, failed({ uses: reported, retry: false }, { type: 'ToolError' }));
      break;
    case 'lost':
      play.broke(running.id, failed(null, { type: 'timeout', timeoutType: 'HEARTBEAT' }));
      break;
    case 'requeued':
      play.take({ type: 'requeued', activity: running.id });
      break;
    case 'unreported':
      answered(play, running.id);
      break;
    default:
      answered(play, running.id, uses);
  }
  return true;
}
