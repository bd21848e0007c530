/** L8: the views of chains on a real server, for several viewers, while the chains run and after their ends. */

import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { resolveChainSource } from '../../../src/client/read/chain-source.js';
import { readRecordedChain } from '../../../src/client/read/recorded-chain.js';
import { type ChainHandle, connect, type WatchEvent, type WatchOptions } from '../../../src/entries/client.js';
import {
  createViewer,
  type StepView,
  toReasoning,
  type Viewer,
  type VisibilityConfig,
} from '../../../src/entries/view.js';
import { defineAgent, defineTool } from '../../../src/index.js';
import { withWorker } from '../../support/chain-test.js';
import { createCountedChannel } from '../../support/counted-channel.js';
import { matchError } from '../../support/match-error.js';
import type { ScriptedReply } from '../../support/scripted-reply.js';
import { getTemporalAddress } from '../../support/temporal.js';

const query = defineTool({
  name: 'query',
  description: 'Asks the database',
  inputSchema: z.object({ table: z.string(), ssn: z.string().meta({ sensitive: true }) }),
  effects: 'read',
  kind: 'database',
  view: { summary: 'Queried {table}, returned {rowCount} rows' },
  execute: ({ ssn }) => ({ rowCount: 1247, rows: [{ of: ssn, mail: 'ann@example.org' }] }),
});
const weather = defineTool({
  name: 'weather',
  description: 'The weather in a city',
  inputSchema: z.object({ city: z.string() }),
  effects: 'read',
  execute: ({ city }) => `mild in ${city}`,
});
const clerk = defineAgent({ name: 'clerk', model: 'claude-sonnet-5-5', strategy: 'tools', tools: [query, weather] });
const guide = defineAgent({ name: 'guide', model: 'claude-sonnet-5-5', strategy: 'tools', tools: [weather] });

const script: readonly ScriptedReply[] = [
  {
    text: 'I look up 078-05-1120 and the weather.',
    calls: [
      { name: 'query', input: { table: 'sales', ssn: '078-05-1120' } },
      { name: 'weather', input: { city: 'Paris' } },
    ],
  },
  { text: 'Now Rome.', calls: [{ name: 'weather', input: { city: 'Rome' } }] },
  { text: 'Write to ann@example.org.' },
];

async function watchAll(chain: ChainHandle, viewer: Viewer, options: WatchOptions = {}): Promise<WatchEvent[]> {
  const events: WatchEvent[] = [];
  for await (const event of chain.watch(viewer, options)) events.push(event);
  return events;
}

/** Returns the last view of each step that the events contain. */
function getLastSteps(events: readonly WatchEvent[]): ReadonlyMap<string, StepView> {
  return new Map(events.flatMap((event) => (event.type === 'step-changed' ? [[event.step.id, event.step]] : [])));
}

