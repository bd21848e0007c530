/** A plugin for a worker that a user creates with Temporal's SDK: chains run beside the user's own workflows. */

import type { WorkerOptions, WorkerPlugin, WorkflowBundleOption } from '@temporalio/worker';
import type { TemporalOptions } from '../connection/index.js';
import { LonghandError, loadOnce, omitUndefined } from '../core/lib/index.js';
import { loadWorker } from './load-worker.js';
import type { ComposedWorker } from './open-worker.js';
import type { LonghandWorkerOptions } from './worker-options.js';

/** The options of `createWorker` that Temporal's own worker does not have. */
export type LonghandPluginOptions = Omit<
  LonghandWorkerOptions,
  keyof TemporalOptions | 'connection' | 'taskQueue' | 'workflowsPath' | 'activities' | 'temporal'
>;

/**
 * Lets a worker of Temporal's SDK run chains, beside its own workflows and activities. The worker needs a `connection`, and its own workflows as
 * `workflowsPath`: they are bundled with the workflow of chains. A plugin is for one worker.
 *
 * `Worker.create` then throws {LonghandError} as `createWorker` does. `Worker.runReplayHistories` with the plugin replays chains too.
 *
 * @example
 * const worker = await Worker.create({
 *   connection: await NativeConnection.connect(),
 *   taskQueue: 'orders',
 *   workflowsPath: fileURLToPath(new URL('./workflows.js', import.meta.url)),
 *   activities,
 *   plugins: [longhandPlugin({ agents: [clerk] })],
 * });
 * await worker.run();
 */
export function longhandPlugin(options: LonghandPluginOptions): WorkerPlugin {
  let composed: ComposedWorker | null = null;
  const findBundle = createBundleCache();
  return {
    name: 'longhand',
    configureWorker: async (given) => {
      if (composed !== null) throw createError('has a worker already. Create a plugin for each worker');
      composed = await compose(options, given);
      return { ...composed.workerOptions, ...(given.plugins ? { plugins: given.plugins } : {}) };
    },
    // `Worker.runReplayHistories` replays histories of chains and of the user's workflows.
    configureReplayWorker: async ({ workflowsPath, dataConverter, ...given }) => {
      checkBundle(given, 'runReplayHistories');
      await loadWorker();
      const { resolveWorkflows } = await import('./worker-settings.js');
      const { encryption } = options;
      const resolved = await resolveWorkflows({ encryption, dataConverter }, () => findBundle(workflowsPath));
      const { workflowBundle } = resolved;
      return { ...given, workflowBundle, ...omitUndefined({ dataConverter: resolved.dataConverter }) };
    },
    runWorker: (worker, next) => (composed === null ? next(worker) : composed.run(worker, () => next(worker))),
  };
}

/** Bundles the workflows of a path once, for any number of replays. */
function createBundleCache() {
  const loads = new Map<string | undefined, () => Promise<WorkflowBundleOption>>();
  return async (workflowsPath: string | undefined) => {
    const load =
      loads.get(workflowsPath) ?? loadOnce(async () => (await loadWorker()).findOwnBundle({ workflowsPath }));
    loads.set(workflowsPath, load);
    return load();
  };
}

async function compose(options: LonghandPluginOptions, given: WorkerOptions): Promise<ComposedWorker> {
  const { connection, namespace, taskQueue, workflowsPath, activities, plugins: _, ...temporal } = given;
  if (connection === undefined) throw createError('needs a connection. Pass `connection` to Worker.create');
  checkBundle(temporal, 'create');
  const { composeWorker, findOwnBundle } = await loadWorker();
  const all = { ...options, connection, namespace, taskQueue, workflowsPath, activities, temporal };
  return composeWorker(
    all,
    () => findOwnBundle(all),
    (parts) => parts,
  );
}

function checkBundle({ workflowBundle }: Pick<WorkerOptions, 'workflowBundle'>, method: string): void {
  if (workflowBundle !== undefined)
    throw createError(
      `bundles the workflows. Pass \`workflowsPath\` to Worker.${method} instead of \`workflowBundle\``,
    );
}

function createError(problem: string): LonghandError {
  return new LonghandError('invalid_options', `longhandPlugin ${problem}.`);
}
