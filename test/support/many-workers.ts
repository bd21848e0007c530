/**
 * Makes Temporal's SDK cheap in a process that runs hundreds of workers, where a process in production runs one. Nothing here
 * changes what a worker does. A workflow thread (see chain-test.ts) has a sandbox and hooks of its own.
 */

import { NativeConnection, Worker } from '@temporalio/worker';
import { ReusableVMWorkflowCreator } from '@temporalio/worker/lib/workflow/reusable-vm.js';
import { globalHandlers } from '@temporalio/worker/lib/workflow/vm-shared.js';

type Create = typeof ReusableVMWorkflowCreator.create;
type Sandbox = Awaited<ReturnType<Create>>;
type Bundle = Parameters<Create>[0];

/**
 * One sandbox for all workers with the same bundle, as a worker has one for all its chains. By the code of the bundle; open until
 * the process ends. The SDK makes one for each worker, with a source map that it never frees, in memory of which a process has
 * 4 GB: at its end, workflow tasks fail with `RuntimeError: unreachable`.
 */
const sandboxes = new Map<string, Promise<Sandbox>>();
const createSandbox = ReusableVMWorkflowCreator.create.bind(ReusableVMWorkflowCreator);

async function openSandbox(...[bundle, timeoutMs, activities, onPatch]: Parameters<Create>): Promise<Sandbox> {
  const open = sandboxes.get(bundle.code) ?? createSandbox(bundle, timeoutMs, activities, onPatch);
  sandboxes.set(bundle.code, open);
  const own = { registeredActivityNames: activities, patchActivationCallback: onPatch, destroy: async () => {} };
  return Object.assign(Object.create(await open) as Sandbox, own);
}

ReusableVMWorkflowCreator.create = openSandbox as Create;

/** Reads and parses each bundle once. A run of tests does not change its files. */
const loader = Worker as unknown as {
  getOrCreateBundle: (options: { workflowBundle?: { codePath?: string; code?: string } }, logger: unknown) => Bundles;
};
type Bundles = Promise<Bundle | undefined>;
const bundles = new Map<string, Bundles>();
const loadBundle = loader.getOrCreateBundle.bind(Worker);
loader.getOrCreateBundle = (options, logger) => {
  const { codePath, code } = options.workflowBundle ?? {};
  const key = codePath ?? code;
  if (key === undefined) return loadBundle(options, logger);
  const loaded = bundles.get(key) ?? loadBundle(options, logger);
  bundles.set(key, loaded);
  return loaded;
};

/**
 * No stack of each promise, for the query `__stack_trace`: the SDK's hook for it costs a function call for each promise of the
 * whole process, not only of workflows.
 */
(globalHandlers as unknown as { setPromiseHook: () => void }).setPromiseHook = () => {};

/**
 * A closed connection drops its storage of call contexts, as the client's does: otherwise each promise of the process visits one
 * for each worker that has ended.
 */
const { close } = NativeConnection.prototype;
NativeConnection.prototype.close = async function closeWithStorage() {
  await close.call(this);
  (this as unknown as { callContextStorage: { disable: () => void } }).callContextStorage.disable();
};
