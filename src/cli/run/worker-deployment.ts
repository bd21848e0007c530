/** Temporal's worker versioning for `longhand worker`, from the variables that Temporal's Worker Controller sets. */

import type { VersioningBehavior } from '@temporalio/common';
import type { WorkerDeploymentOptions } from '@temporalio/worker';
import { UsageError } from '../flags/usage-error.js';

/** By `LONGHAND_VERSIONING`: whether chains stay with the build that they started on, or move to the current one. */
const behaviors = { pinned: 'PINNED', 'auto-upgrade': 'AUTO_UPGRADE' } as const;

/**
 * Reads `TEMPORAL_DEPLOYMENT_NAME` and `TEMPORAL_WORKER_BUILD_ID`; null without both.
 *
 * By default a chain is pinned: a history replays only with the workflow code that wrote it.
 *
 * @throws {UsageError} when only one of them is set: the worker would silently be unversioned; or for an unknown behavior
 */
export function readWorkerDeployment(
  env: Readonly<Record<string, string | undefined>>,
): WorkerDeploymentOptions | null {
  const deploymentName = env.TEMPORAL_DEPLOYMENT_NAME?.trim();
  const buildId = env.TEMPORAL_WORKER_BUILD_ID?.trim();
  if (!deploymentName && !buildId) return null;
  if (!deploymentName || !buildId) {
    const missing = deploymentName ? 'TEMPORAL_WORKER_BUILD_ID' : 'TEMPORAL_DEPLOYMENT_NAME';
    throw new UsageError(`${missing} is not set. Set it too for a versioned worker, or unset the other variable.`);
  }
  // A dot separates the two in the name of a version.
  if (/[.:]/.test(deploymentName)) {
    throw new UsageError(`Invalid TEMPORAL_DEPLOYMENT_NAME ${deploymentName}: it cannot contain a dot or a colon.`);
  }
  return {
    version: { deploymentName, buildId },
    useWorkerVersioning: true,
    defaultVersioningBehavior: readBehavior(env.LONGHAND_VERSIONING?.trim() || 'pinned'),
  };
}

function readBehavior(name: string): VersioningBehavior {
  if (name === 'pinned' || name === 'auto-upgrade') return behaviors[name];
  throw new UsageError(`Invalid LONGHAND_VERSIONING ${name}. Use pinned or auto-upgrade.`);
}
