/** The Dockerfile: small, without root, with nothing of the checkout but what runs. */

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

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
      ...['/packages/package.json', '/packages/node_modules', '/build/dist', 'bin', 'prices'],
      ...['deploy/healthcheck.mjs', 'LICENSE'],
    ]);
  });

  it('has packages of the lock file: the peers that the tests pass with, no tools of development, no compiled ones', () => {
    const { dependencies, devDependencies, optionalDependencies, peerDependencies } = JSON.parse(read('package.json'));
    const packages = stages.find(({ name }) => name === 'packages');
    expect(packages?.steps.find(({ instruction }) => instruction === 'RUN')?.text).toContain('npm install --omit=dev');
    // What scripts/image-package.mjs relies on.
    expect(Object.keys(peerDependencies).filter((name) => !(name in { ...dependencies, ...devDependencies }))).toEqual(
      [],
    );
    expect(Object.keys(optionalDependencies)).toEqual(['better-sqlite3']);
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
