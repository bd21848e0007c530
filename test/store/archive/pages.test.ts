/** Pages of a run: nothing is lost, and the beginning can be read without the rest. */

import { describe, expect, it } from 'vitest';
import type { ChainRun } from '../../../src/core/record/chain-file.js';
import { packPage, unpackPage } from '../../../src/store/archive/pack-page.js';
import { joinPages, toPages } from '../../../src/store/archive/pages.js';
import { budget } from '../../support/budget.js';
import { storedRecords } from '../../support/stored-chain.js';
import { typicalRun } from '../../support/typical-run.js';

async function splitAndJoin(run: ChainRun): Promise<ChainRun | null> {
  const packed = await Promise.all(toPages(run).map(packPage));
  const pages = await Promise.all(packed.map(unpackPage));
  return joinPages(pages.flatMap((page) => page ?? []));
}

describe('a run in pages', () => {
  it.each([1, 20, budget(150, 400)])('joins to the same run of %i steps', async (steps) => {
    const { run } = typicalRun({ steps });
    expect(await splitAndJoin(run)).toEqual(run);
  });

  it('joins to the same run for every recorded chain', async () => {
    for (const { runs } of await storedRecords()) {
      for (const run of runs) expect(await splitAndJoin(run)).toEqual(run);
    }
  });

  it('has its first 20 steps on its first page', () => {
    const [first, ...others] = toPages(typicalRun({ steps: 700 }).run);
    expect(first?.turns.filter(({ facts }) => facts[0]?.type === 'modelReplied').length).toBeGreaterThan(20);
    expect(first?.turns.length).toBeLessThan(300);
    expect(others).toHaveLength(2);
  });

  it('ends a page earlier when results are long', () => {
    const { run } = typicalRun({ steps: 60 });
    const turns = run.turns.map((turn) => ({
      ...turn,
      facts: turn.facts.map((fact) =>
        fact.type === 'toolReturned'
          ? { ...fact, observation: { content: 'long '.repeat(20_000), clippedFrom: null } }
          : fact,
      ),
    }));
    const long = { ...run, turns };
    expect(toPages(long)[0]?.turns.length).toBeLessThan(20);
    expect(joinPages(toPages(long))).toEqual(long);
  });

  it('without its first page cannot be joined', () => {
    expect(joinPages(toPages(typicalRun({ steps: 100 }).run).slice(1))).toBeNull();
  });
});

describe('a packed page', () => {
  it('with any altered byte is rejected', async () => {
    const [page] = toPages(typicalRun({ steps: 5 }).run);
    const packed = await packPage(page as NonNullable<typeof page>);
    for (let at = 0; at < packed.data.length; at += 97) {
      const data = Buffer.from(packed.data);
      data[at] = (data[at] ?? 0) ^ 1;
      expect(await unpackPage({ ...packed, data })).toBeNull();
    }
    expect(await unpackPage({ ...packed, data: packed.data.subarray(0, -1) })).toBeNull();
  });
});
