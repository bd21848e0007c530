/** A process that looks up and stores results of equal and different calls at full speed, and prints the first wrong result. */

import { type CacheKey, createToolCache } from '../../../src/store/cache/tool-cache.js';
import { openStore } from '../../../src/store/db/open.js';
import { waitUntilReady } from '../../support/store-process.js';

const [where = '', rounds = '0'] = process.argv.slice(2);
const store = await openStore(where);
const cache = createToolCache(store);

const keys: readonly CacheKey[] = ['acme', 'globex', null].flatMap((tenant) =>
  ['1', '2'].flatMap((version) =>
    ['EUR', 'USD'].map((of) => ({ namespace: 'default', tenant, tool: 'rates', version, input: { of } })),
  ),
);

interface Result {
  readonly key: CacheKey;
  readonly madeAt: number;
  readonly padding: string;
}

const counts = { found: 0, missed: 0 };

/** Results of one currency expire all the time; those of the other do not: also a slow machine finds them. */
const expiries: Readonly<Record<string, number>> = { EUR: 40, USD: 600_000 };

async function look(key: CacheKey): Promise<string | null> {
  const ttlMs = expiries[(key.input as { readonly of: string }).of] ?? 0;
  const { found, at } = await cache.get(key, ttlMs);
  if (found === null) {
    counts.missed++;
    const made: Result = { key, madeAt: Date.now(), padding: 'x'.repeat(5_000 + Math.floor(Math.random() * 20_000)) };
    await cache.put(key, { ...made, chars: made.padding.length } as never, { at, ttlMs });
    return null;
  }
  counts.found++;
  const value = found.value as unknown as Result & { readonly chars: number };
  if (JSON.stringify(value.key) !== JSON.stringify(key))
    return `${JSON.stringify(key)} got ${JSON.stringify(value.key)}`;
  if (value.padding.length !== value.chars) return `${value.padding.length} of ${value.chars} characters`;
  if (at - value.madeAt >= ttlMs) return `${at - value.madeAt} ms old`;
  return null;
}

await waitUntilReady();
const wrong: string[] = [];
for (let round = 0; round < Number(rounds); round++) {
  const looked = await Promise.all(keys.map(look));
  wrong.push(...looked.filter((each) => each !== null));
}
await store.close();
process.stdout.write(JSON.stringify({ ...counts, wrong: wrong.slice(0, 3) }));
