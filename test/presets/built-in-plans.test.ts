/** The steps of the built-in plan templates. */

import { expect, it } from 'vitest';
import { builtInPlans } from '../../src/entries/tools.js';

const listSteps = (template: string) => builtInPlans.find(({ name }) => name === template)?.steps.map(({ id }) => id);

it('debug_bug has seven steps', () => {
  expect(listSteps('debug_bug')).toEqual(
    'reproduce read_code find_cause propose_fix implement_fix test_fix commit'.split(' '),
  );
});

it('implement_feature has eight steps', () => {
  expect(listSteps('implement_feature')).toEqual(
    'understand design find_files implement handle_errors write_tests document commit'.split(' '),
  );
});

it('write_tests is the template for testing', () => {
  expect(listSteps('write_tests')).toEqual('read_code find_gaps write_tests verify commit'.split(' '));
});

it('refactor_code has six steps', () => {
  expect(listSteps('refactor_code')).toEqual('analyze find_chances plan_changes refactor verify commit'.split(' '));
});
