/** What is said of what a chain does next: what `decide` decides, in sentences without holes. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decide } from '../../../src/core/engine/decide.js';
import { toChainResult } from '../../../src/core/engine/result.js';
import { type ChainState, emptyState } from '../../../src/core/model/state.js';
import { explain } from '../../../src/core/view/explain.js';
import { budget } from '../../support/budget.js';
import { agentOf } from '../../support/core-builders.js';
import { runWorld } from '../../support/core-environment.js';

const script = fc.array(fc.integer({ min: 0, max: 9_999 }), { maxLength: 400, size: 'max' });
const agents = fc.record({ steps: fc.integer({ min: 1, max: 6 }), tokens: fc.constantFrom(8_000, 1_000_000) });

function everyState(check: (state: ChainState) => void): void {
  fc.assert(
    fc.property(agents, script, (limits, numbers) => {
      for (const { state } of runWorld(agentOf({ limits }), numbers).turns) check(state);
    }),
    { numRuns: budget(25, 100) },
  );
}

describe('every chain, at every turn', () => {
  it('is told of in whole sentences', () => {
    everyState((state) => {
      for (const result of [null, toChainResult(state)]) {
        const { next, why, limits } = explain(state, result, state.now + 5);
        for (const sentence of [next, ...why]) {
          expect(sentence).toMatch(/\S/);
          expect(sentence).not.toMatch(/undefined|NaN|Infinity|\[object/);
        }
        for (const { used, limit } of limits) {
          expect(used).toBeGreaterThanOrEqual(0);
          expect(limit).toBeGreaterThan(0);
        }
      }
    });
  });

  it('names each call that runs or waits for a person, and none that has ended', () => {
    everyState((state) => {
      if (state.flight.kind !== 'calls' || decide(state).length > 0) return;
      const { next } = explain(state, null, state.now);
      for (const { id, tool, progress } of state.flight.calls) {
        expect(next.includes(`call ${id} (${tool}`)).toBe(progress === 'running' || progress === 'waiting');
      }
    });
  });

  it('asks for no further step than its limits allow', () => {
    everyState((state) => {
      const asked = /step (\d+)/.exec(explain(state, null, state.now).next)?.[1];
      if (asked !== undefined) expect(Number(asked)).toBeLessThanOrEqual(state.agent?.limits.steps ?? 0);
    });
  });
});

it('a chain that nobody has taken up waits for a worker', () => {
  expect(explain(emptyState, null, 0).next).toBe('A worker takes the chain up.');
});

it('a chain that has ended does nothing, and says why', () => {
  const state: ChainState = { ...emptyState, steps: 1 };
  const result = {
    ...toChainResult(state),
    outcome: 'cancelled' as const,
    reason: 'Cancelled by Ada.',
    partial: 'It rains.',
  };
  expect(explain(state, result, 0)).toEqual({
    next: 'Nothing: the chain has ended as cancelled.',
    why: ['Cancelled by Ada.', 'It took 1 step.', 'What had been found by then is kept as its partial answer.'],
    limits: [],
  });
});
