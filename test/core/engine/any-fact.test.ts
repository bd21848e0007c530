/** L4: no fact makes the core throw, in any state, expected or not. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { advance } from '../../../src/core/engine/advance.js';
import { decide } from '../../../src/core/engine/decide.js';
import { providerFailures } from '../../../src/core/engine/failure-rules.js';
import { controlTools } from '../../../src/core/engine/state/control-tools.js';
import { takeTurn } from '../../../src/core/engine/turn.js';
import type { Json } from '../../../src/core/lib/json.js';
import { pack } from '../../../src/core/lib/pack.js';
import type { ChainInput, Fact } from '../../../src/core/model/fact.js';
import type { ModelFailureKind } from '../../../src/core/model/failure-kind.js';
import type { Reply, ReplyStopReason } from '../../../src/core/model/model.js';
import { emptyState } from '../../../src/core/model/state.js';
import { planDefaults, reflectionDefaults } from '../../../src/core/strategies/strategy.js';
import { budget } from '../../support/budget.js';
import { agentOf, answers, asks, look, pay, readBy, save, someInput } from '../../support/core-builders.js';
import { needs, rules, someCommand } from '../../support/core-people.js';
import { prepared } from '../../support/core-play.js';

const json = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)) as Json);
const at = fc.integer({ min: 0, max: 10_000_000 });
const words = fc.oneof(
  fc.string(),
  fc.constantFrom('', 'Final Answer: 42', 'Thought: x\nAction: look\nAction Input: {'),
);
const name = fc.constantFrom(
  'look',
  'read',
  'poll',
  'save',
  'pay',
  'ghost',
  'constructor',
  '__proto__',
  ...controlTools,
);
const block = fc.oneof(
  fc.record({ type: fc.constant('text' as const), text: words }),
  fc.record({ type: fc.constant('thinking' as const), thinking: words, signature: fc.string() }),
  fc.record({ type: fc.constant('tool_use' as const), id: fc.string(), name, input: json }),
);
const tokens = fc.nat({ max: 100_000 });
const usage = fc.record({ input: tokens, output: tokens, cacheRead: tokens, cacheWrite: tokens, thinking: tokens });
const stopReason = fc.constantFrom<ReplyStopReason>('end_turn', 'max_tokens', 'tool_use', 'pause_turn', 'refusal');
const reply: fc.Arbitrary<Reply> = fc.record({
  model: fc.string(),
  stopReason,
  content: fc.array(block, { maxLength: 5 }),
  usage,
});
const modelCall = fc
  .tuple(fc.constantFrom('model', 'model', 'aside'), fc.integer({ min: 1, max: 6 }))
  .map((id) => id.join('-'));
const toolCall = fc.tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 3 })).map((id) => id.join('.'));
const failure = fc.record({
  type: fc.constantFrom('NotDone', 'ToolError', 'Error', 'timeout', 'cancelled', 'lost'),
  message: fc.string(),
  timeoutType: fc.constantFrom(null, 'HEARTBEAT', 'START_TO_CLOSE'),
  details: fc.oneof(json, fc.constant({ fatal: true })),
});
const modelFailure = fc.record({
  kind: fc.constantFrom(...(Object.keys(providerFailures) as ModelFailureKind[])),
  message: fc.string(),
  status: fc.constantFrom(null, 429, 500),
  retryAfterMs: fc.constantFrom(null, 0, 10_000),
  settle: fc.constantFrom('nothing' as const, 'usage' as const, 'reservation' as const),
  usage: fc.option(usage),
});
const agent = agentOf({ limits: { steps: 4 } });
const observed = agentOf({ limits: { steps: 4 }, reflection: { ...reflectionDefaults, observer: 'model' } });
const governed = agentOf({
  limits: { steps: 4 },
  policy: { text: 'Do no harm.', model: agent.model },
  successPhrases: ['a'],
});
const planner = agentOf({ limits: { steps: 4 }, strategy: planDefaults });
const person = fc.option(fc.constantFrom('ada', 'bob'));

/** Any client may start a chain with any input. */
const origin = fc.oneof(
  json,
  fc.record({
    ...{ chainId: fc.string(), runId: fc.string(), steps: fc.integer(), digest: fc.string() },
    turns: fc.oneof(fc.string(), json.map(pack)),
    message: fc.option(fc.string()),
  }),
);
const input = fc.oneof(
  fc.constant(someInput),
  json as fc.Arbitrary<unknown> as fc.Arbitrary<ChainInput>,
  origin.map((from) => ({ ...someInput, origin: from }) as ChainInput),
  json.map((plan) => ({ ...someInput, plan }) as unknown as ChainInput),
  fc.array(json).map((tasks) => ({ ...someInput, plan: { name: 'any', tasks } }) as unknown as ChainInput),
);

/** Commands about calls that may have ended by now. */
const asking = (() => {
  const play = prepared(agent);
  play.replied(needs([rules(), null], pay(), look()));
  return play.state;
})();

