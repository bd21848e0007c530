/** Tools that ask a person while they run: the chain waits without a worker, and the call runs again with the answer. */

import { expect, it } from 'vitest';
import { z } from 'zod';
import type { ChainHandle } from '../../../src/entries/client.js';
import { defineAgent, defineTool, type Json, type ToolContext, type ToolView } from '../../../src/index.js';
import { type ChainTest, withWorker } from '../../support/chain-test.js';
import { longhandHere } from '../../support/command-here.js';
import { getTemporalAddress } from '../../support/temporal.js';

const cli = (...args: readonly string[]) => longhandHere(args, { TEMPORAL_ADDRESS: getTemporalAddress() });

async function waitForQuestion(chain: ChainHandle) {
  await expect.poll(() => chain.listRequests()).toHaveLength(1);
  return (await chain.listRequests())[0];
}

const readCalls = async (chain: ChainHandle) => (await chain.read()).steps.flatMap(({ calls }) => calls);

/** Runs a chain with one call of a tool that is executed with this function. */
function play(
  execute: (input: { readonly flight: string }, context: ToolContext) => unknown,
  body: (chain: ChainHandle, test: ChainTest) => Promise<void>,
  definition: {
    readonly effects?: 'read' | 'unsafe';
    readonly approval?: false | object;
    readonly view?: ToolView;
  } = {},
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
    const readInbox = async () => (await cli('inbox', '--root', chainId)).stdout;
    await expect.poll(readInbox).toMatch(/Which seat\?\n +· seat: aisle or window\n/);
    const wrong = await cli('answer', chainId, 'middle');
    expect([wrong.code, wrong.stderr]).toEqual([
      1,
      expect.stringMatching(/does not match the schema .*"aisle","window"/s),
    ]);
    expect(await cli('answer', chainId, 'window', '--by', 'ann')).toMatchObject({ code: 0 });
    await expect.poll(async () => JSON.stringify(await chain.listRequests())).toContain('Whose name for LH1?');
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

it('an unsafe call that returns, or fails in doubt, although nobody has answered is not run again', async () => {
  const paid: string[] = [];
  const heedless = async (_: object, { ask }: ToolContext) => {
    paid.push(await ask({ question: 'Who?' }).catch(() => 'nobody'));
    return 'paid';
  };
  await play(
    heedless,
    async (chain) => {
      expect(await chain.result()).toMatchObject({ outcome: 'success' });
      expect(await readCalls(chain)).toMatchObject([{ status: 'ok', observation: 'paid' }]);
      expect(paid).toEqual(['nobody']);
    },
    { effects: 'unsafe', approval: false },
  );
  const doubtful = async (_: object, { ask }: ToolContext) => {
    await ask({ question: 'Who?' }).catch(() => {});
    throw new Error('the line broke');
  };
  await play(
    doubtful,
    async (chain) => {
      expect(await waitForQuestion(chain)).toMatchObject({ kind: 'outcome' });
      await chain.resolveOutcome('1.1', 'happened', { observation: 'It did.' });
      await chain.result();
    },
    { effects: 'unsafe', approval: false },
  );
});

it('asks again after an answer that only the tool can reject, by the rules of the approval, within a limit of bytes', async () => {
  const seen: string[] = [];
  const careful = async (_: object, { ask }: ToolContext) => {
    const schema = z.string().refine((text) => text.length > 1, 'too short');
    seen.push(await ask({ question: 'Which name?', schema }));
    return 'done';
  };
  const approval = { roles: ['release'], byRequester: false };
  await play(
    careful,
    async (chain) => {
      const release = { by: 'rita', roles: ['release'] };
      expect(await waitForQuestion(chain)).toMatchObject({ kind: 'approval' });
      await chain.approve('1.1', release);
      await expect.poll(async () => (await chain.listRequests())[0]?.kind).toBe('question');
      expect(await waitForQuestion(chain)).toMatchObject({ risk: 'high', roles: ['release'], byRequester: false });
      await expect(chain.answer('1.1', 'Ada', { by: 'ann', roles: ['release'] })).rejects.toThrow(/may not decide/);
      await expect(chain.answer('1.1', '字'.repeat(31_000), release)).rejects.toThrow(/limit for all answers/);
      await chain.answer('1.1', 'x', release);
      await expect
        .poll(async () => (await chain.listRequests())[0]?.reason)
        .toMatch(/The last answer was invalid: too short/);
      await chain.answer('1.1', 'Ada', release);
      await chain.result();
      expect(seen).toEqual(['Ada']);
    },
    { effects: 'unsafe', approval },
  );
});

it('masks an answer at the places that are sensitive in its tool, and texts that repeat it', async () => {
  const pin = 'zebra-orchid-77';
  const secretive = async (_: object, { ask }: ToolContext) => {
    const answer = await ask({ question: 'Which PIN?', schema: z.object({ pin: z.string() }) });
    return `used ${answer.pin}`;
  };
  await play(
    secretive,
    async (chain) => {
      await waitForQuestion(chain);
      await chain.answer('1.1', { pin }, { by: 'ann' });
      await chain.result();
      const shown = (await cli('chain', 'show', chain.chainId)).stdout;
      expect(shown).toContain('Answered by ann');
      expect(shown).not.toContain(pin);
      expect((await cli('chain', 'show', chain.chainId, '--as', 'auditor')).stdout).toContain(`used ${pin}`);
    },
    { view: { sensitive: ['pin'] } },
  );
});
