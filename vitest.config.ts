/** Two kinds of tests: those that need a Temporal server share one per run, the others never wait for it. */

import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { encryptionEnvironment } from './test/support/encrypted-run.js';

const onServer = ['test/temporal/**/*.test.ts', 'test/examples/**/*.test.ts', 'test/attacks/**/*.temporal.test.ts'];

export default defineConfig({
  // The examples import the package by its name; here that is the source, not its last build.
  resolve: { alias: { longhand: fileURLToPath(new URL('./src/index.ts', import.meta.url)) } },
  test: {
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 30_000,
    // No test may touch the store of whoever runs it: those that want one make it, in test/support/stores.ts.
    env: { LONGHAND_STORE: 'none', ...encryptionEnvironment },
    hookTimeout: 60_000,
    // What is waited for comes when it comes: a slow machine is no failure.
    expect: { poll: { timeout: 15_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: onServer,
          globalSetup: ['test/support/postgres.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'temporal',
          include: onServer,
          globalSetup: ['test/support/global-setup.ts', 'test/support/postgres.ts'],
        },
      },
    ],
  },
});
