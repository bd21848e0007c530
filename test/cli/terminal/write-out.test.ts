/** What is written into a file that a person named: whole, to where it was meant to go, and for whom. */

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

it('is its owner’s alone where it is new', async () => {
  const out = join(folder, 'new.json');
  await writing('a chain', out);
  expect(modeOf(out)).toBe(0o600);
  expect(readFileSync(out, 'utf8')).toBe('a chain');
});

it.each([0o600, 0o640, 0o666])('is seen by whom it was seen by before', async (mode) => {
  const out = join(folder, 'old.json');
  writeFileSync(out, 'before');
  chmodSync(out, mode);
  await writing('after', out);
  expect(modeOf(out)).toBe(mode);
  expect(readFileSync(out, 'utf8')).toBe('after');
});

it('goes where a link leads, and the link stays', async () => {
  const [real, link] = [join(folder, 'real.json'), join(folder, 'link.json')];
  writeFileSync(real, 'before');
  symlinkSync(real, link);
  await writing('after', link);
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
  expect(readFileSync(real, 'utf8')).toBe('after');
});

it('goes nowhere else, whatever was put beside it', async () => {
  const [out, other] = [join(folder, 'b.json'), join(folder, 'other')];
  writeFileSync(other, 'of somebody else');
  symlinkSync(other, `${out}.${process.pid}.part`);
  await writing('a chain', out);
  expect(readFileSync(other, 'utf8')).toBe('of somebody else');
  expect(lstatSync(out).isSymbolicLink()).toBe(false);
});

it('has a name as long as a name may be, and leaves nothing beside it', async () => {
  const out = join(folder, 'n'.repeat(255));
  await writing('a chain', out);
  expect(readdirSync(folder)).toEqual(['n'.repeat(255)]);
});
