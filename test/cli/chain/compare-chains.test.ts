/** Two chains differ at the first step with other content, never because of times and costs. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareChains } from '../../../src/cli/chain/compare-chains.js';
import { diffChains } from '../../../src/cli/chain/diff.js';
import { measureColumns } from '../../../src/cli/terminal/text.js';
import type { FullStep, ReasoningView, StepView } from '../../../src/entries/view.js';
import { printed } from '../../support/printed.js';
import { storedFile, storedView } from '../../support/stored-chain.js';

const chain = await storedView('parallel-tools');

function withStep(id: string, change: (step: FullStep) => object): ReasoningView {
  const changed = (step: StepView) => ({ ...step, ...change(step as FullStep) }) as StepView;
  return { ...chain, steps: chain.steps.map((step) => (step.id === id ? changed(step) : step)) };
}

describe('two chains', () => {
  it('are equal even if all times and costs differ', () => {
    const later = chain.steps.map(
      (step) => ({ ...step, at: 7, durationMs: 9, modelCall: null, attempts: null }) as unknown as StepView,
    );
    const other = { ...chain, chainId: 'other', startedAt: 5, costUsd: 1, tokens: 1, steps: later };
    expect(compareChains(chain, other)).toEqual({ equal: true, firstDifference: null, stepsA: 3, stepsB: 3 });
  });

  it.each([
    ['2', { thought: 'Something else.' }, 2, 'thought'],
    ['1.2', { input: { text: 'zwei' } }, 1, 'calls'],
    ['1.3', { tool: 'other' }, 1, 'calls'],
    ['1.3r', { observation: 'drei' }, 1, 'results'],
    ['2.1r', { status: 'ok' }, 2, 'results'],
    ['3a', { conclusion: 'Nothing is done.' }, 3, 'answer'],
  ])('differ at %s with %j', (id, change, step, what) => {
    const compared = compareChains(
      chain,
      withStep(id, () => change),
    );
    expect(compared).toMatchObject({ equal: false, firstDifference: { step, what } });
    expect(compared.firstDifference?.a).not.toEqual(compared.firstDifference?.b);
  });

  it('differ where only one continues', () => {
    const shorter = { ...chain, steps: chain.steps.filter(({ number }) => number < 3) };
    expect(compareChains(chain, shorter)).toMatchObject({ firstDifference: { step: 3 }, stepsA: 3, stepsB: 2 });
    expect(compareChains(shorter, { ...chain, steps: [] }).firstDifference?.step).toBe(1);
  });

  it('differ only in their outcomes', () => {
    const stopped: ReasoningView = { ...chain, outcome: 'cancelled' };
    const difference = { step: 3, what: 'end', a: 'success', b: 'cancelled' };
    expect(compareChains(chain, stopped).firstDifference).toEqual(difference);
  });

  it('differ at the same step in either order', () => {
    const ids = chain.steps.map(({ id }) => id);
    fc.assert(
      fc.property(fc.subarray(ids, { minLength: 1 }), (left) => {
        const other = { ...chain, steps: chain.steps.filter(({ id }) => left.includes(id)) };
        const [there, back] = [compareChains(chain, other), compareChains(other, chain)];
        expect(there.equal).toBe(left.length === ids.length);
        expect(back.firstDifference?.step).toBe(there.firstDifference?.step);
        expect(back.firstDifference?.what).toBe(there.firstDifference?.what);
      }),
    );
  });
});

it.each([24, 40, 61, 100])('chain diff keeps its two columns in a terminal of %d columns', async (width) => {
  const files = [storedFile('parallel-tools'), storedFile('sub-chains')] as const;
  const { out } = await printed((terminal) => diffChains(terminal, files, {}), width);
  const rows = out.split('\n').filter((row) => row.includes(' │'));
  const half = Math.floor((width - 3) / 2);
  expect(rows.length).toBeGreaterThan(5);
  for (const row of rows) {
    expect(measureColumns(row)).toBeLessThanOrEqual(2 * half + 3);
    expect(row.slice(half, half + 2)).toBe(' │');
  }
});
