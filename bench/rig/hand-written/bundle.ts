/** Bundles the workflows of the hand-written loop. */

import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { keepSyntax } from '../../../src/worker/bundle.js';

export async function bundleTask(): Promise<string> {
  const { code } = await bundleWorkflowCode({
    workflowsPath: fileURLToPath(new URL('./workflow.ts', import.meta.url)),
    webpackConfigHook: keepSyntax,
    logger: new DefaultLogger('WARN'),
  });
  return code;
}
