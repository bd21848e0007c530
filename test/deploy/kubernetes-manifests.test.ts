/** The manifests of deploy/kubernetes: valid by the schemas of Kubernetes and KEDA, hardened, and consistent with each other. */

import { readdirSync, readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { isObject } from '../../src/core/lib/json.js';
import { operations } from '../../src/http/operations.js';

const folder = new URL('../../deploy/kubernetes/', import.meta.url);
const read = (name: string) => readFileSync(new URL(name, folder), 'utf8');

interface Manifest {
  readonly file: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec?: unknown;
  readonly data?: Readonly<Record<string, string>>;
}

interface Container {
  readonly name: string;
  readonly image: string;
  readonly args: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value?: string; readonly valueFrom?: unknown }[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly securityContext: object;
  readonly resources: { readonly requests: object; readonly limits: object };
  readonly [member: string]: unknown;
}

interface PodTemplate {
  readonly metadata: { readonly labels: Readonly<Record<string, string>> };
  readonly spec: {
    readonly containers: readonly Container[];
    readonly securityContext: object;
    readonly automountServiceAccountToken: boolean;
    readonly terminationGracePeriodSeconds?: number;
    readonly volumes: readonly object[];
  };
}

interface Ingress {
  readonly metadata: { readonly annotations: Readonly<Record<string, string>> };
  readonly rules: readonly {
    readonly host: string;
    readonly http: { readonly paths: readonly { readonly path: string; readonly pathType: string }[] };
  }[];
}

const files = readdirSync(folder).filter((name) => name.endsWith('.yaml') && name !== 'kustomization.yaml');
const manifests = files.flatMap((file) =>
  parseAllDocuments(read(file), { merge: true }).map(
    (document) => ({ file, ...(document.toJS() as object) }) as Manifest,
  ),
);
const pods = manifests.flatMap(({ kind, metadata, spec }) =>
  isObject(spec) && isObject(spec.template)
    ? [{ name: `${kind} ${metadata.name}`, kind, template: spec.template as unknown as PodTemplate }]
    : [],
);
const ofKind = (kind: string) => manifests.filter((manifest) => manifest.kind === kind);

const readSchema = (name: string) => JSON.parse(readFileSync(new URL(`../schema/${name}`, folder), 'utf8'));
const kubernetes = readSchema('kubernetes.json') as {
  readonly kinds: Readonly<Record<string, object>>;
  readonly $defs: object;
};
const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });

it('every manifest is valid by the schema of its kind, where an unknown member is an error', () => {
  const scaled = ajv.compile(readSchema('keda-scaledobject.json'));
  const validators = new Map(
    Object.entries(kubernetes.kinds).map(([kind, schema]) => [
      kind,
      ajv.compile({ ...schema, $defs: kubernetes.$defs }),
    ]),
  );
  for (const { file, ...manifest } of manifests) {
    const validate = manifest.kind === 'ScaledObject' ? scaled : validators.get(manifest.kind);
    validate?.(manifest);
    expect([file, manifest.kind, validate?.errors]).toEqual([file, manifest.kind, null]);
  }
  expect(new Set(manifests.map(({ kind }) => kind)).size).toBe(validators.size + 1);
});

it('a manifest with a misspelt member is not valid', () => {
  const validate = ajv.compile({ ...kubernetes.kinds.Deployment, $defs: kubernetes.$defs });
  const [worker] = ofKind('Deployment');
  const { file: _, ...deployment } = structuredClone(worker) as Manifest & { spec: { template: PodTemplate } };
  Object.assign(deployment.spec.template.spec.containers[0]!, { livenesProbe: {} });
  expect(validate(deployment)).toBe(false);
});

it('the kustomization lists every file, and a tag for every image', () => {
  const { resources, images } = parse(read('kustomization.yaml')) as {
    readonly resources: readonly string[];
    readonly images: readonly { readonly name: string; readonly newTag: string }[];
  };
  expect([...resources].sort()).toEqual(files.sort());
  const used = pods.flatMap(({ template }) => template.spec.containers.map(({ image }) => image));
  expect(images.map(({ name }) => name).sort()).toEqual([...new Set(used)].sort());
  for (const { newTag } of images) expect(newTag).toMatch(/^\d+\.\d+\.\d+/);
});

