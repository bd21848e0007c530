/** Ranges of steps: what they select, and which are rejected. */

import { expect, it } from 'vitest';
import { findRangeProblem, type StepRange, selectSteps } from '../../../src/core/view/step-range.js';
import { storedView } from '../../support/stored-chain.js';

const { steps } = await storedView('parallel-tools');
const numbersOf = (range: StepRange) => [...new Set(selectSteps(steps, range).map(({ number }) => number))];

it.each([
  [{}, [1, 2, 3]],
  [{ from: 2 }, [2, 3]],
  [{ to: 2 }, [1, 2]],
  [{ from: 2, to: 2 }, [2]],
  [{ last: 1 }, [3]],
  [{ to: 2, last: 1 }, [2]],
  [{ from: 9 }, []],
])('the range %j selects the steps %j, with all of their calls', (range, numbers) => {
  expect(numbersOf(range)).toEqual(numbers);
  const inside = steps.filter(({ number }) => (numbers as readonly number[]).includes(number));
  expect(selectSteps(steps, range)).toEqual(inside);
});

it.each([
  [{ from: 0 }, 'from is 0; expected a whole number of at least 1'],
  [{ last: 1.5 }, 'last is 1.5; expected a whole number of at least 1'],
  [{ from: 3, to: 2 }, 'from is 3, after to, 2'],
])('the range %j is rejected', (range, problem) => {
  expect(findRangeProblem(range)).toBe(problem);
});

it('a range of one step is valid', () => {
  expect(findRangeProblem({ from: 2, to: 2 })).toBeNull();
});