const fact: fc.Arbitrary<Fact> = fc.oneof(
  fc.record({ type: fc.constant('started' as const), at, chainId: fc.constant('c'), input }),
  fc.record({ type: fc.constant('prepared' as const), at, agent: fc.constantFrom(agent, planner, observed, governed) }),
  fc.record({ type: fc.constant('prepareFailed' as const), at, failure }),
  fc.record({ type: fc.constant('requeued' as const), at, activity: fc.oneof(modelCall, toolCall) }),
  fc.record({ type: fc.constant('callChecked' as const), at, call: toolCall }),
  fc.record({
    type: fc.constant('approvalRequired' as const),
    at,
    call: toolCall,
    rules: fc.constant(rules({ expiresMs: 9 })),
  }),
  fc
    .record({ at, call: modelCall, raw: reply })
    .map(({ raw, ...rest }) => ({ type: 'modelReplied' as const, ...rest, reply: readBy(agent, raw) })),
  fc.record({ at, call: modelCall, raw: reply, reusedPlan: json }).map(({ raw, reusedPlan, ...rest }) => ({
    ...{ type: 'modelReplied' as const, ...rest },
    reply: { ...readBy(agent, raw), reusedPlan },
  })),
  fc
    .record({ at, call: modelCall, raw: reply, approvals: fc.array(fc.option(fc.constant(rules({ expiresMs: 9 })))) })
    .map(({ raw, approvals, ...rest }) => ({
      ...{ type: 'modelReplied' as const, ...rest },
      reply: { ...readBy(agent, raw), approvals },
    })),
  fc
    .tuple(at, fc.infiniteStream(fc.nat({ max: 9_999 })))
    .map(([at, numbers]) => ({ ...someCommand(asking, (n) => (numbers.next().value ?? 0) % n), at })),
  fc.record({ type: fc.constant('modelFailed' as const), at, call: modelCall, failure: modelFailure }),
  fc.record({
    type: fc.constant('toolReturned' as const),
    at,
    call: toolCall,
    observation: fc.record({ content: json, clippedFrom: fc.constant(null) }),
  }),
  fc.record({ type: fc.constant('toolFailed' as const), at, call: toolCall, failure }),
  fc.record({
    type: fc.constant('timerFired' as const),
    at,
    timer: fc.constantFrom('deadline', 'retry', 'grace', 'request'),
  }),
  fc.record({
    type: fc.constant('cancelRequested' as const),
    at,
    id: person,
    by: person,
    reason: person,
    summarize: fc.boolean(),
  }),
) as fc.Arbitrary<Fact>;

const history = { events: 3, bytes: 1_000, continueSuggested: false };
const begin: readonly Fact[][] = [
  [{ type: 'started', at: 1, chainId: 'c', input: someInput }],
  [{ type: 'prepared', at: 2, agent }],
];
const tasks = fc.array(fc.array(fact, { minLength: 1, maxLength: 3 }), { maxLength: 40, size: 'max' });

it('L4: any fact is applied and decided on without an exception, also before the start', () => {
  fc.assert(
    fc.property(tasks, (turns) => {
      turns.reduce((state, facts) => {
        const turn = takeTurn(state, history, facts);
        expect(turn.fault).toBeUndefined();
        return turn.state;
      }, emptyState);
    }),
    { numRuns: budget(20, 200) },
  );
});

it('a fact never reverts a step, a call, a charge or a reason', () => {
  fc.assert(
    fc.property(tasks, (turns) => {
      let state = emptyState;
      for (const facts of [...begin, ...turns]) {
        const turn = takeTurn(state, history, facts);
        expect(turn.state.facts).toBe(state.facts + facts.length);
        expect(turn.state.steps).toBeGreaterThanOrEqual(state.steps);
        expect(turn.state.steps).toBeLessThanOrEqual(turn.state.agent?.limits.steps ?? 0);
        expect(turn.state.modelCalls).toBeGreaterThanOrEqual(state.modelCalls);
        expect(turn.state.charged.tokens).toBeGreaterThanOrEqual(state.charged.tokens);
        if (state.stop !== null) expect(turn.state.stop?.outcome).toBe(state.stop.outcome);
        state = turn.state;
      }
    }),
    { numRuns: budget(20, 200) },
  );
});

it('advance does not mutate its arguments', () => {
  fc.assert(
    fc.property(tasks, (turns) => {
      let state = emptyState;
      for (const facts of [...begin, ...turns]) {
        const before = JSON.stringify([state, facts]);
        const turn = takeTurn(state, history, facts);
        expect(JSON.stringify([state, facts])).toBe(before);
        state = turn.state;
      }
    }),
    { numRuns: budget(10, 50) },
  );
});

describe('an unexpected fact', () => {
  const places = {
    empty: () => emptyState,
    'calling the model': () => prepared(agent).state,
    'running tools': () => {
      const play = prepared(agent);
      play.replied(asks(look(), save(), pay()));
      return play.state;
    },
    ended: () => {
      const play = prepared(agent);
      play.replied(answers('42'));
      return play.state;
    },
  };
  const strays: readonly Fact[] = [
    { type: 'modelReplied', at: 9, call: 'model-77', reply: asks(pay()) },
    { type: 'toolReturned', at: 9, call: '7.7', observation: { content: 'x', clippedFrom: null } },
    {
      type: 'toolFailed',
      at: 9,
      call: '7.7',
      failure: { type: 'Error', message: '', timeoutType: null, details: null },
    },
    { type: 'timerFired', at: 9, timer: 'retry' },
  ];

  it.each(Object.entries(places))('is counted and changes nothing else (%s)', (_name, place) => {
    for (const stray of strays) {
      const before = place();
      const { state, entries } = advance(before, stray);
      expect(entries).toEqual([]);
      expect(state).toEqual({ ...before, now: 9, facts: before.facts + 1, head: state.head });
    }
  });

  it.each(['calling the model', 'running tools'] as const)('does not start or prepare again (%s)', (place) => {
    const before = places[place]();
    for (const [stray] of begin) {
      const { state } = advance(before, stray!);
      expect({ ...state, now: 0, facts: 0, head: '' }).toEqual({ ...before, now: 0, facts: 0, head: '' });
      expect(decide(state)).toEqual([]);
    }
  });
});
