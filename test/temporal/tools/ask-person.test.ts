/** Tools that ask a person while they run: the chain waits without a worker, and the call runs again with the answer. */

import { expect, it } from 'vitest';
import { z } from 'zod';
import { type ChainHandle, defineAgent, defineTool, type Json, type ToolContext } from '../../../src/index.js';
import { type ChainTest, withWorker } from '../../support/chain-test.js';
import { longhandHere } from '../../support/command-here.js';
import { getTemporalAddress } from '../../support/temporal.js';

const cli = (...args: readonly string[]) => longhandHere(args, { TEMPORAL_ADDRESS: getTemporalAddress() });

async function waitForQuestion(chain: ChainHandle) {
  await expect.poll(() => chain.listRequests()).toHaveLength(1);
  return (await chain.listRequests())[0];
}

const readCalls = async (chain: ChainHandle) => (await chain.describe()).chain.steps.flatMap(({ calls }) => calls);

/** Runs a chain with one call of a tool that is executed with this function. */
function play(
  execute: (input: { readonly flight: string }, context: ToolContext) => unknown,
  body: (chain: ChainHandle, test: ChainTest) => Promise<void>,
  definition: { readonly effects?: 'read' | 'unsafe'; readonly approval?: false } = {},
) {
  const book = defineTool({
    name: 'book_seat',
    description: 'Books a seat',
    inputSchema: z.object({ flight: z.string() }),
    effects: 'read',
    ...definition,
    execute,
  });
  const agent = defineAgent({ name: 'travel', model: 'claude-sonnet-5-5', strategy: 'tools', tools: [book] });
  const replies = [{ text: 'I book.', calls: [{ name: 'book_seat', input: { flight: 'LH1' } }] }, { text: 'Booked.' }];
  return withWorker({ agents: [agent], replies }, async (test) =>
    body(await test.longhand.start(agent, 'Book a seat', { user: 'ann' }), test),
  );
}

it('runs again with each answer, on another worker, and an unsafe effect happens once', async () => {
  const runs: number[] = [];
  const booked: Json[] = [];
  const book = async ({ flight }: { readonly flight: string }, { ask, attempt }: ToolContext) => {
    runs.push(attempt);
    const { seat } = await ask({ question: 'Which seat?', schema: z.object({ seat: z.enum(['aisle', 'window']) }) });
    const name = await ask({ question: `Whose name for ${flight}?`, options: ['Ann', 'Bo'], roles: ['desk'] });
    booked.push({ flight, seat, name });
    return { booked: seat, name };
  };
  const body = async (chain: ChainHandle, { worker, startWorker }: ChainTest) => {
    const { chainId } = chain;
    const request = await waitForQuestion(chain);
    expect(request).toMatchObject({ kind: 'question', tool: 'book_seat', input: { question: 'Which seat?' } });
    await worker.stop();
    await startWorker();
    const inbox = await cli('inbox', '--root', chainId);
    expect(inbox.stdout).toMatch(/Which seat\?\n +· seat: aisle or window\n/);
    const wrong = await cli('answer', chainId, 'middle');
    expect([wrong.code, wrong.stderr]).toEqual([
      1,
      expect.stringMatching(/does not match the schema .*"aisle","window"/s),
    ]);
    expect(await cli('answer', chainId, 'window', '--by', 'ann')).toMatchObject({ code: 0 });
    await expect
      .poll(async () => (await chain.listRequests()).map(({ reason }) => reason))
      .toEqual(['book_seat asks: Whose name for LH1?']);
    const [next] = await chain.listRequests();
    expect(next).toMatchObject({ roles: ['desk'], input: { options: ['Ann', 'Bo'] } });
    expect(next?.digest).not.toBe(request?.digest);
    await expect(chain.answer('1.1', 'Bo', { roles: ['desk'], digest: request?.digest })).rejects.toMatchObject({
      message: expect.stringContaining('has changed since it was read'),
    });
    await expect(chain.answer('1.1', 'Bo')).rejects.toMatchObject({
      message: expect.stringContaining('requires a decision by'),
    });
    await chain.answer('1.1', 'Bo', { by: 'dan', roles: ['desk'] });
    expect(await chain.result()).toMatchObject({ outcome: 'success', answer: 'Booked.' });
    expect([runs, booked]).toEqual([[1, 1, 1], [{ flight: 'LH1', seat: 'window', name: 'Bo' }]]);
    const [call] = await readCalls(chain);
    expect(call).toMatchObject({ status: 'ok', observation: { booked: 'window', name: 'Bo' } });
    expect(call?.requests?.map(({ decisions }) => decisions[0]?.answer)).toEqual(['window', 'Bo']);
    const shown = (await cli('chain', 'show', chainId)).stdout;
    expect(shown).toMatch(/Answered by ann, with window/);
    expect(shown).toMatch(/Answered by dan, with Bo/);
  };
  await play(book, body, { effects: 'unsafe', approval: false });
});

it('ends the call as denied where the person does not answer, and asks at most ten times', async () => {
  const curious = async (_: object, { ask }: ToolContext) => {
    for (let time = 1; ; time++) await ask({ question: `Number ${time}?` });
  };
  await play(curious, async (chain) => {
    for (let time = 1; time <= 10; time++) {
      await expect.poll(async () => JSON.stringify(await chain.listRequests())).toContain(`Number ${time}?`);
      await chain.answer('1.1', 'yes');
    }
    await chain.result();
    expect(await readCalls(chain)).toMatchObject([
      { status: 'error', observation: expect.stringContaining('more than 10 questions') },
    ]);
  });
  await play(curious, async (chain) => {
    await waitForQuestion(chain);
    await chain.deny('1.1', { by: 'ann', reason: 'not my task' });
    await chain.result();
    expect(await readCalls(chain)).toMatchObject([
      { status: 'denied', observation: 'ann does not answer this: not my task.' },
    ]);
  });
});

it('cannot be swallowed by the tool, and a cancelled chain asks nobody', async () => {
  const stubborn = async (_: object, { ask }: ToolContext) => {
    const name = await ask({ question: 'Who?' }).catch(() => 'nobody');
    return `for ${name}`;
  };
  await play(stubborn, async (chain) => {
    await waitForQuestion(chain);
    await chain.cancel({ by: 'ann' });
    expect(await chain.result()).toMatchObject({ outcome: 'cancelled' });
    expect(await readCalls(chain)).toMatchObject([{ status: 'not_run' }]);
  });
});