describe('watch', () => {
  it('emits summaries to an end user and ends with the view', async () => {
    await withWorker({ agents: [clerk], replies: script }, async ({ longhand }) => {
      const chain = await longhand.start(clerk, 'Look it up');
      const endUser = createViewer('end_user');
      const events = await watchAll(chain, endUser);
      expect(events[0]).toMatchObject({
        type: 'view-opened',
        view: { task: 'Look it up', agent: 'clerk', steps: [] },
      });
      const lines = events.flatMap((event) =>
        event.type === 'step-changed' ? [event.step.level === 'summary' ? event.step.summary : event.step.level] : [],
      );
      expect(lines.slice(0, 3)).toEqual(['Thinking', 'Calling query: sales', 'Calling weather']);
      expect(lines).toContain('Queried sales, returned 1,247 rows');
      const end = events.at(-1);
      expect(end?.type === 'view-completed' ? end.view : null).toEqual(await chain.view(endUser));
      expect(end).toMatchObject({ view: { answer: 'Write to [redacted:email].', steps: { length: 9 } } });
      const emitted = JSON.stringify(events);
      for (const hidden of ['078-05', 'Paris', 'Rome', 'ann@', 'I look up']) expect(emitted).not.toContain(hidden);
    });
  });

  it("emits each step to each viewer as in the viewer's own view, with progress", async () => {
    await withWorker({ agents: [clerk], replies: script }, async ({ longhand }) => {
      const chain = await longhand.start(clerk, 'Look it up', { tenant: 'bank' });
      const visibility: VisibilityConfig = { tenants: { bank: { patterns: [{ kind: 'city', source: 'Rome' }] } } };
      const viewers = [
        createViewer('end_user'),
        createViewer('developer'),
        createViewer('auditor'),
        createViewer('developer', { tenant: 'shop' }),
      ];
      const live = await Promise.all(viewers.map((viewer) => watchAll(chain, viewer, { visibility })));
      for (const [at, viewer] of viewers.entries()) {
        const { steps, progress } = await chain.view(viewer, visibility);
        const last = getLastSteps(live[at] ?? []);
        expect(steps.map(({ id }) => last.get(id))).toEqual(steps);
        const latest = live[at]?.findLast((event) => event.type === 'step-changed');
        expect(latest?.type === 'step-changed' ? latest.progress : null).toEqual(progress);
      }
      const [, developer, auditor, foreign] = live.map((events) => JSON.stringify(events));
      expect(developer).toContain('mild in [redacted:city]');
      expect(auditor).toContain('mild in Rome');
      expect(foreign).not.toMatch(/Look it up|Rome|Paris|query/);
      const whole = toReasoning(await readRecordedChain(await resolveChainSource(longhand.client, chain.chainId)));
      const complete = (await chain.view(createViewer('auditor'))).steps;
      expect(complete.map((step) => ({ ...step, why: undefined }))).toEqual(
        whole.steps.map((step) => ({ ...step, level: 'full', redacted: 0 })),
      );
    });
  });

  it('continues from any position without gaps or repeats and with the same masks', async () => {
    await withWorker({ agents: [clerk], replies: script }, async ({ longhand }) => {
      const chain = await longhand.start(clerk, 'Look it up');
      const developer = createViewer('developer');
      await watchAll(chain, developer);
      const all = await watchAll(chain, developer);
      for (const [at, { runId, eventId, item }] of all.entries()) {
        expect(await watchAll(chain, developer, { from: { runId, eventId, item } })).toEqual(all.slice(at + 1));
      }
    });
  });

  it('rejects unknown visibility rules before its first event', async () => {
    await withWorker({ agents: [clerk], replies: script }, async ({ longhand }) => {
      const chain = await longhand.start(clerk, 'Look it up');
      const visibility = { by_role: { developer: 'hidden' } } as unknown as VisibilityConfig;
      await expect(chain.view(createViewer('developer'), visibility)).rejects.toMatchObject(
        matchError('invalid_policy', 'by_role'),
      );
      await expect(chain.watch(createViewer('developer'), { visibility }).next()).rejects.toMatchObject(
        matchError('invalid_policy', 'by_role'),
      );
      await chain.result();
    });
  });

  it('ends when its signal is aborted while it waits', async () => {
    await withWorker({ agents: [clerk], replies: [{ hang: true, afterEvents: 2 }] }, async ({ longhand }) => {
      const chain = await longhand.start(clerk, 'Look it up');
      const stop = new AbortController();
      const watching = chain.watch(createViewer('end_user'), { signal: stop.signal });
      await watching.next();
      const next = watching.next();
      stop.abort(new Error('enough'));
      await expect(next).rejects.toThrow('enough');
      await chain.cancel();
    });
  });
});

/** Replies of which none begins before all viewers have subscribed. */
function replyAfter(subscribed: Promise<void>, replies: readonly ScriptedReply[]): readonly ScriptedReply[] {
  return replies.map((reply) => ({ ...reply, waitsFor: subscribed }));
}

