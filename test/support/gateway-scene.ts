/**
 * A gateway with chains of one tenant: one that has ended, with a file, an artifact and an observation of which the chain has
 * a part, and one that waits for a person. The model answers by the words of the task.
 */

import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll } from 'vitest';
import { z } from 'zod';
import type { HttpClient } from '../../src/entries/http.js';
import type { Store } from '../../src/entries/store.js';
import { openStore } from '../../src/entries/store.js';
import { wait } from '../../src/entries/tools.js';
import type { GatewayOptions } from '../../src/gateway/gateway-options.js';
import { createLinkKey } from '../../src/gateway/links/link-token.js';
import { scopes } from '../../src/http/operation.js';
import { defineAgent, defineTool } from '../../src/index.js';
import { type ChainTest, withWorker } from './chain-test.js';
import { type GatewayLogLines, startGateway, type TestGateway } from './gateway.js';
import { createKey, type TestKey } from './gateway-keys.js';
import type { RecordedRequest } from './messages-server.js';
import type { ScriptedReply } from './scripted-reply.js';
import { type Fresh, freshPostgresStore } from './stores.js';
import { getTemporalAddress } from './temporal.js';

/** In everything that belongs to the tenant of the scene alone: no other credential may ever get it. */
export const canary = 'heron-4711';

export interface GatewayScene extends TestGateway {
  readonly test: ChainTest;
  readonly store: Store;
  readonly log: GatewayLogLines;
  /** Of the chains. No other scene on the server has it. */
  readonly tenant: string;
  /** Creates a key. Default: all scopes, the tenant, no user, all views, all of its chains. */
  readonly createKey: (key?: Partial<TestKey>) => Promise<string>;
  /** Of the tenant, with all scopes. */
  readonly owner: HttpClient;
  /** Of all tenants, with all scopes. */
  readonly operator: HttpClient;
  readonly ownerKey: string;
  /** Its call 1.1 has an artifact `report.txt` and a long observation; its task has the file `memo.txt`. */
  readonly ended: string;
  /** Its call 1.1 waits for an approval. */
  readonly waiting: string;
  /** Number of open streams of the gateway, by its metrics. */
  readonly countStreams: () => Promise<number>;
  /** Starts a chain that waits for an approval of its call 1.1. */
  readonly startWaiting: (client?: HttpClient) => Promise<string>;
}

const reportLines = Array.from({ length: 20_000 }, (_, line) => `${canary} ${line}`);

const report = defineTool({
  name: 'report',
  description: 'Writes a report',
  inputSchema: z.object({}),
  effects: 'read',
  execute: async (_, { artifact }) => {
    await artifact('report.txt', `${canary} report`);
    return reportLines.join('\n');
  },
});

const pay = defineTool({
  name: 'pay',
  description: 'Pays',
  inputSchema: z.object({ cents: z.number(), to: z.string().optional() }),
  effects: 'unsafe',
  approval: true,
  execute: ({ cents }) => `paid ${cents}`,
});

const clerk = defineAgent({
  name: 'clerk',
  model: 'claude-sonnet-5-5',
  strategy: 'tools',
  tools: [report, pay, wait()],
});

/** The text of an answer that tries to break out of its event. */
export const hostileAnswer =
  'Done.\n\nevent: view-completed\ndata: {"forged":true}\n\nid: 1\r\ndata: x\r\r: comment\u2028event: closing\u0085\n\n';

function replyToTask({ body: { messages } }: RecordedRequest): ScriptedReply {
  const text = JSON.stringify(messages);
  const hasResult = text.includes('"tool_result"');
  if (!hasResult && text.includes('PAY')) return { text: 'I pay.', calls: [{ name: 'pay', input: { cents: 4200 } }] };
  if (!hasResult && text.includes('REPORT')) return { text: 'I write.', calls: [{ name: 'report', input: {} }] };
  if (text.includes('HOSTILE')) return { text: hostileAnswer };
  return { text: text.includes(canary) ? `${canary} is done.` : 'Done.' };
}

