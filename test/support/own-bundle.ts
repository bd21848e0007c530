/** The bundle of a user's own workflows: built once in a run, because a build costs seconds of processor time. */

import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findWorkflowBundle } from '../../src/worker/bundle.js';
import { writeOutput } from './built-module.js';
import { removeSources } from './small-bundle.js';
import { getWorkflowBundlePath } from './temporal.js';

/** Returns the bundle with the workflows of a module, from the folder of the run. */
export async function findOwnBundle(workflowsPath: string): Promise<{ readonly codePath: string }> {
  const name = createHash('sha256').update(workflowsPath).digest('hex').slice(0, 16);
  const codePath = join(dirname(getWorkflowBundlePath()), `own-${name}.js`);
  if (existsSync(codePath)) return { codePath };
  const bundle = await findWorkflowBundle(workflowsPath);
  if ('codePath' in bundle) throw new Error(`The bundle lacks the workflows of ${workflowsPath}.`);
  await writeOutput(codePath, removeSources(bundle.code));
  return { codePath };
}
