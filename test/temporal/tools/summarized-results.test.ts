/** Results that a small model summarizes before the agent sees them, on a real server. L5: no failure of a summary fails or repeats a call. */

import { expect, it } from 'vitest';
import { z } from 'zod';
import { readMore } from '../../../src/entries/tools.js';
import { createViewer } from '../../../src/entries/view.js';
import { defineAgent, defineTool } from '../../../src/index.js';
import { withWorker } from '../../support/chain-test.js';
import type { RecordedRequest, Script, ScriptedReply } from '../../support/messages-server.js';
import { useFileStore } from '../../support/stores.js';

const stored = useFileStore();

const summarizer = 'claude-haiku-5-5';
const rows = Array.from({ length: 400 }, (_, row) => `Row ${row} has nothing of interest.`);
const log = [...rows.slice(0, 250), 'Row 250 names the culprit: Bo.', ...rows.slice(251)].join('\n');
const bytes = Buffer.byteLength(log).toLocaleString('en-US');

let runs = 0;
const ofLog = { inputSchema: z.object({}), retry: { attempts: 3, backoff: 1 } } as const;
const execute = () => {
  runs += 1;
  return log;
};
const readLog = defineTool({ ...ofLog, name: 'read_log', description: 'Reads the log', effects: 'read', execute });
const rotateLog = defineTool({
  name: 'rotate_log',
  description: 'Deletes the log and returns it',
  inputSchema: z.object({}),
  effects: 'unsafe',
  approval: false,
  execute,
});

const common = {
  model: 'claude-sonnet-5-5',
  summarizeObservations: { model: summarizer, above: 1_000 },
  limits: { costUsd: 10 },
} as const;
const reader = defineAgent({ ...common, name: 'reader', tools: [readLog, readMore()] });
const rotator = defineAgent({ ...common, name: 'rotator', tools: [rotateLog] });

const isSummary = ({ body }: RecordedRequest) => body.model === summarizer;
const textOf = ({ body }: RecordedRequest) => JSON.stringify(body.messages);

/** Both know their request alone. */
function acts(tool: string, summarize: Script = findCulprit): Script {
  return (request, ...rest) => {
    if (isSummary(request)) return typeof summarize === 'function' ? summarize(request, ...rest) : [...summarize][0]!;
    const sent = textOf(request);
    if (!sent.includes('tool_result')) return { text: 'I read.', calls: [{ name: tool, input: {} }] };
    if (!sent.includes('read_more') && sent.includes('line 251'))
      return { text: 'More.', calls: [{ name: 'read_more', input: { call: '1.1', line: 251, length: 30 } }] };
    return { text: /culprit: (\w+)/.exec(sent)?.[1] ?? 'unknown' };
  };
}

const findCulprit: Script = (request) => {
  const found = textOf(request)
    .split('\\n')
    .findIndex((line) => line.includes('culprit'));
  return { text: found < 0 ? 'Nothing.' : '400 rows without interest, but for a name in line 251.' };
};

it('the agent sees a summary, reads the part that it names, and the call pays for it', async () => {
  runs = 0;
  const options = { agents: [reader], replies: acts('read_log'), worker: { store: stored.store } };
  await withWorker(options, async ({ longhand, models }) => {
    const chain = await longhand.start(reader, 'Find the culprit');
    expect(await chain.result()).toMatchObject({ outcome: 'success', answer: 'Bo' });
    const { steps, state } = await chain.read();
    const [call, more] = steps.flatMap((step) => step.calls);
    expect(call).toMatchObject({
      observation: `[… summary of ${bytes} bytes by ${summarizer} …]\n400 rows without interest, but for a name in line 251.`,
      clippedFrom: log.length,
      fullObservation: { bytes: log.length },
      summarized: { model: summarizer },
      charges: [{ role: 'summary', name: summarizer, costUsd: expect.any(Number) }],
    });
    expect(more).toMatchObject({ status: 'ok', clippedFrom: null });
    expect(JSON.stringify(more?.observation)).toContain('culprit: Bo');
    expect(more?.charges).toBeUndefined();
    expect(state.modelTotals.map(({ model, calls }) => [model, calls])).toEqual([
      ['claude-sonnet-5-5', 3],
      [summarizer, 1],
    ]);
    expect(models.requests.filter(isSummary)).toHaveLength(1);
    expect(runs).toBe(1);
    const shown = await chain.view(createViewer('developer'));
    expect(JSON.stringify(shown)).toContain('"summarized":{"model":"claude-haiku-5-5"}');
  });
});

