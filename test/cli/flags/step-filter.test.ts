/** Filters of entries: matching entries, and the newest steps. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { filterSteps, parseStepFilter } from '../../../src/cli/flags/step-filter.js';
import { groupSteps } from '../../../src/core/view/print/groups.js';
import { takeNewest } from '../../../src/core/view/step-range.js';
import { matchError } from '../../support/match-error.js';
import { storedView } from '../../support/stored-chain.js';

const now = Date.parse('2026-11-21T12:00:00Z');
const steps = (await storedView('parallel-tools')).steps;
const ids = (flags: Parameters<typeof parseStepFilter>[0], of = steps) =>
  filterSteps(of, parseStepFilter(flags, now)).map(({ id }) => id);

describe('items are found', () => {
  it('by kind', () => {
    expect(ids({ type: 'tool_call' })).toEqual(['1.1', '1.2', '1.3', '2.1', '2.2']);
    expect(ids({ type: 'synthesis, thinking' })).toEqual(['1', '2', '3a']);
  });

  it('by text in any case, in arguments, results and thoughts', () => {
    expect(ids({ search: 'TWO' })).toEqual(['1.2', '1.2r']);
    expect(ids({ search: 'i call' })).toEqual(['1', '2']);
    expect(ids({ search: 'nowhere' })).toEqual([]);
  });

  it('by time', () => {
    const at = steps.find(({ id }) => id === '2');
    const since = new Date(at?.level === 'full' ? at.at : 0).toISOString();
    expect(ids({ since })).toEqual(['2', '2.1', '2.2', '2.1r', '2.2r', '2n1', '3a']);
  });

  it('by several filters', () => {
    expect(ids({ type: 'tool_result', search: 'two' })).toEqual(['1.2r']);
  });

  it('L8: only by text that the viewer sees', async () => {
    const seen = (await storedView('parallel-tools', 'end_user')).steps;
    expect(ids({ search: 'two' }, seen)).toEqual([]);
    expect(ids({ search: 'shaky' }, seen)).toContain('1.2');
  });
});

describe('the newest steps', () => {
  it('include all parallel calls of a step', () => {
    expect(takeNewest(steps, 1)).toMatchObject({ older: 2, steps: [{ id: '3a' }] });
    expect(new Set(takeNewest(steps, 2).steps.map(({ number }) => number))).toEqual(new Set([2, 3]));
  });

  it('and the older steps add up to all steps', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9 }), (most) => {
        const { steps: shown, older } = takeNewest(steps, most);
        expect(groupSteps(shown).length + older).toBe(groupSteps(steps).length);
        expect(steps.slice(-shown.length)).toEqual(shown);
      }),
    );
  });
});

it('every item is in exactly one group, the result with its call', () => {
  const groups = groupSteps(steps);
  const all = groups.flatMap(({ thought, calls, answer, notices }) => [
    thought,
    ...calls.flatMap(({ call, result }) => [call, result]),
    answer,
    ...notices,
  ]);
  expect(
    all
      .filter((item) => item !== null)
      .map(({ id }) => id)
      .sort(),
  ).toEqual(steps.map(({ id }) => id).sort());
  for (const { call, result } of groups.flatMap(({ calls }) => calls)) expect(result?.id).toBe(`${call?.id}r`);
});

it.each([
  [{ type: 'thoughts' }, 'Invalid --type thoughts. Write one or more of thinking, tool_call'],
  [{ last: '0' }, 'Invalid --last 0: expected a whole number above 0.'],
  [{ last: '3', all: true }, '--all and --last cannot be combined.'],
  [{ since: 'soon' }, 'Invalid --since soon.'],
])('%j is rejected', (flags, message) => {
  const read = () => parseStepFilter(flags, now);
  expect(read).toThrow(matchError('usage', message));
});
