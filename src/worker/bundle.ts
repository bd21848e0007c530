/** The workflow bundle: the code that runs in Temporal's deterministic sandbox. */

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { type BundleOptions, bundleWorkflowCode, DefaultLogger, type WorkflowBundleOption } from '@temporalio/worker';
import { isObject } from '../core/lib/index.js';
import { isBuilt, resolveOwnModule, resolvePackageFile } from '../package/index.js';

type WebpackConfig = Parameters<NonNullable<BundleOptions['webpackConfigHook']>>[0];

export interface BundleParts {
  /** Path of the module or folder with the user's own workflows. */
  readonly workflowsPath?: string | undefined;
  /** Further modules of workflow interceptors, for tests. */
  readonly interceptors?: readonly string[];
}

/**
 * Bundles src/workflows, from source or from dist, wherever this file runs. Takes about 2 s.
 *
 * The bundler rejects Node's modules, the worker and the client; the import rules keep out the rest.
 *
 * @returns the code, for a worker's `workflowBundle: { code }`
 * @throws Error that names the import that cannot be bundled
 */
export async function buildWorkflowBundle({ workflowsPath, interceptors = [] }: BundleParts = {}): Promise<string> {
  const file = resolveOwnModule;
  const { code } = await bundleWorkflowCode({
    workflowsPath: file(workflowsPath === undefined ? 'workflows/index' : 'workflows/combined-bundle'),
    preloadModules: [file('workflows/shared-modules')],
    workflowInterceptorModules: [file('workflows/tracing'), file('workflows/promise-stacks'), ...interceptors],
    payloadConverterPath: file('workflows/payload-converter'),
    failureConverterPath: file('workflows/failure-converter'),
    webpackConfigHook: (config) =>
      keepSyntax(workflowsPath === undefined ? keepLines(config) : hostWorkflows(config, workflowsPath)),
    logger: new DefaultLogger('WARN'),
  });
  return code;
}

/**
 * Stack traces keep their files and lines. Columns and sources, which the SDK's map has as well, would take 15 MB of each worker;
 * workflows of users keep them.
 */
function keepLines(config: WebpackConfig): WebpackConfig {
  return { ...config, devtool: 'inline-nosources-cheap-module-source-map' };
}

/** Replaces the module of hosted workflows by the user's. */
function hostWorkflows({ resolve, ...config }: WebpackConfig, workflowsPath: string): WebpackConfig {
  return { ...config, resolve: { ...resolve, alias: { ...resolve?.alias, [hostedModule]: workflowsPath } } };
}

/** As src/workflows/combined-bundle.ts imports it. The name is unlike any import of the user: an alias applies to all modules. */
const hostedModule = './hosted-by-longhand.js$';

/**
 * Keeps modern syntax in a bundle made from source. By default the bundler rewrites TypeScript to ES2017, where each
 * `...` becomes a slow call; the build's bundle, made from JavaScript, has no such cost.
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

/** Returns the bundle of `npm run build`; builds one when running from source, or for a worker with own workflows. */
export async function findWorkflowBundle(
  workflowsPath?: string,
): Promise<{ readonly codePath: string } | { readonly code: string }> {
  if (workflowsPath !== undefined) return { code: await buildWorkflowBundle({ workflowsPath }) };
  const codePath = resolvePackageFile('dist/workflow-bundle.js');
  return isBuilt && existsSync(codePath) ? { codePath } : { code: await buildWorkflowBundle() };
}

/**
 * Returns the bundle with failures encoded into payloads: a sandbox has no environment to read this from. The commands
 * are the same, so a chain may continue under the other bundle.
 */
export async function sealFailures(bundle: WorkflowBundleOption): Promise<WorkflowBundleOption> {
  const code = 'code' in bundle ? bundle.code : await readFile(bundle.codePath, 'utf8');
  return { ...('sourceMap' in bundle ? bundle : {}), code: `globalThis.longhandSealsFailures = true; ${code}` };
}
