/** The lines of sub-chains in a tree. */

import { describe, expect, it } from 'vitest';
import { formatTreeRows } from '../../../src/cli/print/terminal-lines.js';
import { getColors } from '../../../src/cli/terminal/colors.js';
import { formatChildTrees } from '../../../src/core/view/print/child-lines.js';
import type { ChildView } from '../../../src/entries/view.js';
import { storedView } from '../../support/stored-chain.js';

const c = getColors({ color: false });
const spent = { chains: 1, tokens: 100, costUsd: 0.01 };

function child(n: number, more: Partial<Extract<ChildView, { level: 'summary' }>> = {}): ChildView {
  return {
    ...{ level: 'summary', chainId: `a/1.1.${n}`, agent: 'helper', state: 'completed', outcome: 'success' },
    ...{ steps: 2, own: spent, total: spent, task: `Task ${n}`, answer: null, summary: '' },
    ...more,
  };
}

function lines(children: readonly ChildView[], width = 100): readonly string[] {
  return formatTreeRows(
    formatChildTrees(children, () => []),
    width,
    c,
  );
}

describe('the sub-chains of a call', () => {
  it('show their task only if the call has several', () => {
    expect(lines([child(1)])).toEqual(['└─ ⇢ helper  ✓ success · 2 steps · $0.01  a/1.1.1']);
    expect(lines([child(1), child(2)])).toEqual([
      '├─ ⇢ helper  Task 1  ✓ success · 2 steps · $0.01  a/1.1.1',
      '└─ ⇢ helper  Task 2  ✓ success · 2 steps · $0.01  a/1.1.2',
    ]);
  });

  it('show failed and waiting ones of many, and count the others', () => {
    const all = Array.from({ length: 100 }, (_, n) => child(n + 1));
    all[70] = child(71, { state: 'failed', outcome: 'failure' });
    all[90] = child(91, { state: 'waiting', outcome: null });
    const shown = lines([...all, ...[101, 102].map((n) => child(n, { state: 'queued', outcome: null }))]);
    expect(shown).toHaveLength(22);
    expect(shown.some((line) => line.includes('■ failure'))).toBe(true);
    expect(shown.some((line) => line.includes('⏸ waits for a person'))).toBe(true);
    expect(shown.slice(-2)).toEqual(['├─ … 80 more: 80 success', '└─ 2 queued']);
  });

  it('show what each branch tries, with the id on the next row', async () => {
    const begun = (await storedView('branches')).children['2.1'] ?? [];
    const [first = '', below = ''] = lines(begun, 90);
    expect(first).toMatch(/^├─ ⇢ finder {2}It is the cache\. {2}✓ success · 2 steps · \$0\.00\d+$/);
    expect(below).toMatch(/^│ {4}finder-\S+\/2\.1\.1$/);
    expect(lines(begun, 140)).toHaveLength(3);
  });

  it('show the full id in a narrow terminal', () => {
    expect(lines([child(1), child(2)], 30).join('\n')).toContain('a/1.1.2');
  });
});
