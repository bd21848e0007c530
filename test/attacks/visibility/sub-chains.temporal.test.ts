/** L8: content that the path from the root hides is also hidden when a sub-chain is read by its own id, in every outlet. */

import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { showInbox } from '../../../src/cli/approvals/inbox.js';
import { listArchive } from '../../../src/cli/archive/list.js';
import { printBlob } from '../../../src/cli/chain/blob.js';
import { showCost } from '../../../src/cli/chain/cost.js';
import { diffChains } from '../../../src/cli/chain/diff.js';
import { explainChain } from '../../../src/cli/chain/explain.js';
import { exportChain } from '../../../src/cli/chain/export.js';
import { printChains } from '../../../src/cli/chain/list.js';
import { showChain } from '../../../src/cli/chain/show.js';
import { showChainAt } from '../../../src/cli/chain/show-at-step.js';
import { watchChain } from '../../../src/cli/chain/watch.js';
import { createViewer, type Viewer, type VisibilityConfig } from '../../../src/entries/view.js';
import { defineTool, delegate } from '../../../src/index.js';
import { type ChainTest, withWorker } from '../../support/chain-test.js';
import { createActor, playRoles } from '../../support/delegating.js';
import { printed } from '../../support/printed.js';
import { useFileStore } from '../../support/stores.js';
import { getTemporalAddress, useOwnServer } from '../../support/temporal.js';

useOwnServer();

const secret = 'iban-4711-0815';

const account = defineTool({
  name: 'account',
  description: 'Looks up an account',
  inputSchema: z.object({ owner: z.string() }),
  effects: 'read',
  view: { sensitive: ['iban'] },
  execute: () => ({ iban: secret }),
});

const look = defineTool({
  name: 'look',
  description: 'Looks at a thing',
  inputSchema: z.object({ thing: z.string() }),
  effects: 'read',
  execute: async ({ thing }, { artifact }) => {
    await artifact(`made-${thing}`, 'secretstuff');
    return `canary-result ${thing}`;
  },
});
const sign = defineTool({
  name: 'sign',
  description: 'Signs a thing',
  inputSchema: z.object({ thing: z.string() }),
  effects: 'read',
  approval: { reason: 'canary-reason' },
  execute: () => 'signed',
});

const helper = createActor('aide');
const kid = createActor('kid', { tools: [look, sign, helper] });
const clerk = createActor('clerk', { tools: [account, delegate(kid, { name: 'kid' })] });

const reply = playRoles({
  clerk: ({ step, last }) => {
    if (step === 1) return { text: 'I begin.', calls: [{ name: 'account', input: { owner: 'Anna' } }] };
    if (step === 2) return { text: 'I ask.', calls: [{ name: 'kid', input: { task: `canary-task ${secret}` } }] };
    return { text: `Results: ${last.length}` };
  },
  kid: ({ step }) => {
    if (step === 1)
      return { text: `canary-thought ${secret}`, calls: [{ name: 'look', input: { thing: `canary-arg ${secret}` } }] };
    if (step === 2) {
      const calls = [
        { name: 'sign', input: { thing: `canary-arg ${secret}` } },
        { name: 'aide', input: { task: `canary-task ${secret}` } },
      ];
      return { text: 'canary-thought', calls };
    }
    return { text: `canary-answer ${secret}` };
  },
  aide: ({ task }) => ({ text: `canary-answer of the aide: ${task.length} ${secret}` }),
});

const file = useFileStore();
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rules-'));
  vi.stubEnv('TEMPORAL_ADDRESS', getTemporalAddress());
  vi.stubEnv('LONGHAND_STORE', file.where);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

interface Seen {
  readonly role: string;
  readonly rules: VisibilityConfig;
}

