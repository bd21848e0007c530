/**
 * The walls between the rooms are enforced. A tree laid out like src has two files in each room: one imports all that the room
 * may import and passes, the other imports all that it may not and is reported for exactly those.
 */

import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

interface Rooms {
  readonly table: { readonly [room: string]: { readonly packages?: readonly string[]; readonly node?: boolean } };
  readonly importable: { readonly [room: string]: readonly string[] };
}

interface Violation {
  readonly from: string;
  readonly to: string;
  readonly rule: { readonly name: string };
}

const root = fileURLToPath(new URL('..', import.meta.url));
const { table, importable } = createRequire(import.meta.url)('../rooms.cjs') as Rooms;
const { dependencies, peerDependencies, optionalDependencies } = createRequire(import.meta.url)('../package.json') as {
  readonly [kind: string]: { readonly [name: string]: string };
};

const rooms = Object.keys(table);
const packages = Object.keys({ ...dependencies, ...peerDependencies, ...optionalDependencies });
const tree = mkdtempSync(join(tmpdir(), 'longhand-walls-'));
let violations: readonly Violation[];

/** The import of a package that has none by its own name. */
const entries: Readonly<Record<string, string>> = { '@modelcontextprotocol/sdk': '@modelcontextprotocol/sdk/types.js' };
const toImport = (name: string) => entries[name] ?? name;

function mayUse(room: string, name: string): boolean {
  return (table[room]?.packages ?? []).some((allowed) => `${name}/`.startsWith(`${allowed}/`));
}

function write(path: string, targets: readonly string[]): void {
  mkdirSync(dirname(join(tree, path)), { recursive: true });
  // As types, because the walls count those too.
  writeFileSync(join(tree, path), targets.map((target) => `export type * from '${target}';\n`).join(''));
}

function from(room: string, other: string): string {
  const path = relative(join('src', room), join('src', other, 'own.js'));
  return path.startsWith('.') ? path : `./${path}`;
}

function listViolations(path: string): readonly (readonly [rule: string, to: string])[] {
  return violations.filter((each) => each.from === path).map(({ rule, to }) => [rule.name, to]);
}

beforeAll(async () => {
  symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'));
  cpSync(join(root, 'package.json'), join(tree, 'package.json'));
  for (const room of rooms) {
    mkdirSync(join(tree, 'src', room), { recursive: true });
    writeFileSync(join(tree, 'src', room, 'own.ts'), 'export type Own = string;\n');
    const others = rooms.filter((other) => other !== room);
    const allowed = importable[room] ?? [];
    const node = table[room]?.node ?? false;
    write(`src/${room}/allowed.ts`, [
      ...allowed.map((other) => from(room, other)),
      ...packages.filter((name) => mayUse(room, name)).map(toImport),
      ...(node ? ['node:fs'] : []),
    ]);
    write(`src/${room}/rejected.ts`, [
      ...others.filter((other) => !allowed.includes(other)).map((other) => from(room, other)),
      ...packages.filter((name) => !mayUse(room, name)).map(toImport),
      ...(node ? [] : ['node:fs']),
    ]);
  }
  write('outside.ts', []);
  write('src/elsewhere/new-room.ts', ['../core/lib/own.js']);
  write('src/entry.ts', ['./client/own.js']);
  write('src/entry-inside.ts', ['./workflows/own.js']);
  write('src/entry-outside.ts', ['../outside.js']);
  write('src/entry-dev.ts', ['fast-check']);
  write('src/core/lib/nowhere.ts', ['./missing.js']);
  write('src/core/lib/circle-a.ts', ['./circle-b.js']);
  write('src/core/lib/circle-b.ts', ['./circle-a.js']);

  const cruiser = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
  const args = [cruiser, '--config', join(root, '.dependency-cruiser.cjs'), '--output-type', 'json', 'src'];
  const output = await new Promise<string>((resolve) => {
    execFile(process.execPath, args, { cwd: tree, maxBuffer: 64 * 1024 * 1024 }, (_failed, stdout) => resolve(stdout));
  });
  violations = JSON.parse(output).summary.violations;
}, 120_000);

afterAll(() => rmSync(tree, { recursive: true, force: true }));

describe('the rooms', () => {
  it('has a row for each folder of src, and a folder for each row', () => {
    const folders = readdirSync(join(root, 'src'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(new Set(folders.map(({ name }) => name))).toEqual(new Set(rooms.map((room) => room.split('/')[0])));
    for (const room of rooms) expect(readdirSync(join(root, 'src', room)), room).not.toEqual([]);
  });

  it.each(rooms)('%s is described in docs/architecture.md', (room) => {
    const [house = '', inside = ''] = room.split('/');
    const rows = readFileSync(join(root, 'docs/architecture.md'), 'utf8').split('\n');
    const row = rows.find((line) => line.startsWith(`| \`${room}\` |`) || line.startsWith(`| \`${house}\` |`));
    expect(row).toContain(`\`${row?.startsWith(`| \`${room}\``) ? room : inside}\``);
  });

  it.each(rooms)('%s imports only rooms above it in the table', (room) => {
    const above = rooms.slice(0, rooms.indexOf(room));
    expect((importable[room] ?? []).filter((other) => !above.includes(other))).toEqual([]);
  });

  it.each(rooms)('%s may import what its row lists', (room) => {
    expect(listViolations(`src/${room}/allowed.ts`)).toEqual([]);
  });

  it.each(rooms)('%s may import nothing else', (room) => {
    const rule = `${room.replace('/', '-')}-imports`;
    const rejected = listViolations(`src/${room}/rejected.ts`);
    expect(new Set(rejected.map(([name]) => name))).toEqual(new Set([rule]));
    const targets = rejected.map(([, to]) => to.replace(/^node:/, '').replace(/^.*node_modules\//, ''));
    const count = rooms.length - 1 - (importable[room] ?? []).length;
    expect(targets.filter((to) => to.startsWith('src/'))).toHaveLength(count);
    for (const name of packages.filter((each) => !mayUse(room, each))) {
      expect(
        targets.filter((to) => to === name || to.startsWith(`${name}/`) || to.startsWith(`@types/${name}/`)),
        name,
      ).not.toEqual([]);
    }
    if (!table[room]?.node) expect(targets).toContain('fs');
  });
});

describe('the rules for every file', () => {
  it.each([
    ['known-rooms', 'src/elsewhere/new-room.ts'],
    ['entry-imports', 'src/entry-inside.ts'],
    ['only-src', 'src/entry-outside.ts'],
    ['no-dev-packages', 'src/entry-dev.ts'],
    ['resolvable', 'src/core/lib/nowhere.ts'],
    ['no-cycles', 'src/core/lib/circle-a.ts'],
  ])('%s reports %s', (rule, path) => {
    expect(listViolations(path).map(([name]) => name)).toContain(rule);
  });

  it('the entry of the package may import the client', () => {
    expect(listViolations('src/entry.ts')).toEqual([]);
  });
});
