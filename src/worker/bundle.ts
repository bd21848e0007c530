/** The workflow bundle: what runs inside Temporal's deterministic sandbox, as one text. */

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BundleOptions, bundleWorkflowCode, DefaultLogger, type WorkflowBundleOption } from '@temporalio/worker';
import { isObject } from '../core/lib/json.js';

/**
 * The core keeps no state (L3), so all workflows of a worker can share one copy of it: it is set up once, and V8
 * optimises it once, instead of for each chain anew.
 */
const preloadedModules = [
  'core/engine/turn',
  'core/engine/result',
  'core/view/snippet-masker',
  'contract/facts',
] as const;

/**
 * Bundles src/workflows, from source or from dist, whichever this file runs from. Takes about 2 s.
 *
 * The bundler itself refuses Node's modules, the worker and the client; the import rules keep out the rest.
 *
 * @param interceptors modules of workflow interceptors that are put in besides, for tests
 * @returns the code, for a worker's `workflowBundle: { code }`
 * @throws Error that names the import that cannot be bundled
 */
export async function buildWorkflowBundle(interceptors: readonly string[] = []): Promise<string> {
  const file = (path: string) => fileURLToPath(new URL(`../${path}${extname(import.meta.url)}`, import.meta.url));
  const { code } = await bundleWorkflowCode({
    workflowsPath: file('workflows/index'),
    preloadModules: preloadedModules.map(file),
    workflowInterceptorModules: [file('workflows/tracing'), ...interceptors],
    payloadConverterPath: file('workflows/payload-converter'),
    failureConverterPath: file('workflows/failure-converter'),
    webpackConfigHook: keepSyntax,
    logger: new DefaultLogger('WARN'),
  });
  return code;
}

/**
 * The bundler rewrites TypeScript to ES2017, where each `...` becomes a call for every member. A bundle made from source
 * is to cost what the one of the build does, which is made from JavaScript and left as it is.
 */
export const keepSyntax: NonNullable<BundleOptions['webpackConfigHook']> = ({ module, ...config }) => ({
  ...config,
  module: {
    ...module,
    rules: (module?.rules ?? []).map((rule) => {
      if (!isObject(rule) || !isObject(rule.use) || !isObject(rule.use.options)) return rule;
      const { jsc, ...options } = rule.use.options;
      if (!isObject(jsc)) return rule;
      return { ...rule, use: { ...rule.use, options: { ...options, jsc: { ...jsc, target: 'es2022' } } } };
    }),
  },
});

/** What a worker takes: the bundle that `npm run build` made, or one made now where this runs from source. */
export async function findWorkflowBundle(): Promise<{ readonly codePath: string } | { readonly code: string }> {
  const codePath = fileURLToPath(new URL('../../workflow-bundle.js', import.meta.url));
  return existsSync(codePath) ? { codePath } : { code: await buildWorkflowBundle() };
}

/**
 * The same bundle, whose failures are put into payloads: a sandbox has no environment that could tell it so. It runs the
 * same commands, and a chain may go on from one under the other.
 */
export async function sealFailures(bundle: WorkflowBundleOption): Promise<WorkflowBundleOption> {
  const code = 'code' in bundle ? bundle.code : await readFile(bundle.codePath, 'utf8');
  return { ...('sourceMap' in bundle ? bundle : {}), code: `globalThis.longhandSealsFailures = true; ${code}` };
}
