/** L8: requests and the Web UI show invisible characters and addresses of links. */

import { expect, it, vi } from 'vitest';
import { z } from 'zod';
import { showInbox } from '../../../src/cli/approvals/inbox.js';
import { defineTool } from '../../../src/index.js';
import { withWorker } from '../../support/chain-test.js';
import { createActor } from '../../support/delegating.js';
import { getFailureMessage } from '../../support/opened.js';
import { printed } from '../../support/printed.js';
import { getTemporalAddress } from '../../support/temporal.js';

const invisible = /[\u200b\u202e\u{e0041}]/u;
const to = 'Anna\u200b and \u202ebob\u{e0041}';

const pay = defineTool({
  name: 'pay',
  description: 'Pays a person',
  inputSchema: z.object({ to: z.string() }),
  effects: 'read',
  approval: { reason: `For ${to}` },
  execute: () => {
    throw Object.assign(new Error('it was declined'), { name: 'card-4711-0815' });
  },
});
const clerk = createActor('clerk', { tools: [pay] });

it('a request shows invisible characters and addresses of links, and no error name that may be data', async () => {
  const link = 'See [the invoice](https://elsewhere.example/x) and ![](https://elsewhere.example/y) <img src=z>.';
  const replies = [{ text: link, calls: [{ name: 'pay', input: { to } }] }, { text: `Paid. ${link}` }];
  await withWorker({ agents: [clerk], replies }, async ({ longhand }) => {
    const chain = await longhand.start(clerk, 'Pay.');
    await expect.poll(async () => (await chain.listRequests()).length).toBe(1);
    vi.stubEnv('TEMPORAL_ADDRESS', getTemporalAddress());
    const flags = { root: chain.chainId, role: [], limit: '5' };
    const list = async () => (await printed((terminal) => showInbox(terminal, { ...flags, list: true }), 200)).out;
    await expect.poll(list).toContain('Anna\\u{200b} and \\u{202e}bob\\u{e0041}');
    expect(await list()).not.toMatch(invisible);
    const { out } = await printed((terminal) => showInbox(terminal, { ...flags, json: true }), 200);
    expect(out).not.toMatch(invisible);
    expect(JSON.parse(out)).toMatchObject({ chains: [{ requests: [{ input: { to } }] }] });
    vi.unstubAllEnvs();

    const handle = longhand.client.workflow.getHandle(chain.chainId);
    const details = async () =>
      (await handle.query<{ currentDetails: string }>('__temporal_workflow_metadata')).currentDetails;
    const waiting = await details();
    expect(waiting).toContain('Anna\\u{200b} and \\u{202e}bob\\u{e0041}');
    expect(waiting).not.toMatch(invisible);
    expect(waiting).toContain('[the invoice]\\(https://elsewhere.example/x)');
    await chain.approve('1.1');
    await chain.result();
    expect(await details()).not.toMatch(/\]\(https:\/\/elsewhere|<img/);

    const { events } = await handle.fetchHistory();
    const failure = events?.flatMap(({ activityTaskFailedEventAttributes: failed }) => failed?.failure ?? [])[0];
    expect(failure?.applicationFailureInfo?.type).toBe('Error');
    expect(getFailureMessage(failure)).toBe('card-4711-0815: it was declined');
  });
});
