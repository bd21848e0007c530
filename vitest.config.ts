/** Two kinds of tests: those that need a Temporal server share one per run, the others never wait for it. */

import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { continuedFiles } from './test/support/continued-files.js';
import { encryptionEnvironment } from './test/support/encrypted-run.js';

const onServer = ['test/temporal/**/*.test.ts', 'test/examples/**/*.test.ts', 'test/attacks/**/*.temporal.test.ts'];

/** Proofs by mass, which take minutes each, and what needs a browser, LiteLLM or a stack: the long form alone runs them (test/support/budget.ts). */
const inLongForm = [
  'archive-killed',
  'compose-stack',
  'dockerfile-lint',
  'http-client-browser',
  'invariant',
  'litellm',
  'people-interleaved',
  'reset-anywhere.temporal',
  'use-chat-browser',
  'web-ui-encrypted',
];
/** What the source and the documents are, not what the product does: a project of its own, for `npm run static`. */
const staticFiles = ['changed-states', 'docs-code', 'exported-types', 'package', 'walls'].map(
  (name) => `test/${name}.test.ts`,
);

/** They compare the CPU time of two things in one process, which other tests at the same time change: they run alone, after the others. */
const quietFiles = ['test/loading.test.ts', 'test/attacks/replies/large-replies.test.ts'];

const fromRoot = (path: string) => `${fileURLToPath(new URL('.', import.meta.url))}${path}`;

const leftOut = process.env.LONGHAND_TEST_LONG === '1' ? [] : inLongForm.map((name) => `test/**/${name}.test.ts`);

const isContinued = process.env.LONGHAND_CONTINUE_AFTER_STEPS !== undefined;

export default defineConfig({
  // The examples import the package by its name; here that is the source, not its last build.
  resolve: {
    alias: [
      { find: /^longhand$/, replacement: fromRoot('src/index.ts') },
      { find: /^longhand\/workflow$/, replacement: fromRoot('src/workflows/run-agent.ts') },
      { find: /^(?:@longhand|longhand)\/(\w+)$/, replacement: fromRoot('src/entries/$1.ts') },
    ],
  },
  test: {
    pool: 'forks',
    // More than the two processors of a small machine: tests on a server wait for half of their time.
    maxWorkers: 3,
    // Limits of time end what hangs, also on a machine that is busy with other things: they prove nothing.
    testTimeout: process.env.LONGHAND_TEST_LONG === '1' ? 1_200_000 : 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 60_000 } },
    // Files share the modules of their process: to import all of them for each would take a fifth of the time.
    isolate: false,
    setupFiles: [
      'test/support/record-cpu.ts',
      'test/support/budget.ts',
      'test/support/patient-waits.ts',
      'test/support/own-environment.ts',
    ],
    restoreMocks: true,
    // No test may use the store, the sockets or the temporal.toml of the user who runs it: tests that need them set the variables.
    env: {
      LONGHAND_STORE: 'none',
      LONGHAND_TOKENS: 'off',
      TEMPORAL_CONFIG_FILE: '/dev/null',
      ...encryptionEnvironment,
    },
    projects: [
      { extends: true, test: { name: 'static', include: staticFiles } },
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: [...onServer, ...staticFiles, ...quietFiles, ...leftOut],
          globalSetup: ['test/support/postgres.ts'],
        },
      },
      { extends: true, test: { name: 'quiet', include: quietFiles, maxWorkers: 1, sequence: { groupOrder: 1 } } },
      {
        extends: true,
        test: {
          name: 'temporal',
          include: isContinued ? continuedFiles : onServer,
          exclude: leftOut,
          globalSetup: ['test/support/global-setup.ts', 'test/support/postgres.ts'],
        },
      },
    ],
  },
});
