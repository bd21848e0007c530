/** docker-compose.yml: valid by the Compose specification, and hardened in every service. */

import { existsSync, readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

interface Service {
  readonly image: string;
  readonly user: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly secrets?: readonly (string | { readonly source: string; readonly target: string })[];
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
  readonly networks: readonly string[];
  readonly restart: string;
  readonly healthcheck?: Readonly<Record<string, unknown>>;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly deploy: {
    readonly replicas?: number;
    readonly resources: { readonly limits: Readonly<Record<string, string>> };
  };
  readonly [member: string]: unknown;
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
  readonly networks: Readonly<Record<string, { readonly internal?: boolean } | null>>;
}

const text = read('docker-compose.yml');
const compose = parse(text, { merge: true }) as Compose;
const services = Object.entries(compose.services);
/** Services that end, and have no health. */
const tasks = ['temporal-schema', 'temporal-namespace'];
const each = (pick: (service: Service) => unknown) =>
  Object.fromEntries(services.map(([name, service]) => [name, pick(service)]));
const all = (value: unknown) => Object.fromEntries(services.map(([name]) => [name, value]));

it('is valid by the schema of the Compose specification', () => {
  const validate = new Ajv2020({ strict: false, validateFormats: false, allErrors: true }).compile(
    JSON.parse(read('deploy/schema/compose-spec.json')),
  );
  validate(compose);
  expect(validate.errors).toBeNull();
});

it('has the services of the stack, with two workers', () => {
  expect(services.map(([name]) => name).sort()).toEqual(
    [...tasks, 'codec', 'gateway', 'litellm', 'postgres', 'temporal', 'temporal-ui', 'worker'].sort(),
  );
  expect(compose.services.worker?.deploy.replicas).toBe(2);
});

describe('every service', () => {
  it('has an image with the whole version as its tag', () => {
    for (const [name, { image }] of services)
      expect([name, image]).toEqual([name, expect.stringMatching(/:v?\d+\.\d+/)]);
    expect(text).not.toContain('latest');
  });

  it('has no privileges, no writable files but in memory and volumes, and a user of its own', () => {
    const hardened = { read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'], init: true };
    expect(
      each(({ read_only, cap_drop, security_opt, init }) => ({ read_only, cap_drop, security_opt, init })),
    ).toEqual(all(hardened));
    expect(each(({ user }) => /^[1-9]\d*:[1-9]\d*$/.test(user))).toEqual(all(true));
    expect(each(({ privileged, network_mode, pid, devices }) => [privileged, network_mode, pid, devices])).toEqual(
      all([undefined, undefined, undefined, undefined]),
    );
    const mounts = services.flatMap(([, { volumes = [] }]) => volumes);
    expect(mounts.filter((mount) => mount.startsWith('.') && !mount.endsWith(':ro'))).toEqual([]);
  });

  it('has limits of processors, memory and processes, and logs that do not grow', () => {
    expect(each(({ deploy }) => Object.keys(deploy.resources.limits).sort())).toEqual(all(['cpus', 'memory']));
    expect(each(({ pids_limit }) => pids_limit)).toEqual(all(512));
    expect(each(({ logging }) => logging)).toEqual(
      all({ driver: 'json-file', options: { 'max-size': '10m', 'max-file': '3' } }),
    );
  });

  it('restarts, and has a health check unless it is a task', () => {
    expect(each(({ restart }) => restart)).toEqual({
      ...all('unless-stopped'),
      ...Object.fromEntries(tasks.map((name) => [name, 'on-failure:5'])),
    });
    const complete = ['interval', 'retries', 'start_period', 'test', 'timeout'];
    expect(each(({ healthcheck }) => healthcheck && Object.keys(healthcheck).sort())).toEqual({
      ...all(complete),
      ...Object.fromEntries(tasks.map((name) => [name, undefined])),
    });
  });

  it('waits for the health or the completion of those that it needs', () => {
    for (const [name, { depends_on = {} }] of services) {
      for (const [other, { condition }] of Object.entries(depends_on)) {
        const wanted = tasks.includes(other) ? 'service_completed_successfully' : 'service_healthy';
        expect([name, other, condition]).toEqual([name, other, wanted]);
      }
    }
  });

  it('is reached from this machine only, and the database from no network outside', () => {
    const ports = services.flatMap(([, { ports: published = [] }]) => published);
    expect(ports.sort()).toEqual(
      ['7233:7233', '7700:7700', '8233:8080', '8234:8234'].map((port) => `127.0.0.1:${port}`).sort(),
    );
    expect(compose.networks.database?.internal).toBe(true);
    expect(compose.services.postgres?.networks).toEqual(['database']);
    expect(compose.services.litellm?.networks).toEqual(['models']);
  });
});

it('has no proxy in front of the gateway, so that no client can state its own address', () => {
  expect(compose.services.gateway?.command).not.toContain('--proxies');
});

describe('secrets', () => {
  it('are files that are not in the repository, each mounted where it is used', () => {
    const used = services.flatMap(([, { secrets = [] }]) =>
      secrets.map((secret) => (typeof secret === 'string' ? secret : secret.source)),
    );
    expect([...new Set(used)].sort()).toEqual(Object.keys(compose.secrets).sort());
    const script = read('deploy/compose/create-secrets.sh');
    for (const [name, { file }] of Object.entries(compose.secrets)) {
      expect(file).toBe(`./deploy/secrets/${name}`);
      expect(script).toContain(`put ${name} `);
    }
    expect(read('.gitignore')).toContain('deploy/secrets');
    expect(read('.dockerignore').split('\n')).not.toContain('!deploy');
  });

  it('are in no environment: variables name their files', () => {
    const variables = services.flatMap(([, { environment = {} }]) => Object.entries(environment));
    const secretive = variables.filter(([name]) => /PASSWORD|PWD|TOKEN|SECRET|KEY/.test(name));
    expect(secretive.filter(([, value]) => !value.startsWith('/run/secrets'))).toEqual([]);
    expect(text).not.toMatch(/postgres:\/\/|sk-/);
  });

  it('of model providers are mounted in the proxy alone', () => {
    const withKeys = services.filter(([, { secrets = [] }]) => secrets.includes('anthropic_api_key'));
    expect(withKeys.map(([name]) => name)).toEqual(['litellm']);
  });
});

it('mounts only files that exist', () => {
  const sources = services.flatMap(([, { volumes = [] }]) => volumes.map((volume) => volume.split(':')[0] ?? ''));
  const paths = sources.filter((source) => source.startsWith('./'));
  expect(paths.length).toBeGreaterThan(3);
  expect(paths.filter((path) => !existsSync(new URL(`../../${path}`, import.meta.url)))).toEqual([]);
});

describe('the settings of the Temporal server', () => {
  it('are those that docs/server.md names, and that the dev server has', () => {
    const [, documented = ''] =
      /```yaml\n(history\.transferProcessorMaxPollRPS[\s\S]*?)```/.exec(read('docs/server.md')) ?? [];
    const settings = parse(read('deploy/compose/temporal/dynamic.yaml')) as Record<
      string,
      readonly { value: unknown }[]
    >;
    expect(settings).toEqual(parse(documented));
    const flags = Object.entries(settings).map(([name, [first]]) => `${name}=${first?.value}`);
    for (const flag of flags) expect(read('src/cli/server/dev-server.ts')).toContain(`'${flag}'`);
  });

  it('bind to other machines with the frontend alone', () => {
    const template = read('deploy/compose/temporal/server.yaml').replaceAll(/\{\{.*?\}\}/g, 'template');
    const { services: parts } = parse(template, { merge: true }) as {
      readonly services: Readonly<Record<string, { readonly rpc: { readonly bindOnIP: string } }>>;
    };
    const binds = Object.fromEntries(Object.entries(parts).map(([name, { rpc }]) => [name, rpc.bindOnIP]));
    const inside = '127.0.0.1';
    expect(binds).toEqual({ frontend: 'template', matching: inside, history: inside, worker: inside });
  });
});
