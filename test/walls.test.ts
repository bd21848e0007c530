/**
 * The import rules hold: a tree laid out like src, with one file for each import that must not be, is refused for exactly
 * those, and what the design allows passes.
 */

import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Rule, who imports, what. Every layer has an `own.ts` to be imported. */
const refused = [
  ['core-imports', 'core', '../contract/own.js'],
  ['core-imports', 'core', 'node:fs'],
  ['core-imports', 'core', 'zod'],
  ['core-imports', 'core/strategies', '../../workflows/own.js'],
  ['contract-imports', 'contract', '../workflows/own.js'],
  ['contract-imports', 'contract', '@temporalio/client'],
  ['contract-imports', 'contract', 'zod'],
  ['workflows-imports', 'workflows', '../activities/own.js'],
  ['workflows-imports', 'workflows', '../client/own.js'],
  ['workflows-imports', 'workflows', '../history/own.js'],
  ['workflows-imports', 'workflows', 'node:crypto'],
  ['workflows-imports', 'workflows', 'zod'],
  ['workflows-imports', 'workflows', '@anthropic-ai/sdk'],
  ['history-imports', 'history', '../activities/own.js'],
  ['history-imports', 'history', '@temporalio/workflow'],
  ['secrets-imports', 'secrets', '../contract/own.js'],
  ['secrets-imports', 'secrets', 'zod'],
  ['models-imports', 'models', '../tools/own.js'],
  ['models-imports', 'models', '@temporalio/client'],
  ['tools-imports', 'tools', '../activities/own.js'],
  ['tools-imports', 'tools', '@temporalio/activity'],
  ['agents-imports', 'agents', '../activities/own.js'],
  ['agents-imports', 'agents', '@temporalio/client'],
  ['templates-imports', 'templates', '../agents/own.js'],
  ['templates-imports', 'templates', 'node:fs'],
  ['telemetry-imports', 'telemetry', '../activities/own.js'],
  ['telemetry-imports', 'telemetry', '../models/own.js'],
  ['telemetry-imports', 'telemetry', '@temporalio/workflow'],
  ['store-imports', 'store', '../history/own.js'],
  ['store-imports', 'store', '@temporalio/client'],
  ['encryption-imports', 'encryption', '../store/own.js'],
  ['encryption-imports', 'encryption', '@temporalio/client'],
  ['logs-imports', 'logs', '../telemetry/own.js'],
  ['logs-imports', 'logs', '@temporalio/worker'],
  ['activities-imports', 'activities', '../logs/own.js'],
  ['activities-imports', 'activities', '@opentelemetry/api'],
  ['activities-imports', 'activities', '../workflows/own.js'],
  ['activities-imports', 'activities', '../client/own.js'],
  ['activities-imports', 'activities', '@temporalio/workflow'],
  ['client-imports', 'client', '../activities/own.js'],
  ['client-imports', 'client', '../workflows/own.js'],
  ['client-imports', 'client', '../worker/own.js'],
  ['client-imports', 'client', '@temporalio/worker'],
  ['worker-imports', 'worker', '../workflows/own.js'],
  ['worker-imports', 'worker', '../client/own.js'],
  ['worker-imports', 'worker', '@temporalio/workflow'],
  ['cli-imports', 'cli', '../activities/own.js'],
  ['cli-imports', 'cli', '../workflows/own.js'],
  ['known-layers', 'elsewhere', '../core/own.js'],
  ['entry-imports', '.', './workflows/own.js'],
  ['only-src', '.', '../outside.js'],
  ['no-dev-packages', '.', 'fast-check'],
  ['resolvable', 'core', './missing.js'],
] as const;

