/** The bundle that a worker runs: what the build has made, or, from source, a fresh one. */

import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { WorkflowBundleOption } from '@temporalio/worker';
import { buildWorkflowBundle } from './bundle.js';

export async function workflowBundle(): Promise<WorkflowBundleOption> {
  const built = fileURLToPath(new URL('../../workflow-bundle.js', import.meta.url));
  return existsSync(built) ? { codePath: built } : { code: await buildWorkflowBundle() };
}
