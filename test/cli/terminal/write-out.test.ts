/** Output files: written atomically, to the right place, with the right permissions. */

import {
  chmodSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { writeOutput } from '../../../src/cli/terminal/write-out.js';
import { printed } from '../../support/printed.js';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'longhand-out-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const writing = (text: string, out: string) =>
  printed(async (terminal) => {
    writeOutput(terminal, text, out);
    return 0;
  });
const modeOf = (path: string) => statSync(path).mode & 0o777;

it('a new file is readable only by its owner', async () => {
  const out = join(folder, 'new.json');
  await writing('a chain', out);
  expect(modeOf(out)).toBe(0o600);
  expect(readFileSync(out, 'utf8')).toBe('a chain');
});

it.each([0o600, 0o640, 0o666])('a replaced file keeps its permissions', async (mode) => {
  const out = join(folder, 'old.json');
  writeFileSync(out, 'before');
  chmodSync(out, mode);
  await writing('after', out);
  expect(modeOf(out)).toBe(mode);
  expect(readFileSync(out, 'utf8')).toBe('after');
});

it('the target of a link is replaced', async () => {
  const [real, link] = [join(folder, 'real.json'), join(folder, 'link.json')];
  writeFileSync(real, 'before');
  symlinkSync(real, link);
  await writing('after', link);
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
  expect(readFileSync(real, 'utf8')).toBe('after');
});

it('a prepared link next to the file does not redirect the output', async () => {
  const [out, other] = [join(folder, 'b.json'), join(folder, 'other')];
  writeFileSync(other, 'of somebody else');
  symlinkSync(other, `${out}.${process.pid}.part`);
  await writing('a chain', out);
  expect(readFileSync(other, 'utf8')).toBe('of somebody else');
  expect(lstatSync(out).isSymbolicLink()).toBe(false);
});

it('the file name may have the maximum length, and no temporary file remains', async () => {
  const out = join(folder, 'n'.repeat(255));
  await writing('a chain', out);
  expect(readdirSync(folder)).toEqual(['n'.repeat(255)]);
});