const allowed = [
  ['core', '@noble/hashes/sha2.js'],
  ['contract', '../core/own.js'],
  ['contract', '@temporalio/common'],
  ['workflows', '../contract/own.js'],
  ['workflows', '@temporalio/workflow'],
  ['history', '../contract/own.js'],
  ['history', '@temporalio/client'],
  ['secrets', '../core/own.js'],
  ['secrets', 'node:fs'],
  ['models', '@anthropic-ai/sdk'],
  ['models', 'node:fs'],
  ['models', '../secrets/own.js'],
  ['tools', 'zod'],
  ['agents', '../tools/own.js'],
  ['templates', '../tools/own.js'],
  ['telemetry', '../contract/own.js'],
  ['telemetry', '@opentelemetry/api'],
  ['telemetry', '@temporalio/interceptors-opentelemetry'],
  ['store', '../core/own.js'],
  ['store', 'kysely'],
  ['store', 'better-sqlite3'],
  ['store', 'pg'],
  ['store', 'node:fs'],
  ['encryption', '@temporalio/common'],
  ['activities', '../store/own.js'],
  ['client', '../store/own.js'],
  ['worker', '../encryption/own.js'],
  ['logs', '../contract/own.js'],
  ['logs', 'pino'],
  ['cli', '../logs/own.js'],
  ['activities', '../telemetry/own.js'],
  ['activities', '../history/own.js'],
  ['activities', '../agents/own.js'],
  ['activities', '../models/own.js'],
  ['activities', '@temporalio/activity'],
  ['client', '../history/own.js'],
  ['client', '../telemetry/own.js'],
  ['client', 'node:crypto'],
  ['worker', '../activities/own.js'],
  ['worker', '@temporalio/worker'],
  ['cli', '../client/own.js'],
  ['cli', 'commander'],
  ['.', './client/own.js'],
] as const;

interface Violation {
  readonly from: string;
  readonly rule: { readonly name: string };
}

const tree = mkdtempSync(join(tmpdir(), 'longhand-walls-'));
let violations: readonly Violation[];

function write(path: string, text: string): void {
  mkdirSync(dirname(join(tree, path)), { recursive: true });
  writeFileSync(join(tree, path), text);
}

/** A file that does nothing but the one import; as a type, because the walls count those too. */
function importing(path: string, target: string): void {
  write(path, `export type * from '${target}';\n`);
}

function rulesAgainst(path: string): readonly string[] {
  return violations.filter((violation) => violation.from === path).map((violation) => violation.rule.name);
}

beforeAll(async () => {
  symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'));
  cpSync(join(root, 'package.json'), join(tree, 'package.json'));
  const layers = new Set([...refused.map(([, layer]) => layer), ...allowed.map(([layer]) => layer)]);
  for (const layer of layers) write(`src/${layer}/own.ts`, 'export type Own = string;\n');
  write('outside.ts', 'export type Outside = string;\n');
  refused.forEach(([, layer, target], index) => {
    importing(`src/${layer}/refused-${index}.ts`, target);
  });
  allowed.forEach(([layer, target], index) => {
    importing(`src/${layer}/allowed-${index}.ts`, target);
  });
  importing('src/core/circle-a.ts', './circle-b.js');
  importing('src/core/circle-b.ts', './circle-a.js');

  const cruiser = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
  const args = [cruiser, '--config', join(root, '.dependency-cruiser.cjs'), '--output-type', 'json', 'src'];
  const output = await new Promise<string>((resolve) => {
    execFile(process.execPath, args, { cwd: tree, maxBuffer: 64 * 1024 * 1024 }, (_failed, stdout) => resolve(stdout));
  });
  violations = JSON.parse(output).summary.violations;
});

afterAll(() => rmSync(tree, { recursive: true, force: true }));

describe('the walls', () => {
  it.each(refused.map((row, index) => [...row, index] as const))(
    '%s: %s may not import %s',
    (rule, layer, _, index) => {
      expect(rulesAgainst(join('src', layer, `refused-${index}.ts`))).toEqual([rule]);
    },
  );

  it.each(allowed.map((row, index) => [...row, index] as const))('%s may import %s', (layer, _, index) => {
    expect(rulesAgainst(join('src', layer, `allowed-${index}.ts`))).toEqual([]);
  });

  it('no-cycles: two files may not import each other', () => {
    expect([...rulesAgainst('src/core/circle-a.ts'), ...rulesAgainst('src/core/circle-b.ts')]).toContain('no-cycles');
  });
});
