/**
 * The walls between the rooms are enforced. A tree laid out like src has two files in each room and in each folder of one: one imports
 * all that it may import and passes, the other imports all that it may not, also past the doors, and is reported for exactly those.
 */

import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

interface Rooms {
  readonly table: {
    readonly [room: string]: {
      readonly package?: string;
      readonly packages?: readonly string[];
      readonly node?: boolean;
    };
  };
  readonly importable: { readonly [room: string]: readonly string[] };
  readonly folders: readonly { readonly room: string; readonly folder: string; readonly allowed: readonly string[] }[];
}

interface Violation {
  readonly from: string;
  readonly to: string;
  readonly rule: { readonly name: string };
}

const root = fileURLToPath(new URL('..', import.meta.url));
const { table, importable, folders } = createRequire(import.meta.url)('../rooms.cjs') as Rooms;

/** By package. */
const manifests = new Map(
  ['..', ...['tools', 'gateway', 'cli'].map((name) => `../packages/${name}`)].map((folder) => {
    const manifest = createRequire(import.meta.url)(`${folder}/package.json`) as { readonly name: string } & {
      readonly [kind: string]: { readonly [name: string]: string };
    };
    const { dependencies, peerDependencies, optionalDependencies } = manifest;
    return [manifest.name, Object.keys({ ...dependencies, ...peerDependencies, ...optionalDependencies })] as const;
  }),
);
const isOwn = (name: string) => manifests.has(name);

const rooms = Object.keys(table);
const packages = [...new Set([...manifests.values()].flat())].filter((name) => !isOwn(name));
const packageOf = (room: string) => table[room]?.package ?? 'longhand';
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

function from(place: string, other: string, file: string): string {
  const path = relative(join('src', place), join('src', other, file));
  return path.startsWith('.') ? path : `./${path}`;
}

const toRule = (name: string) => `${name.replace('/', '-')}-imports`;

function listViolations(path: string): readonly (readonly [rule: string, to: string])[] {
  return violations.filter((each) => each.from === path).map(({ rule, to }) => [rule.name, to]);
}