it.each([
  ['is rejected', { status: 400, error: { type: 'invalid_request_error', message: 'No.' } }, /No\./],
  ['is cut off', { text: 'Row 1 …', stopReason: 'max_tokens' }, /^the reply ended with max_tokens$/],
  [
    'never ends its stream',
    { errorAfter: 2, text: 'Row', error: { type: 'overloaded_error', message: 'Busy.' } },
    /Busy/,
  ],
] as const)('L5: an unsafe call whose summary %s is clipped, and runs once', async (_name, reply, failure) => {
  runs = 0;
  const options = { agents: [rotator], replies: acts('rotate_log', () => reply), worker: { store: stored.store } };
  await withWorker(options, async ({ longhand }) => {
    const chain = await longhand.start(rotator, 'Find the culprit');
    expect(await chain.result()).toMatchObject({ outcome: 'success', answer: 'unknown' });
    const [call] = (await chain.read()).steps.flatMap((step) => step.calls);
    expect(call).toMatchObject({
      status: 'ok',
      observation: expect.stringContaining('bytes left out'),
      summarized: { model: summarizer, failure: expect.stringMatching(failure) },
      fullObservation: { bytes: log.length },
    });
    expect(runs).toBe(1);
  });
});

it('L5: an unsafe call whose worker is shut down during the summary has its result, and runs once', async () => {
  runs = 0;
  const hang: ScriptedReply = { hang: true };
  const options = { agents: [rotator], replies: acts('rotate_log', () => hang), worker: { store: stored.store } };
  await withWorker(options, async ({ longhand, models, worker, startWorker }) => {
    const chain = await longhand.start(rotator, 'Find the culprit');
    await expect.poll(() => models.requests.filter(isSummary).length).toBe(1);
    await worker.stop();
    await startWorker();
    expect(await chain.result()).toMatchObject({ outcome: 'success', answer: 'unknown' });
    const [call] = (await chain.read()).steps.flatMap((step) => step.calls);
    expect(call).toMatchObject({ status: 'ok', observation: expect.stringContaining('bytes left out') });
    expect(call?.summarized?.failure).toBeDefined();
    expect(runs).toBe(1);
  });
});

it('a call runs without a summary that the budget cannot pay for, or whose model may not see the data', async () => {
  const cleared = defineAgent({ ...common, name: 'cleared', model: 'house', tools: [readLog, readMore()] });
  const house = { provider: 'anthropic', id: 'claude-sonnet-5-5', dataClasses: ['names'] };
  const detect = [{ dataClass: 'names', find: (text: string) => text.includes('Bo') }];
  const worker = { store: stored.store, models: { house }, detect };
  runs = 0;
  const options = { agents: [cleared], replies: acts('read_log'), worker };
  await withWorker(options, async ({ longhand, models: server }) => {
    const secret = await longhand.start(cleared, 'Find the culprit');
    expect(await secret.result()).toMatchObject({ outcome: 'success' });
    const poor = await longhand.start(cleared, 'Find it', { limits: { costUsd: 0.2, tokens: 50_000 } });
    expect(await poor.result()).toMatchObject({ outcome: 'success' });
    const [unseen, unpaid] = (await Promise.all([secret.read(), poor.read()])).map(({ steps }) => steps[0]?.calls[0]);
    expect(unseen?.summarized).toEqual({
      model: summarizer,
      failure: `${summarizer} may not see data of the class names`,
    });
    expect(unpaid?.summarized).toEqual({ model: summarizer, failure: 'the budget cannot pay for it' });
    expect(unpaid?.observation).toContain('bytes left out');
    expect(server.requests.filter(isSummary)).toEqual([]);
    expect(runs).toBe(2);
  });
});
