/** The explanation of a chain: the decisions of `decide` in complete sentences. */

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
  it('is explained in complete sentences', () => {
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

  it('has an explanation with each running or waiting call, and no ended one', () => {
    everyState((state) => {
      if (state.flight.kind !== 'calls' || decide(state).length > 0) return;
      const { next } = explain(state, null, state.now);
      for (const { id, tool, progress } of state.flight.calls) {
        expect(next.includes(`call ${id} (${tool}`)).toBe(progress === 'running' || progress === 'waiting');
      }
    });
  });

  it('has an explanation without steps beyond its limits', () => {
    everyState((state) => {
      const asked = /step (\d+)/.exec(explain(state, null, state.now).next)?.[1];
      if (asked !== undefined) expect(Number(asked)).toBeLessThanOrEqual(state.agent?.limits.steps ?? 0);
    });
  });
});

it('a chain that no worker has started waits for a worker', () => {
  expect(explain(emptyState, null, 0).next).toBe('A worker starts the chain.');
});

it('a chain that has ended has no next action, and a reason', () => {
  const state: ChainState = { ...emptyState, steps: 1 };
  const result = {
    ...toChainResult(state),
    outcome: 'cancelled' as const,
    reason: 'Cancelled by Ada.',
    partial: 'It rains.',
  };
  expect(explain(state, result, 0)).toEqual({
    next: 'Nothing: the chain has ended as cancelled.',
    why: ['Cancelled by Ada.', 'It took 1 step.', 'Its findings are in the partial answer.'],
    limits: [],
  });
});