beforeAll(async () => {
  symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'));
  cpSync(join(root, 'package.json'), join(tree, 'package.json'));
  for (const room of rooms) {
    mkdirSync(join(tree, 'src', room), { recursive: true });
    for (const file of ['index', 'own'])
      writeFileSync(join(tree, 'src', room, `${file}.ts`), 'export type Own = string;\n');
    const others = rooms.filter((other) => other !== room);
    const allowed = importable[room] ?? [];
    const node = table[room]?.node ?? false;
    write(`src/${room}/allowed.ts`, [
      ...allowed.map((other) => from(room, other, 'index.js')),
      ...packages.filter((name) => mayUse(room, name)).map(toImport),
      ...(node ? ['node:fs'] : []),
    ]);
    write(`src/${room}/rejected.ts`, [
      ...others.filter((other) => !allowed.includes(other)).map((other) => from(room, other, 'index.js')),
      ...allowed.map((other) => from(room, other, 'own.js')),
      ...packages.filter((name) => !mayUse(room, name)).map(toImport),
      ...(node ? [] : ['node:fs']),
    ]);
  }
  for (const { room, folder, allowed } of folders) {
    const place = join(room, folder);
    mkdirSync(join(tree, 'src', place), { recursive: true });
    write(`src/${place}/own.ts`, []);
    const siblings = folders.filter((other) => other.room === room && other.folder !== folder);
    const list = (isAllowed: boolean) =>
      siblings.flatMap((other) =>
        allowed.includes(other.folder) === isAllowed ? [from(place, join(room, other.folder), 'own.js')] : [],
      );
    write(`src/${place}/inside-allowed.ts`, list(true));
    write(`src/${place}/inside-rejected.ts`, list(false));
  }
  write('outside.ts', []);
  write('src/elsewhere/new-room.ts', ['../core/lib/index.js']);
  write('src/entry.ts', ['./client/index.js']);
  write('src/entries/entry.ts', ['../client/index.js']);
  write('src/entry-inside.ts', ['./workflows/index.js']);
  write('src/entries/entry-past-door.ts', ['../client/own.js']);
  write('src/entry-outside.ts', ['../outside.js']);
  write('src/entry-dev.ts', ['fast-check']);
  writeFileSync(join(tree, 'src/client/loads-door.ts'), "export const load = () => import('../store/index.js');\n");
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
    const found = readdirSync(join(root, 'src'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
    const expected = ['entries', ...rooms.map((room) => room.split('/')[0])];
    expect(new Set(found.map(({ name }) => name))).toEqual(new Set(expected));
    for (const room of rooms) expect(readdirSync(join(root, 'src', room)), room).not.toEqual([]);
  });

  it.each(rooms)('%s is described in docs/architecture.md', (room) => {
    const rows = readFileSync(join(root, 'docs/architecture.md'), 'utf8').split('\n');
    const row = rows.find((line) => line.startsWith(`| \`${room}\` |`)) ?? '';
    expect(row).not.toBe('');
    for (const { folder } of folders.filter((each) => each.room === room && each.folder !== '.')) {
      expect(row).toContain(`\`${folder}\``);
    }
  });

  it.each(rooms)('%s imports only rooms above it in the table', (room) => {
    const above = rooms.slice(0, rooms.indexOf(room));
    expect((importable[room] ?? []).filter((other) => !above.includes(other))).toEqual([]);
  });

  it.each(rooms)('%s imports only rooms of its package, and of those that its package needs', (room) => {
    const own = packageOf(room);
    const needed = [own, ...(manifests.get(own) ?? []).filter(isOwn)];
    expect((importable[room] ?? []).filter((other) => !needed.includes(packageOf(other)))).toEqual([]);
  });

  it.each(rooms)('%s imports only what the manifest of its package lists', (room) => {
    const listed = manifests.get(packageOf(room)) ?? [];
    const isListed = (name: string) => listed.some((each) => `${each}/`.startsWith(`${name}/`));
    expect((table[room]?.packages ?? []).filter((name) => !isListed(name))).toEqual([]);
  });

  it.each(rooms)('%s may import what its row lists', (room) => {
    expect(listViolations(`src/${room}/allowed.ts`)).toEqual([]);
  });

  it.each(rooms)('%s may import nothing else', (room) => {
    const rejected = listViolations(`src/${room}/rejected.ts`);
    expect(new Set(rejected.map(([name]) => name))).toEqual(new Set([toRule(room)]));
    const targets = rejected.map(([, to]) => to.replace(/^node:/, '').replace(/^.*node_modules\//, ''));
    expect(targets.filter((to) => to.startsWith('src/'))).toHaveLength(rooms.length - 1);
    for (const name of packages.filter((each) => !mayUse(room, each))) {
      expect(
        targets.filter((to) => to === name || to.startsWith(`${name}/`) || to.startsWith(`@types/${name}/`)),
        name,
      ).not.toEqual([]);
    }
    if (!table[room]?.node) expect(targets).toContain('fs');
  });
});

describe('the folders of a room', () => {
  it.each(folders)('$room/$folder imports only the folders in its row', ({ room, folder, allowed }) => {
    const place = join('src', room, folder);
    expect(listViolations(join(place, 'inside-allowed.ts'))).toEqual([]);
    const rejected = listViolations(join(place, 'inside-rejected.ts'));
    const siblings = folders.filter((other) => other.room === room && other.folder !== folder);
    expect(rejected).toHaveLength(siblings.length - allowed.length);
    const rule = toRule(`${room.replace('/', '-')}-${folder === '.' ? 'files' : folder}`);
    for (const [name] of rejected) expect(name).toBe(rule);
  });
});

describe('the rules for every file', () => {
  it.each([
    ['known-rooms', 'src/elsewhere/new-room.ts'],
    ['entry-imports', 'src/entry-inside.ts'],
    ['entry-imports', 'src/entries/entry-past-door.ts'],
    ['only-src', 'src/entry-outside.ts'],
    ['no-dev-packages', 'src/entry-dev.ts'],
    ['static-doors', 'src/client/loads-door.ts'],
    ['resolvable', 'src/core/lib/nowhere.ts'],
    ['no-cycles', 'src/core/lib/circle-a.ts'],
  ])('%s reports %s', (rule, path) => {
    expect(listViolations(path).map(([name]) => name)).toContain(rule);
  });

  it('the entry of the package may import the client', () => {
    expect(listViolations('src/entry.ts')).toEqual([]);
    expect(listViolations('src/entries/entry.ts')).toEqual([]);
  });
});
