/**
 * A module that throws while it is loaded, in a process that loads nothing else: the loader is in its state. In the short form
 * other modules are loaded in this process.
 */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { isLong } from '../../support/budget.js';
import { longhand } from '../../support/command.js';
import { longhandHere } from '../../support/command-here.js';

const folder = mkdtempSync(join(tmpdir(), 'longhand loading #1 100% ü '));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const files = {
  'config.ts': 'export function read(config?: { name: string }): string {\n\n\n  return config!.name;\n}\n',
  'throws.ts': "import { read } from './config.js';\n\n\nexport const name = read();\n",
  'syntax.ts': 'export const a = 1;\nexport const b = (;\n',
  'missing.ts': "import './nowhere.js';\n",
};

describe.each(['module', 'commonjs'])('in a package of type %s', (type) => {
  const path = join(folder, type);
  mkdirSync(path);
  writeFileSync(join(path, 'package.json'), JSON.stringify({ type }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text);
  const load = async (name: string, isAlone = isLong) => {
    const args = ['run', 'clerk', 'Count', '--module', join(path, name)];
    const { code, stderr } = await (isAlone ? longhand(args).end : longhandHere(args));
    expect(code).toBe(2);
    return stderr.replaceAll(path, '').trimEnd().split('\n');
  };

  it('a module that throws while it is loaded is reported with error, file, line and stack, without the loader', async () => {
    const [first, ...frames] = await load('throws.ts', true);
    const message = "TypeError: Cannot read properties of undefined (reading 'name')";
    expect(first).toBe(`longhand: Module /throws.ts does not load: ${message}`);
    expect(frames[0]).toMatch(/^ {4}at read \(\/config\.ts:4:\d+\)$/);
    expect(frames.slice(1).length).toBeGreaterThan(0);
    for (const frame of frames.slice(1)) expect(frame).toMatch(/^ {4}at .*\(\/throws\.ts:4:\d+\)$/);
  });

  it('a syntax error is reported with file and line', async () => {
    expect(await load('syntax.ts')).toEqual([expect.stringMatching(/\/syntax\.ts:2:18: ERROR: Unexpected ";"$/)]);
  });

  it('a module that imports a missing one is reported with both', async () => {
    expect((await load('missing.ts')).join(' ')).toMatch(/nowhere\.js'.* \/missing\.ts/);
  });
});
