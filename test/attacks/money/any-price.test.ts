/**
 * L6, for any price, any reported usage and any failure of the provider: no call is made that the limit cannot pay for, and
 * each attempt is charged exactly once.
 */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { providerFailures } from '../../../src/core/engine/failure-rules.js';
import type { AgentSnapshot } from '../../../src/core/model/agent.js';
import type { ModelFailureKind } from '../../../src/core/model/failure-kind.js';
import { findHighestRates, type Price, type PriceTier, type Rates } from '../../../src/core/model/price.js';
import { computeCost, countInputTokens, type Reservation } from '../../../src/core/model/usage.js';
import type { ChainState } from '../../../src/entries/view.js';
import type { Json, JsonObject, Usage } from '../../../src/index.js';
import { parseAiSdkUsage } from '../../../src/models/ai-sdk/finish.js';
import { ReplyStream } from '../../../src/models/anthropic/stream.js';
import { parseChatUsage } from '../../../src/models/openai/usage.js';
import { budget } from '../../support/budget.js';
import { agentOf, answers, asks, look, modelFailure, someTools } from '../../support/core-builders.js';
import { type Play, prepared } from '../../support/core-play.js';

/** US dollars per token: nothing, far below and far above all real prices, and the highest that a price map may have. */
const rate = fc.oneof(
  fc.constantFrom(0, 4e-12, 1e-9, 2e-6, 1e-5, 0.001, 0.1),
  fc.double({ min: 0, max: 0.1, noNaN: true }),
);
/** A price for cached input may be above the one for other input. */
const rates: fc.Arbitrary<Rates> = fc.record(
  { input: rate, output: rate, cacheRead: rate, cacheWrite: rate, thinking: rate },
  { requiredKeys: ['input', 'output', 'cacheRead', 'cacheWrite'] },
);
/** Around the sizes of the requests here. A long request may also cost less per token. */
const starts = fc.uniqueArray(fc.constantFrom(1, 900, 1_500, 1_800, 2_500, 6_000, 200_000), {
  minLength: 1,
  maxLength: 3,
});
const tiers: fc.Arbitrary<readonly PriceTier[]> = starts.chain((all) =>
  fc.tuple(...all.toSorted((a, b) => a - b).map((above) => rates.map((each) => ({ above, ...each })))),
);
const price: fc.Arbitrary<Price> = fc.oneof(
  rates,
  fc.tuple(rates, tiers).map(([base, longer]) => ({ ...base, tiers: longer })),
);

const agent = fc
  .record({
    price,
    maxTokens: fc.constantFrom(64, 1_024, 16_000),
    tokens: fc.constantFrom(4_000, 12_000, 300_000, 1_000_000_000),
    /** The calls that the cost limit pays for, about. */
    calls: fc.constantFrom(0.5, 2, 8, 30, 1_000),
    onProviderError: fc.constantFrom('hold' as const, 'fail' as const),
  })
  .map(({ tokens, calls, ...model }) => {
    const { input, output } = findHighestRates(model.price, 4_000);
    const costUsd = Math.max(1e-8, calls * (4_000 * input + 2_048 * output));
    return agentOf({ tools: someTools, limits: { tokens, costUsd, steps: 40, stallThreshold: 50 }, model });
  });

/** Numbers and other values that no provider can mean. JSON has no NaN, and reads 1e999 as infinite. */
const absurd: readonly Json[] = [
  ...[-1, -5_000, 0.5, 900.5, 1e18, 1e308, Number.POSITIVE_INFINITY, Number.MAX_SAFE_INTEGER],
  ...['900', '', 'lots', true, [], {}],
];

interface ReportedUsage {
  /** Parts of the reserved input that were read, cached ones included, and of the reserved output. */
  readonly parts: readonly [input: number, cacheRead: number, cacheWrite: number, output: number];
  /** The part of the output that is thinking. */
  readonly thinking: number;
  /** 1: as the reservation permits. More: the provider reports more than the highest bound. */
  readonly times: number;
  /** Replaces one count. */
  readonly spoiled: { readonly count: keyof Counts; readonly value: Json } | null;
  readonly wire: keyof typeof wires;
}

type Counts = Record<keyof Usage, Json>;
type Parsed = { readonly usage: Usage | null; readonly usageProblem?: string };

