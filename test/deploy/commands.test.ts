/** The commands and variables of docker-compose.yml, the manifests and the Dockerfile exist in Longhand. */

import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { program } from '../../src/cli/main.js';

const root = new URL('../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');

interface Container {
  readonly image: string;
  readonly args: readonly string[];
  readonly env?: readonly { readonly name: string }[];
}

interface Manifest {
  readonly kind: string;
  readonly spec?: { readonly template?: { readonly spec: { readonly containers: readonly Container[] } } };
  readonly data?: Readonly<Record<string, string>>;
}

interface Service {
  readonly image: string;
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

const manifests = readdirSync(new URL('deploy/kubernetes/', root)).flatMap((file) =>
  parseAllDocuments(read(`deploy/kubernetes/${file}`)).map((document) => document.toJS() as Manifest),
);
const containers = manifests.flatMap(({ spec }) => spec?.template?.spec.containers ?? []);
const compose = parse(read('docker-compose.yml'), { merge: true }) as {
  readonly services: Readonly<Record<string, Service>>;
};
const services = Object.values(compose.services).filter(({ image }) => image.startsWith('longhand:'));
const [, imageCommand = '[]'] = /^CMD (\[.*\])$/m.exec(read('Dockerfile')) ?? [];

it('every command has only flags that its help lists', () => {
  const commands = [
    ...containers.map(({ args }) => args),
    ...services.map(({ command }) => command),
    JSON.parse(imageCommand) as readonly string[],
  ];
  expect(commands.length).toBeGreaterThan(7);
  expect(commands.flatMap(findUnknownFlags)).toEqual([]);
  expect(findUnknownFlags(['gateway', '--proxy', '1'])).toEqual(['gateway --proxy']);
});

it('every variable is in the table of docs/settings.md', () => {
  const [, table = ''] = /## Environment variables([\s\S]*?)\n## /.exec(read('docs/settings.md')) ?? [];
  const names = [
    ...manifests.flatMap(({ kind, data = {} }) => (kind === 'ConfigMap' ? Object.keys(data) : [])),
    ...containers.flatMap(({ env = [] }) => env.map(({ name }) => name)),
    ...services.flatMap(({ environment }) => Object.keys(environment)),
  ];
  expect(names).toContain('LONGHAND_SECRETS');
  expect(names.filter((name) => !name.startsWith('OTEL_') && !table.includes(`\`${name}\``))).toEqual([]);
});

function findUnknownFlags(args: readonly string[]): readonly string[] {
  const words = args.slice(
    0,
    Math.max(
      0,
      args.findIndex((word) => word.startsWith('--')),
    ) || args.length,
  );
  let command = program;
  for (const word of words) command = command.commands.find((each) => each.name() === word) ?? command;
  const known = [...program.options, ...command.options].map(({ long }) => long);
  const name = command === program ? args.join(' ') : words.join(' ');
  return args.filter((word) => word.startsWith('--') && !known.includes(word)).map((flag) => `${name} ${flag}`);
}
