/** The size of an archived chain. */

import { expect, it } from 'vitest';
import { packPage } from '../../../src/store/archive/pack-page.js';
import { toPages } from '../../../src/store/archive/pages.js';
import { typicalRun } from '../../support/typical-run.js';

it('100 steps with results of 2 KB take about 50 KB in the archive', async () => {
  const packed = await Promise.all(toPages(typicalRun({ steps: 100 }).run).map(packPage));
  const bytes = packed.reduce((sum, { data }) => sum + data.length, 0);
  // Prose, rows and logs that all differ: 200 KB before they are packed.
  expect(bytes).toBeGreaterThan(10_000);
  expect(bytes).toBeLessThan(55_000);
});
