/** docs/benchmarks.md has each bound of the benches, with the value of bench/promises.ts. */

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { promises } from '../../bench/promises.js';

const page = readFileSync(new URL('../../docs/benchmarks.md', import.meta.url), 'utf8');

it('the page of benchmarks has each promise with its bound, and a measured value', () => {
  const rows = [...page.matchAll(/^\| `(\w+)` \|[^|]*\|[^|]*\| (?:× )?([\d.]+)[^|]*\| [^|]*\d[^|]*\|$/gm)];
  expect(Object.fromEntries(rows.map(([, name, asked]) => [name, Number(asked)]))).toEqual(promises);
});
