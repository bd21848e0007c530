/**
 * One source map for all workers of a process that have the same bundle.
 *
 * Temporal's SDK makes one for each worker. It parses one with the first stack of an error in a workflow, and never frees its memory, of
 * which a process has 4 GB: at its end, workflow tasks fail with `RuntimeError: unreachable`. In production, a process has one worker, and
 * the memory ends with its workflow thread.
 */

import { globalHandlers } from '@temporalio/worker/lib/workflow/vm-shared.js';

type Bundle = Parameters<typeof globalHandlers.addWorkflowBundle>[0];

const known = new Map<string, { readonly map: Bundle['sourceMap']; readonly added: Promise<void> }>();
const add = globalHandlers.addWorkflowBundle.bind(globalHandlers);

globalHandlers.addWorkflowBundle = (bundle) => {
  const { filename, sourceMap: map } = bundle;
  const found = known.get(filename);
  if (found?.map.mappings === map.mappings) return found.added;
  const added = add(bundle);
  known.set(filename, { map, added });
  return added;
};

/** Another worker may have the same bundle. */
globalHandlers.removeWorkflowBundle = () => {};
