/** A chain whose texts all contain control sequences, read by Longhand's commands and by Temporal's tools. */

import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { isObject } from '../../../src/core/lib/json.js';
import { defineAgent, defineTool, ToolError } from '../../../src/index.js';
import { withWorker } from '../../support/chain-test.js';
import { longhandHere } from '../../support/command-here.js';
import { decryptPayload, getFailureMessage } from '../../support/opened.js';
import { hasPseudoTerminal, pick, runAtTerminal } from '../../support/pseudo-terminal.js';
import { getTemporalAddress } from '../../support/temporal.js';
import { hostile, hostileText, isSafe } from './hostile-text.js';

const url = z.object({ url: z.string() });
const page = defineTool({
  name: 'read_page',
  description: 'Reads a page',
  inputSchema: url,
  effects: 'read',
  execute: () => ({ text: hostileText, [hostileText]: hostileText }),
});
const broken = defineTool({
  name: 'broken',
  description: 'Fails',
  inputSchema: url,
  effects: 'read',
  retry: { attempts: 1 },
  execute: ({ url }) => {
    throw new ToolError(`${hostileText} ${url}`, { fatal: url === 'fatal' });
  },
});
const pay = defineTool({
  name: 'pay',
  description: 'Pays',
  inputSchema: url,
  effects: 'unsafe',
  approval: { reason: `It pays. ${hostileText}`, risk: 'high' },
  execute: () => 'paid',
});
const agent = defineAgent({ name: 'reader', model: 'no-price', strategy: 'tools', tools: [page, broken, pay] });
const replyWithCall = (name: string, of: string) => ({ text: hostileText, calls: [{ name, input: { url: of } }] });

/** Returns the messages of failures, which Temporal's tools print without decoding a payload. */
function listFailures(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(listFailures);
  if (!isObject(value) || ArrayBuffer.isView(value)) return [];
  return Object.entries(value).flatMap(([key, member]) =>
    key === 'message' && typeof member === 'string' ? [getFailureMessage(value)] : listFailures(member),
  );
}

it('a hostile chain sends no control sequences to a terminal, through Longhand or Temporal', async () => {
  const replies = [
    replyWithCall('read_page', hostileText),
    replyWithCall('broken', hostileText),
    { text: hostileText },
  ];
  await withWorker({ agents: [agent], replies }, async ({ longhand, models }) => {
    const chain = await longhand.start(agent, `Read. ${hostileText}`, { user: hostileText });
    await chain.result();
    models.push(replyWithCall('broken', 'fatal'));
    const failed = await longhand.start(agent, `Fail. ${hostileText}`);
    expect(await failed.result()).toMatchObject({ outcome: 'failure' });

    for (const { chainId } of [chain, failed]) {
      const handle = longhand.client.workflow.getHandle(chainId);
      const { currentDetails } = await handle.query<{ currentDetails: string }>('__temporal_workflow_metadata');
      expect(currentDetails).toContain('owned');
      expect(currentDetails).toSatisfy(isSafe);
      const described = await handle.describe();
      expect(await described.staticSummary?.()).toSatisfy(isSafe);
      expect(await described.staticDetails?.()).toSatisfy(isSafe);
      const { events = [] } = await handle.fetchHistory();
      const summaries = events?.map(({ userMetadata }) => String(decryptPayload(userMetadata?.summary) ?? ''));
      expect(summaries?.join('')).toContain('0;owned');
      for (const summary of summaries ?? []) expect(summary).toSatisfy(isSafe);
      const messages = listFailures(events);
      expect(messages.join('')).toContain('approve');
      for (const message of messages) expect(message).toSatisfy(isSafe);
    }

    const env = { TEMPORAL_ADDRESS: getTemporalAddress(), FORCE_COLOR: '1' };
    const id = chain.chainId;
    const odd = `${id}${hostileText}`;
    const commands = [
      ['chain', 'show', id],
      ['chain', 'show', id, '--step', '1'],
      ['chain', 'show', id, '--json'],
      ['chain', 'watch', id],
      ['chain', 'explain', failed.chainId],
      ['chain', 'export', id, '--format', 'markdown'],
      ['chain', 'export', id, '--format', 'history'],
      ['chain', 'list', '--match', hostileText],
      ['deny', odd, '1.1'],
      ['answer', odd, '1.1', hostileText],
      ['cancel', odd],
      ['cancel', id, '--reason', hostileText],
      ['start', hostileText, hostileText],
      ['chain', 'show', id, '--step', hostileText],
      [hostileText],
      ['chain', `--${hostileText}`],
      ['parse', '--strategy', hostileText],
    ];
    for (const args of commands) {
      const { stdout, stderr } = await longhandHere(args, env);
      expect(stdout + stderr, args.join(' ')).not.toBe('');
      expect({ args, stdout, stderr }).toSatisfy(() => isSafe(stdout) && isSafe(stderr));
      if (args.includes('--json')) expect(() => JSON.parse(stdout)).not.toThrow();
    }
  });
}, 300_000);

it.runIf(hasPseudoTerminal())('a request with hostile text sends no control sequences to a terminal', async () => {
  await withWorker(
    { agents: [agent], replies: [replyWithCall('pay', hostileText), { text: 'Done.' }] },
    async ({ longhand }) => {
      const chain = await longhand.start(agent, `Pay. ${hostileText}`, { chainId: `hostile-${randomUUID()}` });
      await expect.poll(async () => (await chain.listRequests()).length).toBe(1);
      const shown = runAtTerminal(['approve', chain.chainId], { TEMPORAL_ADDRESS: getTemporalAddress() });
      await shown.type('What do you decide?', pick(1));
      const { raw } = await shown.end;
      expect(raw).toContain('It pays.');
      // The prompts' own sequences move the cursor; none of the attacks is among them.
      for (const attack of Object.values(hostile)) {
        if (/[^\P{Cc}\n\t]/u.test(attack) && attack !== '\u001b[32m') expect(raw).not.toContain(attack);
      }
      expect(raw.replaceAll('\u001b', '').replaceAll('\r', '')).toSatisfy(isSafe);
      expect(raw).not.toContain('\u001b]');
      expect(await chain.result()).toMatchObject({ outcome: 'success' });
    },
  );
});
