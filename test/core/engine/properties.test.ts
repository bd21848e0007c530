/** Properties of every chain, for any behaviour of model, tools and people. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toChainResult } from '../../../src/core/engine/result.js';
import { takeTurn } from '../../../src/core/engine/turn.js';
import type { Json } from '../../../src/core/lib/json.js';
import type { AgentSnapshot, Reflection } from '../../../src/core/model/agent.js';
import type { RunLimits } from '../../../src/core/model/limits.js';
import { emptyState, isAside } from '../../../src/core/model/state.js';
import {
  autonomousDefaults,
  planDefaults,
  reactDefaults,
  reflectionDefaults,
  toolsDefaults,
} from '../../../src/core/strategies/strategy.js';
import { budget } from '../../support/budget.js';
import { findConversationFault } from '../../support/conversation-rules.js';
import { agentOf } from '../../support/core-builders.js';
import { requestTokens, runWorld, tokensOf, type World, withPromptBytes } from '../../support/core-environment.js';

const strategies = [
  toolsDefaults,
  autonomousDefaults,
  { ...reactDefaults, scratchpad: true, requireThought: false },
  { ...planDefaults, parallel: 2, reflectEvery: 1 },
];

const policy = { text: 'Do no harm.', model: agentOf().model };
const compaction = 'model';
const judge = { criteria: 'It is right.' };
const reflection: Reflection = { ...reflectionDefaults, observer: 'model' };

const someAgent = fc
  .record({
    strategy: fc.constantFrom(...strategies),
    steps: fc.integer({ min: 1, max: 8 }),
    tokens: fc.constantFrom(500, 8_000, 20_000, 1_000_000),
    costUsd: fc.constantFrom(0.01, 0.05, 5),
    timeMs: fc.constantFrom(1, 60_000, 600_000),
    maxTokens: fc.constantFrom(64, 1_024, 4_000),
    contextTokens: fc.constantFrom(null, 2_000, 8_000, 30_000),
    phrases: fc.constantFrom<readonly string[]>([], ['nothing.']),
    continueAfter: fc.constantFrom<RunLimits>({}, { steps: 1 }, { events: 20 }),
    asides: fc.constantFrom(
      {},
      {},
      { policy },
      { reflection },
      { policy, reflection, judge, compaction },
      { judge },
      { compaction },
    ),
    asks: fc.constantFrom({}, { onLimit: { expiresMs: 60_000 } }),
  })
  .map(({ strategy, maxTokens, contextTokens, phrases, continueAfter, asides, asks, ...limits }) => {
    const model = { maxTokens, contextTokens };
    return withPromptBytes(
      agentOf({ strategy, limits, model, failurePhrases: phrases, continueAfter, ...asides, ...asks }),
    );
  });

const script = fc.array(fc.integer({ min: 0, max: 9_999 }), { maxLength: 1_500, size: 'max' });

function everyWorld(check: (world: World, agent: AgentSnapshot) => void, numRuns = budget(20, 250)): void {
  fc.assert(
    fc.property(someAgent, script, (agent, numbers) => check(runWorld(agent, numbers), agent)),
    { numRuns },
  );
}

describe('every chain', () => {
  it('L7: ends, and never gets stuck', () => {
    everyWorld((world, agent) => {
      expect(world.stuck).toBe(false);
      expect(world.ended).toBe(true);
      const { steps } = agent.limits;
      expect(world.chain.state.steps).toBeLessThanOrEqual(steps);
      // Each step may be paused nine times, and each of its calls be made six times.
      const asides = world.calls.filter(({ action }) => isAside(action.purpose));
      expect(world.calls.length - asides.length).toBeLessThanOrEqual(steps * 10 * 6 + 1);
      expect(asides.length).toBeLessThanOrEqual(steps * 4 * 6);
      expect(world.calls.filter(({ action }) => action.purpose === 'closing').length).toBeLessThanOrEqual(1);
    });
  });

  it('L6: never reserves more than is left, nor spends more than its limits', () => {
    everyWorld(({ calls, turns }, { limits, model }) => {
      for (const { action, state } of calls) {
        const { inputTokens, outputTokens, usd } = action.reservation;
        expect(state.charged.tokens + inputTokens + outputTokens).toBeLessThanOrEqual(limits.tokens);
        expect((state.charged.usd ?? 0) + (usd ?? 0)).toBeLessThanOrEqual((limits.costUsd ?? 0) + 1e-9);
        expect(outputTokens).toBeGreaterThanOrEqual(Math.min(1_024, model.maxTokens));
      }
      for (const { state } of turns) {
        expect(state.charged.tokens).toBeLessThanOrEqual(limits.tokens);
        expect(state.charged.usd ?? 0).toBeLessThanOrEqual((limits.costUsd ?? 0) + 1e-9);
      }
    });
  });

  it('L6: never sends more than its reservation, even if every byte were a token', () => {
    const roomy = withPromptBytes(agentOf({ model: { maxTokens: 4_000 }, limits: { steps: 12, stallThreshold: 50 } }));
    const agents = fc.constantFrom(
      ...strategies.map((strategy) => withPromptBytes({ ...roomy, strategy })),
      ...strategies.map((strategy) => withPromptBytes({ ...roomy, strategy, policy, reflection, judge })),
    );
    fc.assert(
      fc.property(agents, script, (agent, numbers) => {
        for (const { action, request } of runWorld(agent, numbers).calls) {
          expect(requestTokens(request)).toBeLessThanOrEqual(action.reservation.inputTokens);
        }
      }),
      { numRuns: budget(12, 150) },
    );
  });

  it('L6: never sends more than its reservation once its oldest steps are summarized', () => {
    let summarized = 0;
    let noted = 0;
    const agents = fc
      .record({
        strategy: fc.constantFrom(...strategies),
        contextTokens: fc.constantFrom(6_000, 15_000, 40_000),
        asides: fc.constantFrom({}, { compaction } as const, { compaction, reflection } as const),
      })
      .map(({ strategy, contextTokens, asides }) => {
        const model = { maxTokens: 1_024, contextTokens, compactAt: 0.5 };
        return withPromptBytes(agentOf({ strategy, model, limits: { steps: 30, stallThreshold: 50 }, ...asides }));
      });
    fc.assert(
      fc.property(agents, script, (agent, numbers) => {
        for (const { action, request, state } of runWorld(agent, numbers).calls) {
          if (state.conversation.summary !== null) summarized += 1;
          if (state.conversation.summary?.notes !== undefined) noted += 1;
          expect(requestTokens(request)).toBeLessThanOrEqual(action.reservation.inputTokens);
        }
      }),
      { numRuns: budget(60, 250) },
    );
    expect(summarized).toBeGreaterThan(10);
    expect(noted).toBeGreaterThan(10);
  });

  it('L1: reaches the same state when its turns are taken again', () => {
    everyWorld(({ turns }) => {
      let state = emptyState;
      for (const turn of turns) {
        state = takeTurn(state, turn.history, turn.facts).state;
        expect(state).toEqual(turn.state);
      }
    }, 60);
  });

  it('L2: has a state of plain data, from whose copy it continues', () => {
    everyWorld(({ turns, chain }) => {
      let copied = emptyState;
      for (const turn of turns) {
        copied = takeTurn(
          JSON.parse(JSON.stringify(copied)),
          turn.history,
          JSON.parse(JSON.stringify(turn.facts)),
        ).state;
      }
      expect(JSON.parse(JSON.stringify(chain))).toEqual(chain);
      expect(copied).toEqual(chain.state);
    }, 60);
  });

  it('has an answer or a partial result, according to its outcome', () => {
    everyWorld(({ chain }) => {
      const result = toChainResult(chain.state);
      const answered = result.outcome === 'success' || result.outcome === 'custom';
      expect(result.success).toBe(result.outcome === 'success');
      if (answered) expect(result.partial).toBeNull();
      else expect(result.answer).toBeNull();
      expect(result.reason.length).toBeGreaterThan(0);
      expect(result.steps).toBe(chain.steps.length);
    });
  });

  it('L5: runs no call twice, names each unknown outcome, and leaves no call open', () => {
    everyWorld(({ chain }) => {
      const calls = chain.steps.flatMap((step) => step.calls);
      expect(new Set(calls.map(({ id }) => id)).size).toBe(calls.length);
      for (const call of calls) {
        expect(call.status).not.toBe('pending');
        if (call.status === 'unknown')
          expect(toChainResult(chain.state).reason).toContain(`call ${call.id}, ${call.tool}`);
      }
    });
  });

  it('renders conversations that providers accept', () => {
    everyWorld(({ calls }) => {
      for (const { request } of calls) {
        const messages = request.messages.map((message) => ({ ...message, content: message.content.map(asSent) }));
        expect(findConversationFault(messages as unknown as Json)).toBeNull();
      }
    });
  });
});

/** Arguments are objects when they are sent. */
function asSent(block: { readonly type: string; readonly input?: Json }): object {
  return block.type === 'tool_use' && typeof block.input !== 'object' ? { ...block, input: {} } : block;
}

it('the worst tokenizer counts every byte of a text', () => {
  expect(tokensOf({ type: 'text', text: 'über', input: { a: [1, null] } })).toBe('text'.length + 5 + 1 + 4);
});
