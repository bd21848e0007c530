/** The workflow bundle: what runs inside Temporal's deterministic sandbox, as one text. */

import { existsSync } from 'node:fs';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';

/**
 * Bundles src/workflows, from source or from dist, whichever this file runs from. Takes about 2 s.
 *
 * The bundler itself refuses Node's modules, the worker and the client; the import rules keep out the rest.
 *
 * @returns the code, for a worker's `workflowBundle: { code }`
 * @throws Error that names the import that cannot be bundled
 */
export async function buildWorkflowBundle(): Promise<string> {
  const entry = new URL(`../workflows/index${extname(import.meta.url)}`, import.meta.url);
  const { code } = await bundleWorkflowCode({
    workflowsPath: fileURLToPath(entry),
    logger: new DefaultLogger('WARN'),
  });
  return code;
}

/** What a worker takes: the bundle that `npm run build` made, or one made now where this runs from source. */
export async function workflowBundle(): Promise<{ readonly codePath: string } | { readonly code: string }> {
  const codePath = fileURLToPath(new URL('../../workflow-bundle.js', import.meta.url));
  return existsSync(codePath) ? { codePath } : { code: await buildWorkflowBundle() };
}