/** The counts as each wire reports them, parsed by its own code; `fact` is a history that was written by hand. */
const wires = {
  messages: ({ input, output, cacheRead, cacheWrite, thinking }: Counts): Parsed => {
    const cached = { cache_read_input_tokens: cacheRead, cache_creation_input_tokens: cacheWrite };
    const details = { output_tokens_details: { thinking_tokens: thinking } };
    const usage: JsonObject = { input_tokens: input, output_tokens: output, ...cached, ...details };
    const stream = new ReplyStream();
    const events: readonly JsonObject[] = [
      { type: 'message_start', message: { model: 'some-model', usage: { ...usage, output_tokens: 1 } } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Let me see.' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage },
      { type: 'message_stop' },
    ];
    for (const event of events) stream.consume(event);
    return stream.toReply();
  },
  chat: ({ input, output, cacheRead, cacheWrite, thinking }: Counts): Parsed => {
    const { usage, problem } = parseChatUsage({
      prompt_tokens: addCounts(input, cacheRead, cacheWrite),
      completion_tokens: output,
      completion_tokens_details: { reasoning_tokens: thinking },
      prompt_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
    });
    return { usage, ...(problem !== null && { usageProblem: problem }) };
  },
  aiSdk: ({ input, output, cacheRead, cacheWrite, thinking }: Counts): Parsed =>
    parseAiSdkUsage({
      inputTokens: { total: addCounts(input, cacheRead, cacheWrite), noCache: input, cacheRead, cacheWrite },
      outputTokens: { total: output, reasoning: thinking },
    }),
  fact: (counts: Counts): Parsed => ({ usage: counts as unknown as Usage }),
};

function addCounts(input: Json, ...cached: readonly Json[]): Json {
  const sum = [input, ...cached].reduce<number>((all, each) => (typeof each === 'number' ? all + each : all), 0);
  return typeof input === 'number' ? sum : input;
}

function mostlyNull<T>(some: fc.Arbitrary<T>): fc.Arbitrary<T | null> {
  return fc.oneof({ weight: 2, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: some });
}

const part = fc.double({ min: 0, max: 1, noNaN: true });
const reported: fc.Arbitrary<ReportedUsage> = fc.record({
  parts: fc.tuple(part, part, part, part),
  thinking: fc.oneof(fc.constant(0), part),
  times: fc.constantFrom(1, 1, 1, 1, 1, 1, 1.5, 9, 30),
  spoiled: mostlyNull(
    fc.record({
      count: fc.constantFrom('input', 'output', 'cacheRead', 'cacheWrite'),
      value: fc.constantFrom(...absurd),
    }),
  ),
  wire: fc.constantFrom('messages', 'chat', 'aiSdk', 'fact'),
});

const move = fc.record({
  usage: reported,
  failure: mostlyNull(
    fc.record({
      kind: fc.constantFrom(...(Object.keys(providerFailures) as ModelFailureKind[])),
      settle: fc.constantFrom('nothing' as const, 'usage' as const, 'reservation' as const),
      retryAfterMs: fc.constantFrom(null, 0, 5_000),
    }),
  ),
});
type Move = typeof move extends fc.Arbitrary<infer M> ? M : never;

/** Within the reservation, unless `times` is above 1; at least one token of each, as in every call. */
function toCounts({ parts, thinking, times, spoiled }: ReportedUsage, reserved: Reservation): Counts {
  const [input, cacheRead, cacheWrite, output] = parts;
  const whole = input + cacheRead + cacheWrite || 1;
  const read = (share: number) => Math.floor((share / whole) * (reserved.inputTokens - 1) * times);
  const written = Math.max(1, Math.floor(output * reserved.outputTokens * times));
  const counts = {
    input: read(input) + 1,
    cacheRead: read(cacheRead),
    cacheWrite: read(cacheWrite),
    output: written,
    thinking: Math.floor(thinking * written),
  };
  return spoiled === null ? counts : { ...counts, [spoiled.count]: spoiled.value };
}

interface Attempt {
  readonly reserved: Reservation;
  readonly before: ChainState;
  readonly after: ChainState;
  readonly usage: ReportedUsage;
  readonly settle: 'nothing' | 'usage' | 'reservation';
}

interface Played {
  readonly play: Play;
  readonly attempts: readonly Attempt[];
  /** The chain at each of its turns. */
  readonly states: readonly ChainState[];
}

/** Plays a chain to its end. Without further moves it gets an answer. */
function playMoves(agent: AgentSnapshot, moves: readonly Move[]): Played {
  const play = prepared(agent);
  const attempts: Attempt[] = [];
  const states: ChainState[] = [play.state];
  while (!play.actions.some(({ type }) => type === 'end')) {
    const { flight } = play.state;
    if (flight.kind === 'model') {
      const before = play.state;
      const { usage, failure } = moves[attempts.length] ?? done;
      const read = wires[usage.wire](toCounts(usage, flight.reservation));
      if (failure === null) {
        const isLast = attempts.length >= moves.length || flight.purpose === 'closing';
        play.replied({ ...(isLast ? answers('Done.') : asks(look({ attempt: attempts.length }))), ...read });
      } else {
        play.failed(modelFailure(failure.kind, { ...failure, usage: read.usage }));
      }
      const settle = failure?.settle ?? 'usage';
      attempts.push({ reserved: flight.reservation, before, after: play.state, usage, settle });
    } else if (flight.kind === 'calls') {
      for (const { id } of flight.calls) play.returned(id, `news of ${id}`);
    } else if (flight.kind === 'modelRetry') {
      play.after(flight.retryDelayMs).fired('retry');
    } else {
      throw new Error(`The chain is stuck: ${JSON.stringify(flight)}`);
    }
    states.push(play.state);
  }
  return { play, attempts, states };
}

const done: Move = {
  usage: { parts: [1, 0, 0, 0.1], thinking: 0, times: 1, spoiled: null, wire: 'fact' },
  failure: null,
};

/** The unit to which charges are rounded, and the noise of binary fractions. */
const toUnit = (usd: number) => 1.01e-10 + usd * 1e-9;

function everyChain(check: (played: Played, agent: AgentSnapshot) => void): void {
  const moves = fc.array(move, { maxLength: 30, size: 'max' });
  fc.assert(
    fc.property(agent, moves, (each, script) => check(playMoves(each, script), each)),
    { numRuns: budget(300, 1_500) },
  );
}

test('a call is made only if its reservation fits into what is left, however much earlier calls reported', () => {
  everyChain(({ states }, { limits }) => {
    for (const { flight, charged } of states) {
      if (flight.kind !== 'model') continue;
      const { inputTokens, outputTokens, usd } = flight.reservation;
      const most = limits.costUsd ?? 0;
      expect(charged.tokens + inputTokens + outputTokens).toBeLessThanOrEqual(limits.tokens);
      expect((charged.usd ?? 0) + (usd ?? 0)).toBeLessThanOrEqual(most + toUnit(most));
    }
  });
});

test('a call costs no more than its reservation, unless its provider reports more tokens than were reserved', () => {
  let fitting = 0;
  everyChain(({ attempts }) => {
    for (const { reserved, before, after, usage } of attempts) {
      if (usage.times > 1 || usage.spoiled !== null) continue;
      fitting += 1;
      const cost = (after.charged.usd ?? 0) - (before.charged.usd ?? 0);
      expect(cost).toBeLessThanOrEqual((reserved.usd ?? 0) + toUnit(after.charged.usd ?? 0));
      expect(after.charged.tokens - before.charged.tokens).toBeLessThanOrEqual(
        reserved.inputTokens + reserved.outputTokens,
      );
    }
  });
  expect(fitting).toBeGreaterThan(200);
});

test('each attempt is charged once: nothing, its plausible usage, or its reservation; at the end all is settled', () => {
  const counted = { nothing: 0, usage: 0, reservation: 0 };
  everyChain(({ play, attempts, states }, { model }) => {
    for (const { reserved, before, after, usage, settle } of attempts) {
      const tokens = after.charged.tokens - before.charged.tokens;
      const usd = (after.charged.usd ?? 0) - (before.charged.usd ?? 0);
      const used = toDifference(after.usage, before.usage);
      const inFull = after.reservedCharges.calls - before.reservedCharges.calls;
      const way = inFull === 1 ? 'reservation' : settle === 'nothing' ? 'nothing' : 'usage';
      counted[way] += 1;
      if (settle === 'reservation' || (settle === 'usage' && usage.spoiled !== null)) expect(inFull).toBe(1);
      if (settle === 'nothing' || (usage.times === 1 && usage.spoiled === null && settle === 'usage')) {
        expect(inFull).toBe(0);
      }
      expect(tokens).toBe(
        way === 'reservation' ? reserved.inputTokens + reserved.outputTokens : countInputTokens(used) + used.output,
      );
      const due = way === 'reservation' ? (reserved.usd ?? 0) : computeCost(used, model.price as Price);
      expect(Math.abs(usd - due)).toBeLessThanOrEqual(toUnit(after.charged.usd ?? 0));
      expect(after.flight).not.toEqual(before.flight);
    }
    for (const { charged } of states) {
      expect(Number.isSafeInteger(charged.tokens) && Number.isFinite(charged.usd)).toBe(true);
    }
    expect(play.modelCalls).toHaveLength(attempts.length);
    expect(play.result.costUsd).toBe(play.state.charged.usd);
  });
  for (const times of Object.values(counted)) expect(times).toBeGreaterThan(50);
});

function toDifference(after: Usage, before: Usage): Usage {
  const less = (name: keyof Usage) => after[name] - before[name];
  const [input, output, cacheRead] = [less('input'), less('output'), less('cacheRead')];
  return { input, output, cacheRead, cacheWrite: less('cacheWrite'), thinking: less('thinking') };
}
