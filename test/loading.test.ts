/** What the built entries load: of packages, of Node, and in CPU time beside Temporal's client. */

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { listBuiltImports } from './support/built-imports.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly exports: Readonly<Record<string, { readonly default: string }>>;
};

/** Lists what an entry, or a built file, imports before its first function is called. */
function listLoaded(entry: string): readonly string[] {
  const loaded = new Set<string>();
  const files = new Set([entry.startsWith('/') ? entry : join(root, exports[entry]?.default ?? 'missing')]);
  for (const file of files) {
    for (const from of listBuiltImports(file, readFileSync(file, 'utf8'))) {
      if (from.startsWith('/')) files.add(from);
      else loaded.add(from.startsWith('@') ? from.split('/').slice(0, 2).join('/') : (from.split('/')[0] ?? from));
    }
  }
  return [...loaded].toSorted();
}

it('a definition loads no client, worker, provider or database', () => {
  expect(listLoaded('.')).toEqual([
    '@cfworker/json-schema',
    '@noble/hashes',
    'lru-cache',
    'ms',
    ...['node:fs', 'node:path', 'zod'],
  ]);
});

it.each(['./view', './http'])('%s runs in a browser: it loads nothing of Node or Temporal', (entry) => {
  expect(listLoaded(entry).filter((name) => /^node:|^@temporalio/.test(name))).toEqual([]);
});

it('a client loads no worker, provider or database', () => {
  const heavy = /^@temporalio\/(worker|activity)|openai|anthropic|opentelemetry|kysely|better-sqlite3|^pg$|^zod$/;
  expect(listLoaded('./client').filter((name) => heavy.test(name))).toEqual([]);
});

it('the CPU time of an import, beside that of @temporalio/client', () => {
  const modules = ['', 'zod', '@temporalio/client', 'longhand', 'longhand/view', 'longhand/http', 'longhand/client'];
  const times = new Map(modules.map((name) => [name, Number.POSITIVE_INFINITY]));
  const compare = (name: string, without: string) => {
    const [node = 0, client = 0] = ['', '@temporalio/client'].map((each) => times.get(each));
    return ((times.get(name) ?? 0) - (times.get(without) ?? 0)) / (client - node);
  };
  const limits = [
    ['longhand', 'zod', 0.2],
    ['longhand/view', '', 0.2],
    ['longhand/http', '', 0.1],
    ['longhand/client', '', 1.25],
  ] as const;
  const isSlow = () => limits.some(([name, without, limit]) => compare(name, without) >= limit);
  // In turns, and the least of each: what disturbs the machine adds time only, so further rounds find a lower one.
  for (let round = 0; round < 7 || (round < 21 && isSlow()); round += 1) {
    for (const name of modules) times.set(name, Math.min(times.get(name) ?? 0, measureImport(name)));
  }
  for (const [name, without, limit] of limits) expect(compare(name, without), name).toBeLessThan(limit);
}, 120_000);

it('the help of a command loads no client, store or engine', () => {
  const loaded = listLoaded(new URL('../packages/cli/dist/src/cli/main.js', import.meta.url).pathname);
  expect(loaded.filter((name) => !/^(node:|longhand$|@longhand)/.test(name))).toEqual([
    ...['@noble/hashes', '@scure/base', 'commander', 'lru-cache', 'ms', 'picocolors'],
  ]);
});

function measureImport(name: string): number {
  const load = name === '' ? '' : `await import(${JSON.stringify(name)});`;
  const code = `${load} const { user, system } = process.cpuUsage(); console.log((user + system) / 1000); process.exit();`;
  return Number(execFileSync(process.execPath, ['--input-type=module', '-e', code], { cwd: root, encoding: 'utf8' }));
}
