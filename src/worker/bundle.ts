/** The workflow bundle: what runs inside Temporal's deterministic sandbox, as one text. */

import { existsSync } from 'node:fs';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';

/**
 * The core keeps no state (L3), so all workflows of a worker can share one copy of it: it is set up once, and V8
 * optimises it once, instead of for each chain anew.
 */
const stateless = ['core/turn', 'core/result', 'core/shown', 'contract/facts'] as const;

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
    preloadModules: stateless.map(file),
    workflowInterceptorModules: [file('workflows/tracing'), ...interceptors],
    logger: new DefaultLogger('WARN'),
  });
  return code;
}

/** What a worker takes: the bundle that `npm run build` made, or one made now where this runs from source. */
export async function workflowBundle(): Promise<{ readonly codePath: string } | { readonly code: string }> {
  const codePath = fileURLToPath(new URL('../../workflow-bundle.js', import.meta.url));
  return existsSync(codePath) ? { codePath } : { code: await buildWorkflowBundle() };
}