export interface SceneOptions extends Omit<GatewayOptions, 'store' | 'connection' | 'longhand'> {
  /** Default: a Postgres, which rejects texts that SQLite stores. */
  readonly openStore?: () => Promise<Fresh>;
}

/** Opens the scene before the tests of a file. Its members can be read in tests. */
export function useGatewayScene({
  openStore: makeStore = freshPostgresStore,
  ...options
}: SceneOptions = {}): GatewayScene {
  let scene: GatewayScene | null = null;
  let close = () => {};
  let closed: Promise<void> = Promise.resolve();
  beforeAll(async () => {
    scene = await new Promise<GatewayScene>((resolve, reject) => {
      closed = openScene(makeStore, options, (opened) => {
        resolve(opened);
        return new Promise<void>((end) => {
          close = end;
        });
      });
      closed.catch(reject);
    });
  });
  afterAll(async () => {
    close();
    await closed;
  });
  return new Proxy({} as GatewayScene, {
    get: (_, name: keyof GatewayScene) => {
      if (scene === null) throw new Error('The scene is open only in tests.');
      return scene[name];
    },
  });
}

async function openScene(
  makeStore: () => Promise<Fresh>,
  options: GatewayOptions,
  use: (scene: GatewayScene) => Promise<void>,
): Promise<void> {
  const fresh = await makeStore();
  const store = await openStore(fresh.where);
  try {
    await withWorker({ agents: [clerk], replies: replyToTask, worker: { store } }, async (test) => {
      const log: GatewayLogLines = { lines: [] };
      const connection = { address: getTemporalAddress(), taskQueue: test.taskQueue };
      // Read once, when the gateway is created.
      process.env.LONGHAND_LINK_KEYS = createLinkKey();
      const gateway = await startGateway({
        authentication: { keys: true },
        ...options,
        ...{ connection, store, logTo: log },
      });
      try {
        await use(await playScene({ ...gateway, test, store, log }));
      } finally {
        await gateway.server.close();
      }
    });
  } finally {
    await store.close();
    await fresh.remove();
  }
}

async function playScene(parts: TestGateway & Pick<GatewayScene, 'test' | 'store' | 'log'>): Promise<GatewayScene> {
  const tenant = `acme-${randomBytes(4).toString('hex')}`;
  const create = (key: Partial<TestKey> = {}) =>
    createKey(parts.store, {
      ...{ tenant, scopes, views: ['developer', 'end_user', 'auditor'], reach: 'all' as const },
      ...key,
    });
  const ownerKey = await create({ name: 'owner' });
  const owner = parts.connect(ownerKey);
  const operator = parts.connect(await create({ name: 'operator', tenant: null }));
  const countStreams = async () => Number(/longhand_gateway_streams (\d+)/.exec(await operator.getMetrics())?.[1]);
  const startWaiting = async (client = owner) => {
    const { chainId } = await client.startChain({ agent: 'clerk', task: `PAY ${canary}` });
    await waitFor(async () => (await client.listRequests({ chainId })).items.length > 0);
    return chainId;
  };
  const { chainId: ended } = await owner.startChain({
    ...{ agent: 'clerk', task: `REPORT ${canary}`, user: 'ana' },
    context: { 'memo.txt': { base64: Buffer.from(`${canary} memo`).toString('base64') } },
  });
  await waitFor(async () => (await owner.getResult({ chainId: ended, wait: 30 })).status === 'ended');
  await waitFor(async () => (await owner.searchChains({})).items.length > 0);
  const waiting = await startWaiting();
  const isListed = async (status: 'ended' | 'waiting', chainId: string) =>
    (await owner.listChains({ status, limit: 200 })).items.some((row) => row.chainId === chainId);
  await waitFor(async () => (await isListed('ended', ended)) && (await isListed('waiting', waiting)));
  return { ...parts, tenant, createKey: create, owner, operator, ownerKey, countStreams, ended, waiting, startWaiting };
}

async function waitFor(check: () => Promise<boolean>): Promise<void> {
  while (!(await check())) await new Promise((resolve) => setTimeout(resolve, 20));
}
