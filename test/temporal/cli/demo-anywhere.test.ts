/** `longhand demo` answers in any folder: it loads nothing from there, and writes nothing to it. */

import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { describeLong } from '../../support/budget.js';
import { createEnvironment } from '../../support/command.js';
import { longhandHere } from '../../support/command-here.js';
import { getTemporalAddress } from '../../support/temporal.js';

const checkout = fileURLToPath(new URL('../../..', import.meta.url));
let folder = '';
const at = (name: string) => join(folder, name);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'longhand-demo-'));
});
afterEach(() => {
  chmodSync(folder, 0o700);
  rmSync(folder, { recursive: true, force: true });
});

async function runDemo(
  command = join(checkout, 'bin/longhand.js'),
): Promise<{ readonly code: number | null; readonly text: string }> {
  const env = { ...createEnvironment(), TEMPORAL_ADDRESS: getTemporalAddress() };
  const child = spawn(process.execPath, [command, 'demo'], { cwd: folder, env });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (text += data));
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { code, text };
}

const ofExamples = expect.stringMatching(
  /no TypeScript files: the agent reads Longhand's examples.*\n1\. deployer\.ts \(/s,
);

it('in an empty folder that nobody may write to', async () => {
  chmodSync(folder, 0o500);
  process.chdir(folder);
  try {
    const { code, stdout, stderr } = await longhandHere(['demo'], { TEMPORAL_ADDRESS: getTemporalAddress() });
    expect({ code, text: stderr + stdout }).toEqual({ code: 0, text: ofExamples });
  } finally {
    process.chdir(checkout);
  }
  expect(readdirSync(folder)).toEqual([]);
});

it('in a folder of CommonJS whose tsconfig.json is damaged and whose files do not load', async () => {
  writeFileSync(at('package.json'), '{ "type": "commonjs" }');
  writeFileSync(at('tsconfig.json'), '{ "extends": "./missing.json",');
  writeFileSync(at('agents.ts'), '/** Throws. */\nthrow new Error();\n');
  const answer = expect.stringContaining('1. agents.ts (2 lines): "Throws."');
  expect(await runDemo()).toEqual({ code: 0, text: answer });
});

describeLong('demo', () => {
  it('in a project that has installed the package', async () => {
    const installed = at('node_modules/longhand');
    mkdirSync(installed, { recursive: true });
    const pack = ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder];
    const packed = execFileSync('npm', pack, { cwd: checkout, encoding: 'utf8' }).trim();
    execFileSync('tar', ['-xzf', at(packed), '--strip-components=1', '-C', installed]);
    for (const name of readdirSync(join(checkout, 'node_modules'))) {
      if (name !== 'longhand') symlinkSync(join(checkout, 'node_modules', name), at(`node_modules/${name}`));
    }
    writeFileSync(at('package.json'), '{ "type": "commonjs" }');
    expect(await runDemo(join(installed, 'bin/longhand.js'))).toEqual({ code: 0, text: ofExamples });
  });
});
