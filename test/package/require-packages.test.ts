/** Packages that only some users need. */

import { expect, it } from 'vitest';
import { findMissingPackages, requirePackages } from '../../src/package/require-packages.js';
import { matchError } from '../support/match-error.js';

it('an error has the command that installs what is missing', () => {
  expect(() => requirePackages('A worker', ['vitest', '@temporalio/worker'])).not.toThrow();
  expect(() => requirePackages('A worker', ['vitest', '@temporalio/none', 'no-such-package'])).toThrow(
    matchError('package_missing', /^A worker needs the packages .+: npm install @temporalio\/none no-such-package$/),
  );
  expect(findMissingPackages('Telemetry', ['no-such-package'])).toBe(
    'Telemetry needs the package no-such-package: npm install no-such-package',
  );
});
