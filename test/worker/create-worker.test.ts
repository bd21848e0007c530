/** Invalid options are rejected when a worker is created, before it connects to a server. */

import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import type { ModelProvider } from '../../src/entries/models.js';
import type { VisibilityConfig } from '../../src/entries/view.js';
import { createWorker, type LonghandWorkerOptions, type WorkerApprovals } from '../../src/entries/worker.js';
import { resolveWorkflowsPath } from '../../src/worker/worker-options.js';
import { matchError } from '../support/match-error.js';
import { stubborn } from '../support/stubborn-agents.js';

const provider: ModelProvider = {
  name: 'unused',
  call: () => Promise.reject(new Error('Unexpected call.')),
};

it.each<[VisibilityConfig, string]>([
  [
    { redact: { patterns: [{ kind: 'ticket', source: 'T-(\\d+' }] } },
    'redact: The pattern of kind "ticket" is not a regular expression',
  ],
  [{ tools: { search: { redact: { patterns: [{ kind: 'id', source: '[' }] } } } }, 'tools.search.redact: The pattern'],
  [{ defualt: 'full' } as VisibilityConfig, 'defualt is unknown; you may mean default.'],
])('invalid visibility rules are rejected: %j', async (visibility, problem) => {
  const made = createWorker({ agents: [stubborn], providers: [provider], visibility, address: '127.0.0.1:1' });
  await expect(made).rejects.toThrow(matchError('invalid_policy', `\`visibility\`: ${problem}`));
});

it.each<[WorkerApprovals, string]>([
  [{ platform: { pay: { roles: [] } } }, 'platform.pay.roles must be a list of roles'],
  [{ tenant: {} } as WorkerApprovals, 'tenant is unknown; you may mean tenants.'],
  [{ policy: { text: ' ', model: 'm' } }, 'policy.text must be a text of at most 16,000 characters'],
  [{ policy: { text: 'Do no harm.' } } as WorkerApprovals, 'policy must have a text and a model: {'],
  [
    { policy: { text: 'Do no harm.', model: 'm', agents: ['stuborn'] } },
    'policy.agents names "stuborn", which no agent of this worker is; expected stubborn.',
  ],
])('invalid approval rules are rejected: %j', async (approvals, problem) => {
  const made = createWorker({ agents: [stubborn], providers: [provider], approvals, address: '127.0.0.1:1' });
  await expect(made).rejects.toThrow(matchError('invalid_policy', `\`approvals\`: ${problem}`));
});

it.each(['connection', 'namespace', 'taskQueue', 'activities', 'workflowBundle', 'workflowsPath', 'bundlerOptions'])(
  'an option of Temporal that Longhand sets itself is rejected: %s',
  async (name) => {
    const temporal = { [name]: {} } as LonghandWorkerOptions['temporal'];
    const made = createWorker({ agents: [stubborn], providers: [provider], temporal, address: '127.0.0.1:1' });
    await expect(made).rejects.toThrow(matchError('invalid_options', `Invalid option \`temporal.${name}\``));
  },
);

it.each<[unknown, string]>([
  ['./workflows.js', 'expected an absolute path'],
  [new URL('./create-worker.test.ts', import.meta.url), 'expected an absolute path'],
  ['/no/such/workflows.js', 'the module does not exist'],
])(
  'a path of workflows that cannot be bundled is rejected with the expression for a valid one: %s',
  async (path, problem) => {
    const options = {
      agents: [stubborn],
      providers: [provider],
      workflowsPath: path as string,
      address: '127.0.0.1:1',
    };
    await expect(createWorker(options)).rejects.toThrow(
      matchError('invalid_options', `${problem}. Pass fileURLToPath(new URL('./workflows.js', import.meta.url)).`),
    );
  },
);

it('a path of workflows may be a folder, have no ending, or the ending of the module once it is compiled', () => {
  const own = fileURLToPath(new URL('../support/own-workflows', import.meta.url));
  expect(resolveWorkflowsPath(undefined)).toBeUndefined();
  expect(resolveWorkflowsPath(dirname(own))).toBe(dirname(own));
  for (const path of [own, `${own}.ts`, `${own}.js`]) expect(resolveWorkflowsPath(path)).toBe(`${own}.ts`);
});

it('workflow interceptors are rejected', async () => {
  const temporal = { interceptors: { workflowModules: ['/interceptors.cjs'] } } as LonghandWorkerOptions['temporal'];
  const made = createWorker({ agents: [stubborn], providers: [provider], temporal, address: '127.0.0.1:1' });
  await expect(made).rejects.toThrow(matchError('invalid_options', '`temporal.interceptors.workflowModules`'));
});

it.each(['payloadConverterPath', 'failureConverterPath'])('a data converter with %s is rejected', async (name) => {
  const temporal = { dataConverter: { [name]: '/converter.cjs' } };
  const made = createWorker({
    agents: [stubborn],
    providers: [provider],
    temporal,
    encryption: false,
    address: '127.0.0.1:1',
  });
  await expect(made).rejects.toThrow(matchError('invalid_options', name));
});

it('an invalid count of steps is rejected', async () => {
  const continueAfter = { steps: 0 };
  const made = createWorker({ agents: [stubborn], providers: [provider], continueAfter, address: '127.0.0.1:1' });
  await expect(made).rejects.toThrow(matchError('invalid_options', 'continueAfter.steps'));
});

it.each([
  [{ failures: 0 }, 'circuitBreaker.failures'],
  [{ pause: 'soon' as never }, 'circuitBreaker.pause'],
])('an invalid circuit breaker is rejected: %j', async (circuitBreaker, option) => {
  const made = createWorker({ agents: [stubborn], providers: [provider], circuitBreaker, address: '127.0.0.1:1' });
  await expect(made).rejects.toThrow(matchError('invalid_options', option));
});

it.each([
  [stubborn.tools[0]?.name ?? '', `has the name of a tool of agent ${stubborn.name}`],
  ['default', 'has a name that Longhand uses'],
  ['longhand.callModel', 'has a name that Longhand uses'],
])('an activity of the user that would take the calls of chains is rejected: %s', async (name, problem) => {
  const activities = { [name]: async () => {} };
  const made = createWorker({ agents: [stubborn], providers: [provider], activities, address: '127.0.0.1:1' });
  await expect(made).rejects.toThrow(
    matchError('invalid_options', `Activity ${name} ${problem}. Rename your activity.`),
  );
});

it('no audit log, no store and no encryption are valid options', async () => {
  const off = { audit: false, store: false, encryption: false } as const;
  const wrong = { circuitBreaker: { failures: 0 }, address: '127.0.0.1:1' };
  const made = createWorker({ agents: [stubborn], providers: [provider], ...off, ...wrong });
  // It is checked after them.
  await expect(made).rejects.toThrow(matchError('invalid_options', 'circuitBreaker.failures'));
});

it('an audit policy that is not an object is rejected', async () => {
  const audit = true as never;
  const made = createWorker({ agents: [stubborn], providers: [provider], audit, address: '127.0.0.1:1' });
  await expect(made).rejects.toThrow(matchError('invalid_policy', 'Invalid option `audit`'));
});
