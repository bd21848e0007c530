/** The variables of worker versioning. */

import { expect, it } from 'vitest';
import { readWorkerDeployment } from '../../../src/cli/run/worker-deployment.js';

it('both variables make a versioned worker, whose chains stay with their build', () => {
  const env = { TEMPORAL_DEPLOYMENT_NAME: 'longhand-worker', TEMPORAL_WORKER_BUILD_ID: '0.1.0' };
  expect(readWorkerDeployment(env)).toEqual({
    version: { deploymentName: 'longhand-worker', buildId: '0.1.0' },
    useWorkerVersioning: true,
    defaultVersioningBehavior: 'PINNED',
  });
  expect(readWorkerDeployment({ TEMPORAL_DEPLOYMENT_NAME: ' ' })).toBeNull();
});

it('chains move to the current build with LONGHAND_VERSIONING=auto-upgrade; another value is an error', () => {
  const env = { TEMPORAL_DEPLOYMENT_NAME: 'longhand-worker', TEMPORAL_WORKER_BUILD_ID: '0.1.0' };
  const upgraded = readWorkerDeployment({ ...env, LONGHAND_VERSIONING: 'auto-upgrade' });
  expect(upgraded).toMatchObject({ defaultVersioningBehavior: 'AUTO_UPGRADE' });
  expect(() => readWorkerDeployment({ ...env, LONGHAND_VERSIONING: 'latest' })).toThrow('Use pinned or auto-upgrade');
});

it('one variable without the other, and a name with a separator, are errors', () => {
  expect(() => readWorkerDeployment({ TEMPORAL_DEPLOYMENT_NAME: 'a' })).toThrow('TEMPORAL_WORKER_BUILD_ID is not set');
  expect(() => readWorkerDeployment({ TEMPORAL_WORKER_BUILD_ID: '1' })).toThrow('TEMPORAL_DEPLOYMENT_NAME is not set');
  const env = { TEMPORAL_DEPLOYMENT_NAME: 'a.b', TEMPORAL_WORKER_BUILD_ID: '1' };
  expect(() => readWorkerDeployment(env)).toThrow('Invalid TEMPORAL_DEPLOYMENT_NAME');
});