describe('a token stream', () => {
  const words =
    'The weather in Rome is mild today, and nobody there needs a coat or an umbrella, as far as I can see. ';
  const longReplies: readonly ScriptedReply[] = [
    { text: words.repeat(3), calls: [{ name: 'weather', input: { city: 'Rome' } }] },
    { text: `${words}Write to ann@example.org. ${words}` },
  ];

  it('is emitted to viewers of full steps only, up to the first secret', async () => {
    const { channel: tokens, whenSubscribed } = createCountedChannel();
    await withWorker(
      { agents: [guide], replies: replyAfter(whenSubscribed(3), longReplies), worker: { tokens } },
      async ({ longhand, taskQueue }) => {
        const listening = await connect({ address: getTemporalAddress(), taskQueue, tokens });
        const chain = await longhand.start(guide, 'How is it?');
        const reading = ['developer', 'end_user', 'auditor'].map(async (role) => {
          const events = await watchAll(listening.getHandle(chain.chainId), createViewer(role), { tokens: true });
          return [1, 2].map((step) =>
            events.flatMap((event) => (event.type === 'token' && event.step === step ? [event.text] : [])).join(''),
          );
        });
        const [developer, endUser, auditor] = await Promise.all(reading);
        expect(auditor).toEqual([words.repeat(3), `${words}Write to ann@example.org. ${words}`]);
        expect(endUser).toEqual(['', '']);
        expect(words.repeat(3).startsWith(developer?.[0] ?? '-')).toBe(true);
        expect(developer?.[0]?.length).toBeGreaterThan(words.length);
        expect(`${words}Write to `.startsWith(developer?.[1] ?? '-')).toBe(true);
        await listening.close();
      },
    );
  });

  it('restarts with the next attempt although the last one contained a secret', async () => {
    const { channel, whenSubscribed } = createCountedChannel();
    const text = `${words}Write to ann@example.org. ${words.repeat(2)}`;
    const replies: readonly ScriptedReply[] = [
      { errorAfter: 14, text, error: { type: 'overloaded_error', message: 'Overloaded' } },
      { text: words.repeat(3) },
    ];
    const scene = {
      agents: [guide],
      replies: replyAfter(whenSubscribed(1), replies),
      worker: { tokens: channel },
    };
    await withWorker(scene, async ({ longhand, taskQueue }) => {
      const listening = await connect({ address: getTemporalAddress(), taskQueue, tokens: channel });
      const chain = await longhand.start(guide, 'How is it?');
      const watching = watchAll(listening.getHandle(chain.chainId), createViewer('developer'), { tokens: true });
      const tokens = (await watching).flatMap((event) => (event.type === 'token' ? [event] : []));
      const joinTokens = (call: string) =>
        tokens.flatMap((event) => (event.call === call ? [event.text] : [])).join('');
      expect(joinTokens('model-1').length).toBeGreaterThan(0);
      expect(`${words}Write to `.startsWith(joinTokens('model-1'))).toBe(true);
      expect(words.repeat(3).startsWith(joinTokens('model-2'))).toBe(true);
      expect(joinTokens('model-2').length).toBeGreaterThan(words.length);
      await listening.close();
    });
  });

  it('is emitted to auditors only if a tool has sensitive members', async () => {
    const { channel: tokens, whenSubscribed } = createCountedChannel();
    const scene = { agents: [clerk], replies: replyAfter(whenSubscribed(2), script), worker: { tokens } };
    await withWorker(scene, async ({ longhand, taskQueue }) => {
      const listening = await connect({ address: getTemporalAddress(), taskQueue, tokens });
      const chain = await longhand.start(clerk, 'Look it up');
      const countTokens = async (role: string) => {
        const events = await watchAll(listening.getHandle(chain.chainId), createViewer(role), { tokens: true });
        return events.filter(({ type }) => type === 'token').length;
      };
      const both = Promise.all([countTokens('developer'), countTokens('auditor')]);
      const [developer, auditor] = await both;
      expect(developer).toBe(0);
      expect(auditor).toBeGreaterThan(0);
      await listening.close();
    });
  });
});
