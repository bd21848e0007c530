/** Where a chain continues as new, and that the next run starts with exactly its state. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toRunStartState } from '../../../src/contract/run-input.js';
import { fromContinuation, isContinuation, toContinuation } from '../../../src/core/engine/continue-as-new.js';
import { takeTurn } from '../../../src/core/engine/turn.js';
import { type Json, toCanonicalJson } from '../../../src/core/lib/json.js';
import { type ChainState, emptyState } from '../../../src/core/model/state.js';
import { toolsDefaults } from '../../../src/core/strategies/strategy.js';
import { budget } from '../../support/budget.js';
import { agentOf, someTools, tool } from '../../support/core-builders.js';
import { runWorld, type World } from '../../support/core-environment.js';
import { matchError } from '../../support/match-error.js';

const nothingShown = { paragraphs: [], hidden: [] };
const tools = [...someTools, tool('wait', { waits: true })];
const limits = { steps: 8, waitMs: 3_600_000 };
const agent = agentOf({ strategy: toolsDefaults, tools, limits, continueAfter: { steps: 1 } });
const script = fc.array(fc.integer({ min: 0, max: 9_999 }), { maxLength: 600, size: 'max' });

/** Returns the state at the end of each run, with the first turn of the next. */
function listContinuations({ turns }: World): readonly (readonly [ChainState, (typeof turns)[number]])[] {
  return turns.flatMap((turn, at) => {
    const before = turns[at - 1];
    return before && turn.facts.some(({ type }) => type === 'continued') ? [[before.state, turn] as const] : [];
  });
}

describe('continue-as-new', () => {
  it('happens only while nothing runs, and each run takes a step', () => {
    let count = 0;
    fc.assert(
      fc.property(script, (numbers) => {
        const found = listContinuations(runWorld(agent, numbers, { people: true }));
        count += found.length;
        for (const [state] of found) {
          const running =
            state.flight.kind === 'calls' ? state.flight.calls.filter(({ progress }) => progress === 'running') : [];
          expect(running).toEqual([]);
          expect(['idle', 'calls']).toContain(state.flight.kind);
          expect(state.stop).toBeNull();
          expect(state.timers).toEqual(emptyState.timers);
          expect(state.history.deferred).toBeUndefined();
        }
        const steps = found.map(([state]) => state.steps);
        expect(new Set(steps).size).toBe(steps.length);
      }),
      { numRuns: budget(25, 100) },
    );
    expect(count).toBeGreaterThan(budget(25, 100));
  });

  it('loses nothing: the carried state gives the same next turn', () => {
    fc.assert(
      fc.property(script, (numbers) => {
        for (const [state, { history, facts, state: then }] of listContinuations(runWorld(agent, numbers))) {
          const carried = JSON.parse(JSON.stringify(toContinuation(state, 'before', nothingShown))) as unknown;
          if (!isContinuation(carried)) throw new Error('Not a continuation.');
          const { state: begun, previousRunId } = toRunStartState(carried, 'chain-1');
          expect(previousRunId).toBe('before');
          expect(toCanonicalJson(begun as unknown as Json)).toBe(toCanonicalJson(state as unknown as Json));
          expect(takeTurn(begun, history, facts).state).toEqual(then);
        }
      }),
      { numRuns: budget(25, 50) },
    );
  });
});

describe('the carried state', () => {
  const [state] = listContinuations(runWorld(agent, [0]))[0] ?? [];

  it('is packed where it is large, to at most 200 KB', () => {
    if (state?.input == null) throw new Error('The world had no seam.');
    const large: ChainState = { ...state, input: { ...state.input, task: 'Compare the weather. '.repeat(50_000) } };
    const carried = toContinuation(large, 'before', nothingShown);
    expect(JSON.stringify(carried).length).toBeLessThan(200 * 1_024);
    expect(fromContinuation(carried)).toEqual(large);
  });

  it('of an unknown version is rejected: a newer worker can continue', () => {
    if (state === undefined) throw new Error('The world had no seam.');
    const newer = { ...toContinuation(state, 'before', nothingShown), continuation: 2 as unknown as 1 };
    expect(() => fromContinuation(newer)).toThrow(matchError('chain_newer', 'state version 2'));
  });
});
