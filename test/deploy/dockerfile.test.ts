/** The Dockerfile: small, without root, with nothing of the checkout but what runs. */

import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

interface Stage {
  readonly base: string;
  readonly name: string;
  readonly steps: readonly { readonly instruction: string; readonly text: string }[];
}

/** Plain JavaScript without types. */
const { parseDockerfile, readContext } = (await import(
  new URL('../../scripts/compose/build-image.mjs', import.meta.url).href
)) as {
  readonly parseDockerfile: (text: string) => readonly Stage[];
  readonly readContext: (text: string) => readonly string[];
};

const stages = parseDockerfile(read('Dockerfile'));
const { devDependencies } = JSON.parse(read('package.json'));
const image = stages.at(-1)!;
const texts = (instruction: string) =>
  image.steps.filter((step) => step.instruction === instruction).map(({ text }) => text);

it('has one base image, with its whole version, whose Node the package accepts', () => {
  const bases = new Set(stages.map(({ base }) => base));
  expect([...bases]).toEqual([expect.stringMatching(/^node:20\.\d+\.\d+-bookworm-slim$/)]);
});

describe('the image', () => {
  it('runs without root, with an entrypoint, a command and a health check', () => {
    expect(texts('USER')).toEqual(['1000:1000']);
    expect(texts('ENTRYPOINT')).toEqual(['["node", "/opt/longhand/bin/longhand.js"]']);
    const [command = '[]'] = texts('CMD');
    expect(JSON.parse(command)).toEqual([
      ...['worker', '--module', '/opt/longhand/agents/agents.ts', '--health', '0.0.0.0:7710'],
    ]);
    expect(texts('HEALTHCHECK')).toHaveLength(1);
  });

  it('has of the checkout only what runs, and the packages and the build of other stages', () => {
    const sources = texts('COPY').flatMap((text) => text.split(' ').slice(0, -1));
    expect(sources.filter((source) => !source.startsWith('--'))).toEqual([
      ...['/packages/package.json', '/packages/node_modules', '/build/dist', '/build/packages', 'bin'],
      ...['prices', 'deploy/healthcheck.mjs', 'LICENSE'],
    ]);
  });

  it('has packages of the lock file: the peers that the tests pass with, no tools of development, no compiled ones', () => {
    const step = stages.find(({ name }) => name === 'packages')?.steps.find(({ instruction }) => instruction === 'RUN');
    expect(step?.text).toContain('npm install --omit=dev');
    const folder = mkdtempSync(join(tmpdir(), 'longhand-image-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    for (const path of ['package.json', ...['tools', 'gateway', 'cli'].map((name) => `packages/${name}/package.json`)])
      cpSync(join(root, path), join(folder, path));
    execFileSync(process.execPath, [join(root, 'scripts/image-package.mjs')], { cwd: folder });
    const { dependencies, workspaces } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    expect(workspaces).toBeUndefined();
    expect(dependencies).toMatchObject({
      '@temporalio/worker': devDependencies['@temporalio/worker'],
      hono: expect.any(String),
    });
    expect(dependencies).toMatchObject({
      commander: expect.any(String),
      pg: devDependencies.pg,
      zod: devDependencies.zod,
    });
    expect(Object.keys(dependencies).filter((name) => /longhand|sqlite|vitest/.test(name))).toEqual([]);
    expect(Object.values(dependencies).every((version) => /^\d/.test(String(version)))).toBe(true);
  });
});

it('.dockerignore leaves all out of the build that no stage copies', () => {
  const copied = stages.flatMap(({ steps }) =>
    steps.flatMap(({ instruction, text }) =>
      instruction === 'COPY' && !text.startsWith('--from') ? text.split(' ').slice(0, -1) : [],
    ),
  );
  const context = readContext(read('.dockerignore'));
  expect(
    copied.filter((path) => !context.some((allowed) => path === allowed || path.startsWith(`${allowed}/`))),
  ).toEqual([]);
  expect(
    context.filter((allowed) => !copied.some((path) => path === allowed || path.startsWith(`${allowed}/`))),
  ).toEqual([]);
});
