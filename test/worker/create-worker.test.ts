/** What a worker cannot use is told when it is made, before it looks for a server. */

import { expect, it } from 'vitest';
import type { VisibilityConfig } from '../../src/core/view/visibility.js';
import type { ModelProvider } from '../../src/models/provider.js';
import type { WorkerApprovals } from '../../src/tools/approval/approval.js';
import { createWorker } from '../../src/worker/create-worker.js';
import { stubborn } from '../support/stubborn-agents.js';

const provider: ModelProvider = {
  name: 'nobody',
  call: () => Promise.reject(new Error('Nobody asks.')),
};

it.each<[VisibilityConfig, string]>([
  [
    { redact: { patterns: [{ kind: 'ticket', source: 'T-(\\d+' }] } },
    'redact: The pattern of the kind "ticket" is no regular expression',
  ],
  [{ tools: { search: { redact: { patterns: [{ kind: 'id', source: '[' }] } } } }, 'tools.search.redact: The pattern'],
  [{ defualt: 'full' } as VisibilityConfig, 'defualt means nothing; you may mean default.'],
])('rules on who sees what: %j', async (visibility, problem) => {
  const made = createWorker({ agents: [stubborn], provider, visibility, address: '127.0.0.1:1' });
  await expect(made).rejects.toThrow(TypeError);
  await expect(made).rejects.toThrow(`The worker's \`visibility\` cannot be used: ${problem}`);
});

it.each<[WorkerApprovals, string]>([
  [{ platform: { pay: { roles: [] } } }, 'platform.pay.roles must be a list of roles'],
  [{ tenant: {} } as WorkerApprovals, 'tenant means nothing; you may mean tenants.'],
])('rules on who approves what: %j', async (approvals, problem) => {
  const made = createWorker({ agents: [stubborn], provider, approvals, address: '127.0.0.1:1' });
  await expect(made).rejects.toThrow(TypeError);
  await expect(made).rejects.toThrow(`The worker's \`approvals\` cannot be used: ${problem}`);
});
