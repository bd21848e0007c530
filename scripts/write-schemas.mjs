/**
 * Writes deploy/schema from packages that contain the schemas: `node scripts/write-schemas.mjs`. It needs Go, Python and the registries.
 *
 * Texts for people are left out, and of Kubernetes all that our manifests do not use.
 */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { capture, root } from './child.mjs';
import { main, SetupError } from './stage.mjs';

const composeModule = 'github.com/compose-spec/compose-go/v2@v2.16.2';
const kedaModule = 'github.com/kedacore/keda/v2@v2.21.0';
const kubernetesPackage = 'kubernetes-validate==1.37.0';
const kubernetesVersion = '1.34.0';

/** Kinds of our manifests, as their files in the package. */
const kinds = {
  ConfigMap: 'configmap-v1',
  Deployment: 'deployment-apps-v1',
  HorizontalPodAutoscaler: 'horizontalpodautoscaler-autoscaling-v2',
  Ingress: 'ingress-networking-v1',
  Job: 'job-batch-v1',
  Namespace: 'namespace-v1',
  NetworkPolicy: 'networkpolicy-networking-v1',
  PodDisruptionBudget: 'poddisruptionbudget-policy-v1',
  Service: 'service-v1',
  ServiceAccount: 'serviceaccount-v1',
};

const target = (name) => join(root, 'deploy', 'schema', name);
const write = (name, schema) => writeFileSync(target(name), `${JSON.stringify(schema)}\n`);

await main(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'longhand-schemas-'));
  try {
    const compose = await downloadModule(composeModule);
    write(
      'compose-spec.json',
      withoutTexts(JSON.parse(readFileSync(join(compose, 'schema', 'compose-spec.json'), 'utf8'))),
    );
    writeFileSync(target('LICENSE'), readFileSync(join(compose, 'LICENSE'), 'utf8'));
    write('kubernetes.json', await readKubernetes(folder));
    const keda = await downloadModule(kedaModule);
    const crd = parse(readFileSync(join(keda, 'config', 'crd', 'bases', 'keda.sh_scaledobjects.yaml'), 'utf8'));
    write('keda-scaledobject.json', withoutTexts(closeObjects(crd.spec.versions[0].schema.openAPIV3Schema)));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return 0;
});

async function downloadModule(module) {
  const { code, output } = await capture('go', ['mod', 'download', '-json', module]);
  if (code !== 0) throw new SetupError(`go mod download ${module} failed:\n${output.trim()}`);
  return JSON.parse(output.slice(output.indexOf('{'))).Dir;
}

/** Returns one schema with the kinds, and all definitions that they need. */
async function readKubernetes(folder) {
  for (const args of [
    ['-m', 'pip', 'download', '--no-deps', '--quiet', '--dest', folder, kubernetesPackage],
    ['-c', `import glob, zipfile; zipfile.ZipFile(glob.glob('${folder}/*.whl')[0]).extractall('${folder}')`],
  ]) {
    const { code, output } = await capture('python3', args);
    if (code !== 0) throw new SetupError(`python3 ${args.join(' ')} failed:\n${output.trim()}`);
  }
  const schemas = join(folder, 'kubernetes_validate', 'kubernetes-json-schema', `v${kubernetesVersion}-local-strict`);
  const read = (name) => JSON.parse(readFileSync(join(schemas, `${name}.json`), 'utf8'));
  const all = read('_definitions');
  const definitions = all.definitions ?? all.$defs;
  // Each has an address of its own, from which references would be resolved.
  const readKind = ({ $id: _, $schema: __, ...schema }) => withoutTexts(schema);
  const used = Object.fromEntries(Object.entries(kinds).map(([kind, file]) => [kind, readKind(read(file))]));
  const needed = {};
  const visit = (value) => {
    for (const [, name] of JSON.stringify(value).matchAll(/"\$ref":"[^"]*\/([^"/]+)"/g)) {
      if (Object.hasOwn(needed, name)) continue;
      needed[name] = withoutTexts(definitions[name]);
      visit(needed[name]);
    }
  };
  visit(used);
  const text = JSON.stringify({ kinds: used, $defs: needed }).replaceAll(
    /"\$ref":"[^"]*\/([^"/]+)"/g,
    '"$ref":"#/$defs/$1"',
  );
  return JSON.parse(text);
}

/** The schema of a resource definition rejects nothing that is unknown: the server drops it. Ours is to be an error. */
function closeObjects(schema) {
  if (typeof schema !== 'object' || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map(closeObjects);
  const closed = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closeObjects(value)]));
  const isClosed =
    schema.type === 'object' && schema.properties !== undefined && schema.additionalProperties === undefined;
  return isClosed ? { ...closed, additionalProperties: false } : closed;
}

/** Removes descriptions: those that are texts, and no property of that name. */
function withoutTexts(value) {
  if (Array.isArray(value)) return value.map(withoutTexts);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, each]) => !(key === 'description' && typeof each === 'string') && !key.startsWith('x-kubernetes'))
      .map(([key, each]) => [key, withoutTexts(each)]),
  );
}
