/** Invalid options are rejected when a worker is created, before it connects to a server. */

import { expect, it } from 'vitest';
import {
  createWorker,
  type LonghandWorkerOptions,
  type ModelProvider,
  type VisibilityConfig,
  type WorkerApprovals,
} from '../../src/index.js';
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
  const made = createWorker({ agents: [stubborn], provider, visibility, address: '127.0.0.1:1' });
  await expect(made).rejects.toThrow(matchError('invalid_policy', `\`visibility\`: ${problem}`));
});

it.each<[WorkerApprovals, string]>([
  [{ platform: { pay: { roles: [] } } }, 'platform.pay.roles must be a list of roles'],
  [{ tenant: {} } as WorkerApprovals, 'tenant is unknown; you may mean tenants.'],
])('invalid approval rules are rejected: %j', async (approvals, problem) => {
  const made = createWorker({ agents: [stubborn], provider, approvals, address: '127.0.0.1:1' });
  await expect(made).rejects.toThrow(matchError('invalid_policy', `\`approvals\`: ${problem}`));
});

it.each(['connection', 'namespace', 'taskQueue', 'activities', 'workflowBundle', 'workflowsPath', 'bundlerOptions'])(
  'an option of Temporal that Longhand sets itself is rejected: %s',
  async (name) => {
    const temporal = { [name]: {} } as LonghandWorkerOptions['temporal'];
    const made = createWorker({ agents: [stubborn], provider, temporal, address: '127.0.0.1:1' });
    await expect(made).rejects.toThrow(matchError('invalid_options', `Invalid option \`temporal.${name}\``));
  },
);

it('workflow interceptors are rejected', async () => {
  const temporal = { interceptors: { workflowModules: ['/interceptors.cjs'] } } as LonghandWorkerOptions['temporal'];
  const made = createWorker({ agents: [stubborn], provider, temporal, address: '127.0.0.1:1' });
  await expect(made).rejects.toThrow(matchError('invalid_options', '`temporal.interceptors.workflowModules`'));
});

it.each(['payloadConverterPath', 'failureConverterPath'])('a data converter with %s is rejected', async (name) => {
  const temporal = { dataConverter: { [name]: '/converter.cjs' } };
  const made = createWorker({ agents: [stubborn], provider, temporal, encryption: false, address: '127.0.0.1:1' });
  await expect(made).rejects.toThrow(matchError('invalid_options', name));
});

it('an invalid count of steps is rejected', async () => {
  const continueAfter = { steps: 0 };
  const made = createWorker({ agents: [stubborn], provider, continueAfter, address: '127.0.0.1:1' });
  await expect(made).rejects.toThrow(matchError('invalid_options', 'continueAfter.steps'));
});
