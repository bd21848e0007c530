/** The proofs of requirements: each names a test that ran and passed. */

import { expect, it } from 'vitest';

interface Proof {
  readonly document: string;
}

const load = (name: string) => import(new URL(`../../scripts/${name}.mjs`, import.meta.url).href);
const { closingLine } = (await load('closing-line')) as {
  closingLine: (report: object, exitCode: number, options: { unproven: readonly string[] }) => string;
};
const { findUnproven, readAllProofs, readProofs } = (await load('proofs')) as {
  findUnproven: (proofs: readonly Proof[], report: object, checkout: string) => readonly string[];
  readAllProofs: () => readonly Proof[];
  readProofs: (markdown: string, document: string) => readonly Proof[];
};

const page = 'docs/requirements/001.md';
const row = (proof: string) => `| line | statement |\n| L1 | It works | yes | ${proof} |`;
const link = '[a](../../test/a.test.ts)';

function findIn(proof: string, tests: readonly (readonly [fullName: string, status: string])[]): readonly string[] {
  const assertionResults = tests.map(([fullName, status]) => ({
    ...{ fullName, status, title: fullName.replace(/^group /, '') },
  }));
  const report = { testResults: [{ name: '/checkout/test/a.test.ts', assertionResults }] };
  return findUnproven(readProofs(row(proof), page), report, '/checkout');
}

it.each([
  ['a test that passed', `${link} “works”`, [['works', 'passed']]],
  ['a test by its full name', `${link} “group works”`, [['group works', 'passed']]],
  [
    'two tests of a file',
    `${link} “works”, “fits”`,
    [
      ['works', 'passed'],
      ['fits', 'passed'],
    ],
  ],
  [
    'all tests of one name',
    `${link} “works”`,
    [
      ['works', 'passed'],
      ['group works', 'passed'],
    ],
  ],
  ['a page instead of a test', '[tools](../tools.md)', []],
] as const)('a requirement is proved by %s', (_, proof, tests) => {
  expect(findIn(proof, tests)).toEqual([]);
});

it.each([
  ['another name', `${link} “works”`, [['works well', 'passed']], '“works”: no such test'],
  ['a file alone', link, [['works', 'passed']], '“”: no test is named'],
  ['a skipped test', `${link} “works”`, [['works', 'skipped']], '“works”: did not run (skipped)'],
  ['a failed test', `${link} “works”`, [['works', 'failed']], '“works”: failed'],
  [
    'tests of one name that did not all pass',
    `${link} “works”`,
    [
      ['works', 'passed'],
      ['group works', 'failed'],
    ],
    '“works”: failed',
  ],
] as const)('a requirement is not proved by %s', (_, proof, tests, problem) => {
  expect(findIn(proof, tests)).toEqual([`${page}:2: test/a.test.ts ${problem}`]);
});

it('a requirement is not proved by a file that did not run', () => {
  const report = { testResults: [] };
  const unproven = findUnproven(readProofs(row(`${link} “works”`), page), report, '/checkout');
  expect(unproven).toEqual([`${page}:2: test/a.test.ts “works”: the file did not run`]);
  const counted = { testResults: [], numPassedTests: 7, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0 };
  expect(closingLine(counted, 0, { unproven })).toBe('7 passed, 1 failed');
});

it('the requirements name hundreds of tests', () => {
  expect(readAllProofs().length).toBeGreaterThan(500);
});