describe('every pod', () => {
  it('meets the restricted standard: no root, no privileges, no writable files, no account', () => {
    for (const { name, template } of pods) {
      const { spec } = template;
      expect([name, spec.securityContext]).toEqual([
        name,
        ...[
          {
            runAsNonRoot: true,
            runAsUser: 1000,
            runAsGroup: 1000,
            fsGroup: 1000,
            seccompProfile: { type: 'RuntimeDefault' },
          },
        ],
      ]);
      for (const container of spec.containers) {
        expect([name, container.securityContext]).toEqual([
          name,
          { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
        ]);
      }
      expect([name, spec.automountServiceAccountToken]).toEqual([name, false]);
      expect(spec.volumes.filter((volume) => 'hostPath' in volume)).toEqual([]);
    }
  });

  it('requests and limits its resources, but not its processors, which a limit would only slow down', () => {
    for (const { name, template } of pods) {
      for (const { resources } of template.spec.containers) {
        expect([name, Object.keys(resources.requests), Object.keys(resources.limits)]).toEqual([
          name,
          ['cpu', 'memory'],
          ['memory'],
        ]);
      }
    }
  });

  it('has its secrets as files, and none in its environment or in a settings map', () => {
    const variables = pods.flatMap(({ template }) => template.spec.containers.flatMap(({ env = [] }) => env));
    expect(variables.filter(({ valueFrom }) => valueFrom !== undefined)).toEqual([]);
    const names = [
      ...variables.map(({ name }) => name),
      ...ofKind('ConfigMap').flatMap(({ data = {} }) => Object.keys(data)),
    ];
    expect(names.filter((name) => /PASSWORD|TOKEN|SECRET$|KEY|LONGHAND_STORE/.test(name))).toEqual([]);
    expect(ofKind('Secret')).toEqual([]);
  });

  it('has probes, and a port for each of them', () => {
    for (const { name, kind, template } of pods.filter((pod) => pod.kind === 'Deployment')) {
      expect(kind).toBe('Deployment');
      for (const container of template.spec.containers) {
        const ports = new Set(container.ports?.map((port) => port.name));
        for (const probe of [container.startupProbe, container.readinessProbe, container.livenessProbe]) {
          if (!isObject(probe) || !isObject(probe.httpGet)) continue;
          expect([name, ports.has(String(probe.httpGet.port))]).toEqual([name, true]);
        }
        expect([name, container.readinessProbe, container.livenessProbe]).not.toContain(undefined);
      }
    }
  });
});

it('a worker has time for its grace, and the scaling names its deployment and its build', () => {
  const deployments = ofKind('Deployment');
  const worker = deployments.find(({ metadata }) => metadata.name.startsWith('longhand-worker'));
  const { template } = worker!.spec as { readonly template: PodTemplate };
  // 10 seconds of grace and 5 until calls are abandoned: src/worker/create-worker.ts.
  expect(template.spec.terminationGracePeriodSeconds).toBeGreaterThan(15);
  const env = Object.fromEntries(template.spec.containers[0]?.env?.map(({ name, value }) => [name, value]) ?? []);
  const [scaled] = ofKind('ScaledObject');
  const { scaleTargetRef, triggers } = scaled!.spec as {
    readonly scaleTargetRef: { readonly name: string };
    readonly triggers: readonly { readonly metadata: Readonly<Record<string, string>> }[];
  };
  expect(scaleTargetRef.name).toBe(worker!.metadata.name);
  expect(triggers[1]?.metadata).toMatchObject({
    workerDeploymentName: env.TEMPORAL_DEPLOYMENT_NAME,
    workerDeploymentBuildId: env.TEMPORAL_WORKER_BUILD_ID,
  });
});

it('selectors of services, budgets and policies match pods', () => {
  const labels = pods.map(({ template }) => template.metadata.labels);
  const matches = (selector: object) =>
    labels.some((each) => Object.entries(selector).every(([name, value]) => each[name] === value));
  for (const { kind, metadata, spec } of [
    ...ofKind('Service'),
    ...ofKind('PodDisruptionBudget'),
    ...ofKind('NetworkPolicy'),
  ]) {
    const { selector, podSelector } = spec as { readonly selector?: object; readonly podSelector?: object };
    const given = (selector ?? podSelector ?? {}) as { readonly matchLabels?: object };
    expect([kind, metadata.name, matches(given.matchLabels ?? (kind === 'Service' ? given : {}))]).toEqual([
      kind,
      metadata.name,
      true,
    ]);
  }
});

describe('the Ingress', () => {
  const ingresses = ofKind('Ingress').map(
    ({ metadata, spec }) => ({ metadata, ...(spec as object) }) as unknown as Ingress,
  );
  const isRouted = (path: string) =>
    ingresses.some(({ rules }) =>
      rules.some(({ http }) =>
        http.paths.some(
          (rule) => path === rule.path || (rule.pathType === 'Prefix' && path.startsWith(`${rule.path}/`)),
        ),
      ),
    );

  it('routes every operation but probes and metrics', () => {
    const inside = ['/health', '/ready', '/metrics'];
    const paths = [...new Set(Object.values(operations).map(({ path }) => path))];
    expect(paths.filter((path) => !isRouted(path)).sort()).toEqual(inside.sort());
  });

  it('logs no path of a link, which is a secret', () => {
    const links = ingresses.filter(({ rules }) =>
      rules.some(({ http }) => http.paths.some(({ path }) => path === '/links')),
    );
    expect(links.map(({ metadata }) => metadata.annotations['nginx.ingress.kubernetes.io/enable-access-log'])).toEqual([
      'false',
    ]);
  });

  it('is a proxy that the gateway counts, under the host that its links name', () => {
    const gateway = pods.find(({ name }) => name === 'Deployment longhand-gateway');
    const args = gateway?.template.spec.containers[0]?.args ?? [];
    const getFlag = (flag: string) => args[args.indexOf(flag) + 1];
    expect(getFlag('--proxies')).toBe('1');
    const hosts = new Set(ingresses.flatMap(({ rules }) => rules.map(({ host }) => host)));
    expect(hosts).toEqual(new Set([new URL(getFlag('--public-url') ?? '').host]));
  });
});
