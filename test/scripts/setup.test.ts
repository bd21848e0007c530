/** The set-up scripts: which packages count as installed, which Node is accepted, how a test run is summarized. */

import { describe, expect, it } from 'vitest';

/** Plain JavaScript without types: these are the functions that the tests use. */
interface Scripts {
  readonly checkNode: (version: string) => void;
  readonly sameAsInstalled: (lock: object, installed: object) => boolean;
  readonly closingLine: (report: object | null, exitCode: number, options?: { readonly chosen: boolean }) => string;
  readonly notPassed: (report: object | null, options?: { readonly chosen: boolean }) => readonly string[];
}

interface FileCosts {
  readonly parseCosts: (text: string) => readonly object[];
  readonly formatCosts: (costs: readonly object[], whole: object) => readonly string[];
}

interface CheckWords {
  readonly readWords: (markdown: string) => readonly { readonly word: string; readonly better: string }[];
  readonly findWords: (text: string, words: object, options?: { readonly markdown: boolean }) => readonly object[];
}

const load = (name: string): Promise<unknown> => import(new URL(`../../scripts/${name}.mjs`, import.meta.url).href);
const { checkNode, sameAsInstalled } = (await load('packages')) as Scripts;
const { readWords, findWords } = (await load('check-words')) as CheckWords;
const { closingLine, notPassed } = (await load('closing-line')) as Scripts;
const { parseCosts, formatCosts } = (await load('file-costs')) as FileCosts;

describe('the costs of a run', () => {
  it('are printed with the slowest files first, and the whole', () => {
    const lines = Array.from({ length: 12 }, (_, at) => JSON.stringify({ path: `test/${at}.ts`, ms: at, cpuMs: 500 }));
    const printed = formatCosts(parseCosts(`${lines.join('\n')}\n`), { ms: 90_000, cpuMs: 120_000 });
    expect(printed).toHaveLength(12);
    expect(printed[1]).toBe('     0.0     0.5  test/11.ts');
    expect(printed.at(-1)).toBe('All 12 files: 1.5 min, 2.0 min of CPU');
  });

  it('have no CPU time where the system reports none', () => {
    expect(formatCosts([], { ms: 60_000, cpuMs: null }).at(-1)).toBe('All 0 files: 1.0 min');
  });
});

describe('packages', () => {
  const lock = {
    packages: {
      '': { version: '0.1.0' },
      'node_modules/a': { version: '1.0.0' },
      'node_modules/a-darwin': { version: '1.0.0', optional: true },
    },
  };

  it('are in place when npm has recorded every version, except packages of other platforms', () => {
    expect(sameAsInstalled(lock, { packages: { 'node_modules/a': { version: '1.0.0' } } })).toBe(true);
  });

  it('are not in place when one is missing or another version', () => {
    expect(sameAsInstalled(lock, { packages: {} })).toBe(false);
    expect(sameAsInstalled(lock, { packages: { 'node_modules/a': { version: '1.0.1' } } })).toBe(false);
    const other = { 'node_modules/a': { version: '1.0.0' }, 'node_modules/a-darwin': { version: '0.9.0' } };
    expect(sameAsInstalled(lock, { packages: other })).toBe(false);
  });
});

describe('Node', () => {
  it('must be 20.19 or newer', () => {
    expect(() => checkNode('20.18.3')).toThrow('Longhand needs Node 20.19 or newer; this is 20.18.3.');
    expect(() => checkNode('18.20.0')).toThrow('Install a newer one');
    expect(() => checkNode('20.19.0')).not.toThrow();
    expect(() => checkNode('24.1.0')).not.toThrow();
  });
});

describe('the closing line', () => {
  const report = { numPassedTests: 3, numFailedTests: 1, numPendingTests: 0, numTodoTests: 0, testResults: [] };

  it('counts tests; skipped tests have not passed, unless other tests were chosen', () => {
    const skipped = { ...report, numPendingTests: 1, numTodoTests: 1 };
    expect(closingLine(report, 1)).toBe('3 passed, 1 failed');
    expect(closingLine(skipped, 0)).toBe('3 passed, 3 failed');
    expect(closingLine(skipped, 1, { chosen: true })).toBe('3 passed, 1 failed');
  });

  it('counts no skipped test whose name has the reason, and names it', () => {
    const skipped = { status: 'skipped', fullName: 'the proxy (skipped: it is not installed) answers' };
    const file = { name: 'a.test.ts', status: 'passed', assertionResults: [skipped] };
    const some = { ...report, numFailedTests: 0, numPendingTests: 1, testResults: [file] };
    expect(closingLine(some, 0)).toBe('3 passed, 0 failed');
    expect(notPassed(some)).toEqual([`skipped: a.test.ts › ${skipped.fullName}`]);
    expect(closingLine({ ...some, numPendingTests: 2 }, 0)).toBe('3 passed, 1 failed');
  });

  it('never reads like a success after a run without tests', () => {
    const unloaded = { status: 'failed', assertionResults: [] };
    expect(closingLine({ ...report, numFailedTests: 0, testResults: [unloaded] }, 1)).toBe('3 passed, 1 failed');
    expect(closingLine({ ...report, numFailedTests: 0 }, 0)).toBe('3 passed, 0 failed');
    expect(closingLine({ ...report, numFailedTests: 0 }, 1)).toBe('3 passed, 1 failed');
    expect(closingLine(null, 1)).toBe('0 passed, 1 failed');
  });

  it('names each test that it counts as failed', () => {
    const tests = ['passed', 'failed', 'skipped'].map((status) => ({ status, fullName: `is ${status}` }));
    const some = { name: 'a.test.ts', status: 'failed', assertionResults: tests };
    const report = { testResults: [some, { name: 'b.test.ts', status: 'failed', assertionResults: [] }] };
    const failed = 'failed: a.test.ts › is failed';
    expect(notPassed(report)).toEqual([failed, 'skipped: a.test.ts › is skipped', 'not loaded: b.test.ts']);
    expect(notPassed(report, { chosen: true })).toEqual([failed, 'not loaded: b.test.ts']);
    expect(notPassed(null)).toEqual([]);
  });
});

describe('the check of words', () => {
  const glossary = [
    'utilize, utilized are not in this part.',
    '## Words that Longhand does not use',
    '| not | but |',
    '| --- | --- |',
    '| utilize, utilized | use |',
    '| make up, makes up | be |',
    '| hold (of a chain) | pause |',
  ].join('\n');
  const words = readWords(glossary);

  it('reads the rows of the glossary, but not those with a condition', () => {
    expect(words.map(({ word }) => word)).toEqual(['utilize', 'utilized', 'make up', 'makes up']);
  });

  it('finds whole words, also at the start of a sentence, with the line and the better word', () => {
    const text = 'It is underutilized.\nMakes up: it was utilized.';
    expect(findWords(text, words)).toEqual([
      { line: 2, word: 'Makes up', better: 'be' },
      { line: 2, word: 'utilized', better: 'use' },
    ]);
  });

  it('leaves out code in Markdown', () => {
    expect(findWords('The member `utilized`.', words, { markdown: true })).toEqual([]);
    expect(findWords('The member `utilized`.', words)).toHaveLength(1);
  });
});