/** Returns what each outlet prints of the sub-chain, by the name of the outlet. */
async function readOutlets(child: string, { role, rules }: Seen, { longhand }: ChainTest) {
  const rulesPath = join(folder, `${randomUUID()}.json`);
  writeFileSync(rulesPath, JSON.stringify(rules));
  const flags = { as: role, visibility: rulesPath };
  const viewer: Viewer = createViewer(role);
  const handle = longhand.getHandle(child);
  const [root = child] = child.split('/');
  const out = async (command: Parameters<typeof printed>[0]) => {
    try {
      const { out, reported } = await printed(command, 200);
      return out + reported;
    } catch (error) {
      return String(error);
    }
  };
  const open = (await handle.listRequests()).length > 0;
  const found: Record<string, string> = {
    show: await out((terminal) => showChain(terminal, child, { ...flags, all: true })),
    json: await out((terminal) => showChain(terminal, child, { ...flags, json: true, all: true })),
    step: await out((terminal) => showChain(terminal, child, { ...flags, step: '1' })),
    list: await out((terminal) => printChains(terminal, [], { ...flags, root, limit: '50' })),
    search: await out((terminal) => printChains(terminal, [], { ...flags, root, limit: '50', text: 'canary-task' })),
    at: await out((terminal) => showChainAt(terminal, child, '1', flags)),
    diff: await out((terminal) => diffChains(terminal, [child, child], flags)),
    explain: await out((terminal) => explainChain(terminal, child, flags)),
    export: await out((terminal) => exportChain(terminal, child, { ...flags, format: 'markdown' })),
    cost: await out((terminal) => showCost(terminal, root, flags)),
    blob: await out((terminal) => printBlob(terminal, child, '1.1', flags)),
    artifact: await out((terminal) => printBlob(terminal, child, '1.1', { ...flags, file: 'other' })),
    view: JSON.stringify(await handle.view(viewer, rules, { depth: 3 })),
    inbox: await out((terminal) => showInbox(terminal, { ...flags, root, role: [], limit: '50', list: true })),
    inboxJson: await out((terminal) => showInbox(terminal, { ...flags, root, role: [], limit: '50', json: true })),
  };
  if (open) return found;
  return {
    ...found,
    watch: await out((terminal) => watchChain(terminal, child, flags)),
    archive: await out((terminal) => listArchive(terminal, { ...flags, limit: '50', json: true })),
  };
}

/** Rules for a role, and the content that they hide. */
interface Case extends Seen {
  readonly name: string;
  readonly hidden: RegExp;
}

/** The content and the names of the sub-chain. */
const everything = /canary|iban-4711|made-|sign\b|look\b|\baide\b/;
const developer = (name: string, rules: VisibilityConfig, hidden = everything): Case => ({
  name,
  role: 'developer',
  rules,
  hidden,
});

const cases: readonly Case[] = [
  developer('a security rule on the tool', { required: [{ atMost: 'hidden', tool: 'kid' }] }),
  developer('a security rule on results', { required: [{ atMost: 'hidden', step: 'tool_result', tool: 'kid' }] }),
  developer('the level of the chains of all sub-agents', { toolKinds: { sub_agent: { childChain: 'hidden' } } }),
  {
    name: 'the ceiling of a role',
    role: 'guest',
    rules: { roles: { guest: { tool_call: 'hidden' } } },
    hidden: everything,
  },
  { name: 'an end user', role: 'end_user', rules: {}, hidden: /canary-(task|thought|arg|result)|iban-4711/ },
  developer('a member that a tool above marks as sensitive', {}, /iban-4711/),
  developer(
    'a member above that rules mark as sensitive',
    { tools: { account: { sensitive: ['owner'] } } },
    /canary|iban-4711/,
  ),
];

async function findLeaks(chainId: string, test: ChainTest): Promise<readonly string[]> {
  const leaks: string[] = [];
  for (const each of cases) {
    for (const [outlet, text] of Object.entries(await readOutlets(chainId, each, test))) {
      const found = each.hidden.exec(text);
      if (found !== null) leaks.push(`${each.name}: ${outlet} of ${chainId}: ${found[0]}`);
    }
  }
  return leaks;
}

describe('a sub-chain that is read by its own id', () => {
  it('shows in every outlet only what its path permits, while it waits and after its end', async () => {
    await withWorker({ agents: [clerk], replies: reply, worker: { store: file.store } }, async (test) => {
      const chain = await test.longhand.start(clerk, 'Pay Anna', { chainId: `loan-${randomUUID().slice(0, 8)}` });
      const child = test.longhand.getHandle(`${chain.chainId}/2.1`);
      await expect
        .poll(async () => (await child.listRequests().catch(() => [])).map(({ call }) => call))
        .toEqual(['2.1']);
      expect(await findLeaks(child.chainId, test)).toEqual([]);
      await child.approve('2.1');
      await chain.result();
      await expect
        .poll(async () => (await printed((terminal) => listArchive(terminal, { limit: '9', json: true }))).out)
        .toContain(`${chain.chainId}/2.1"`);
      expect(await findLeaks(child.chainId, test)).toEqual([]);
      expect(await findLeaks(`${child.chainId}/2.2`, test)).toEqual([]);

      const fork = await test.longhand.fork(child.chainId, { atStep: 1, chainId: `copy-${randomUUID().slice(0, 8)}` });
      await expect.poll(async () => (await fork.listRequests()).length).toBe(1);
      expect(await findLeaks(fork.chainId, test)).toEqual([]);
      await fork.deny('2.1');
      await fork.result();

      const shown = (as: string) => printed((terminal) => showChain(terminal, child.chainId, { as, all: true }), 200);
      expect((await shown('developer')).out).toContain('canary-thought [redacted:field]');
      expect((await shown('auditor')).out).toContain(secret);
    });
  });
});
