/**
 * The HTTP agent of AG-UI, unchanged, against chains on a real server: every event passes the protocol's schemas and the
 * client's own rules of order.
 */

import { randomUUID } from 'node:crypto';
import { type BaseEvent, EventType, HttpAgent, type Interrupt, type RunAgentParameters } from '@ag-ui/client';
import { EventSchema } from '@ag-ui/core/schemas';
import { describe, expect, it, vi } from 'vitest';
import { connect } from '../../../src/entries/client.js';
import { defineAgent } from '../../../src/index.js';
import { type ChainTest, type ChainTestOptions, withWorker } from '../../support/chain-test.js';
import { answer, ask, book, lookUp, traveller } from '../../support/chat-agents.js';
import { type ChatGateway, startChatGateway } from '../../support/chat-gateway.js';
import { createCountedChannel } from '../../support/counted-channel.js';
import { callAgent, createActor, delegateOnce, playRoles } from '../../support/delegating.js';
import { createGate } from '../../support/gate.js';
import { getTemporalAddress } from '../../support/temporal.js';

/** The threads of all files of a run are on one server. */
const own = randomUUID();

interface Run {
  readonly events: readonly BaseEvent[];
  readonly result: unknown;
  /** The error of a run that failed. */
  readonly error: string | null;
}

interface AgUiChat {
  readonly agent: HttpAgent;
  readonly send: (text: string) => Promise<Run>;
  readonly run: (parameters?: RunAgentParameters) => Promise<Run>;
}

/** Of a connection that breaks, the client rethrows any error but an `AbortError` where nobody can catch it. */
async function fetchLikeAborted(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  const read = async function* () {
    try {
      if (response.body !== null) yield* response.body;
    } catch (error) {
      throw new DOMException(String(error), 'AbortError');
    }
  };
  return new Response(ReadableStream.from(read()), response);
}

function openAgent(url: string, threadId: string, name = 'traveller', view = 'developer'): AgUiChat {
  const agent = new HttpAgent({
    ...{
      url: `${url}/v1/ag-ui/${name}?as=${view}`,
      threadId: `${own}-${threadId}`,
      headers: { authorization: 'Bearer ana@acme' },
    },
    initialState: { page: 'trips' },
    fetch: fetchLikeAborted,
  });
  const run = async (parameters: RunAgentParameters = {}): Promise<Run> => {
    const events: BaseEvent[] = [];
    let error: string | null = null;
    const { result } = await agent.runAgent(parameters, {
      onEvent: ({ event }) => {
        events.push(EventSchema.parse(event) as BaseEvent);
      },
      onRunErrorEvent: ({ event }) => {
        error = event.message;
      },
    });
    return { events, result, error };
  };
  return {
    agent,
    run,
    send: (text) => {
      agent.addMessage({ id: `u${agent.messages.length}`, role: 'user', content: text });
      return run();
    },
  };
}

interface Opened extends ChainTest {
  readonly gateway: ChatGateway;
}

async function withAgents(options: Partial<ChainTestOptions>, use: (given: Opened) => Promise<void>): Promise<void> {
  await withWorker({ agents: [traveller], ...options }, async (test) => {
    const gateway = await startChatGateway(test.longhand);
    try {
      await use({ ...test, gateway });
      expect(gateway.failures).toEqual([]);
    } finally {
      await gateway.kill();
    }
  });
}

const listTypes = ({ events }: Run) =>
  events.map(({ type }) => type).filter((type) => !type.startsWith('STATE_') && !type.startsWith('CUSTOM'));
const getOnly = (interrupts: readonly Interrupt[]): Interrupt => {
  const [interrupt] = interrupts;
  if (interrupt === undefined || interrupts.length > 1) throw new Error(`${interrupts.length} interrupts`);
  return interrupt;
};

const thought = [
  'REASONING_START',
  'REASONING_MESSAGE_START',
  'REASONING_MESSAGE_CONTENT',
  'REASONING_MESSAGE_END',
  'REASONING_END',
];
const call = ['TOOL_CALL_START', 'TOOL_CALL_ARGS', 'TOOL_CALL_END'];
const text = ['TEXT_MESSAGE_START', 'TEXT_MESSAGE_CONTENT', 'TEXT_MESSAGE_END'];

describe('the HTTP agent of AG-UI', () => {
  it('gets steps, thoughts, calls, the answer, the cost and the tokens of a chain', async () => {
    await withAgents({ replies: [lookUp, { text: answer }] }, async ({ gateway }) => {
      const { agent, send } = openAgent(gateway.url, 'one');
      const run = await send('What is the weather in Paris?');
      expect(listTypes(run)).toEqual([
        'RUN_STARTED',
        ...['STEP_STARTED', ...thought, ...call, 'TOOL_CALL_RESULT', 'STEP_FINISHED'],
        ...['STEP_STARTED', ...text, 'STEP_FINISHED', 'RUN_FINISHED'],
      ]);
      expect(agent.messages.map(({ role }) => role)).toEqual(['user', 'reasoning', 'assistant', 'tool', 'assistant']);
      expect(agent.messages.at(-1)).toMatchObject({ content: answer });
      expect(agent.messages[2]).toMatchObject({
        toolCalls: [{ function: { name: 'weather', arguments: '{"place":"Paris"}' } }],
      });
      expect(run.result).toMatchObject({ outcome: 'success', answer });
      const { tokens } = run.result as { readonly tokens: number };
      expect(agent.state).toMatchObject({ page: 'trips', longhand: { plan: null, cost: { tokens } } });
      expect(run.events.at(-1)).toMatchObject({ usage: [{ inputTokens: expect.any(Number) }] });
    });
  });

  it('approves a call through an interrupt, and the same chain continues', async () => {
    await withAgents({ replies: [lookUp, book, { text: answer }] }, async ({ gateway, models }) => {
      const { agent, send, run } = openAgent(gateway.url, 'two');
      await send('Book the train.');
      const interrupt = getOnly(agent.pendingInterrupts);
      expect(interrupt).toMatchObject({ reason: 'tool_call', message: 'A ticket costs money.' });
      expect(interrupt.metadata).toMatchObject({ longhand: { tool: 'book', input: { train: 'TGV 6123' } } });
      await expect(run()).rejects.toThrow(/interrupt/);
      const resumed = await run({
        resume: [{ interruptId: interrupt.id, status: 'resolved', payload: { approved: true } }],
      });
      expect(listTypes(resumed)).toEqual([
        ...['RUN_STARTED', 'STEP_STARTED', 'TOOL_CALL_RESULT', 'STEP_FINISHED'],
        ...['STEP_STARTED', ...text, 'STEP_FINISHED', 'RUN_FINISHED'],
      ]);
      expect(agent.messages.at(-1)).toMatchObject({ content: answer });
      expect(agent.messages.findLast(({ role }) => role === 'tool')).toMatchObject({
        toolCallId: interrupt.toolCallId,
        content: 'Booked TGV 6123.',
      });
      expect(models.requests).toHaveLength(3);
    });
  });

  it('approves with other arguments, and denies by cancelling', async () => {
    await withAgents({ replies: [book, book, { text: answer }] }, async ({ gateway, models }) => {
      const { agent, send, run } = openAgent(gateway.url, 'edited');
      await send('Book the train.');
      const first = getOnly(agent.pendingInterrupts);
      const payload = { approved: true, editedArgs: { train: 'TGV 1' } };
      await run({ resume: [{ interruptId: first.id, status: 'resolved', payload }] });
      expect(JSON.stringify(models.requests.at(-1)?.body.messages)).toContain('Booked TGV 1.');
      const second = getOnly(agent.pendingInterrupts);
      expect(second.id).not.toBe(first.id);
      await run({ resume: [{ interruptId: second.id, status: 'cancelled' }] });
      expect(agent.messages.at(-1)).toMatchObject({ content: answer });
      expect(agent.messages.filter(({ role }) => role === 'tool')).toHaveLength(2);
    });
  });

  it('answers a question by the schema of its interrupt', async () => {
    await withAgents({ replies: [ask, { text: answer }] }, async ({ gateway, models }) => {
      const { agent, send, run } = openAgent(gateway.url, 'asked');
      await send('Book the train.');
      const interrupt = getOnly(agent.pendingInterrupts);
      expect(interrupt).toMatchObject({
        reason: 'input_required',
        message: 'Which day?',
        responseSchema: { type: 'string' },
      });
      await run({ resume: [{ interruptId: interrupt.id, status: 'resolved', payload: 'Friday' }] });
      expect(JSON.stringify(models.requests.at(-1)?.body.messages)).toContain('Friday');
      expect(agent.messages.at(-1)).toMatchObject({ content: answer });
    });
  });

  it('never takes an unclear answer for an approval', async () => {
    await withAgents({ replies: [book, { text: answer }] }, async ({ gateway, longhand }) => {
      const { agent, send } = openAgent(gateway.url, 'unclear');
      await send('Book the train.');
      const { id } = getOnly(agent.pendingInterrupts);
      const answers: readonly unknown[] = [undefined, null, {}, 'yes', { approved: 'true' }, { approved: 1 }];
      for (const payload of answers) {
        const other = openAgent(gateway.url, 'unclear');
        other.agent.messages = structuredClone(agent.messages);
        await other.run({ resume: [{ interruptId: id, status: 'resolved', payload }] }).catch(() => {});
      }
      const chain = longhand.getHandle(id.split(':')[0] ?? '');
      expect(await chain.listRequests()).toHaveLength(1);
      await chain.deny('1.1', { by: 'ana' });
      expect((await chain.result()).outcome).toBe('success');
    });
  });

  it('continues the conversation of its thread, also after a run that failed', async () => {
    const replies = [
      { text: 'It is 21 degrees.' },
      { status: 400, error: { type: 'invalid_request_error', message: 'No.' } },
      { text: 'Yes, in Fahrenheit it is 70.' },
    ];
    await withAgents({ replies }, async ({ gateway, models }) => {
      const { agent, send } = openAgent(gateway.url, 'thread');
      await send('How warm is it?');
      const failed = await send('In Fahrenheit?');
      expect(failed.error).toEqual(expect.any(String));
      expect(failed.events.at(-1)).toMatchObject({ type: EventType.RUN_ERROR, code: 'failure' });
      await send('Please.');
      expect(agent.messages.at(-1)).toMatchObject({ content: 'Yes, in Fahrenheit it is 70.' });
      const sent = JSON.stringify(models.requests.at(-1)?.body.messages);
      expect(sent).toContain('It is 21 degrees.');
      expect(sent).toContain('In Fahrenheit?');
    });
  });

  it('follows a run again after a lost connection, without a repeated message', async () => {
    await withAgents({ replies: [lookUp, book, { text: answer }] }, async ({ gateway, longhand }) => {
      const first = openAgent(gateway.url, 'lost');
      await first.send('Book the train.');
      const other = await startChatGateway(longhand);
      const again = openAgent(other.url, 'lost');
      // A page that was closed in the middle has some of the messages.
      again.agent.messages = structuredClone(first.agent.messages.slice(0, 3));
      await again.run();
      expect(again.agent.messages).toEqual(first.agent.messages);
      const { id } = getOnly(again.agent.pendingInterrupts);
      await again.run({ resume: [{ interruptId: id, status: 'resolved', payload: true }] });
      expect(again.agent.messages.at(-1)).toMatchObject({ content: answer });
      await other.kill();
    });
  });

  it('follows a run again whose gateway was killed between two tokens, and has what a run has that was not cut', async () => {
    const { channel: tokens, whenSubscribed } = createCountedChannel();
    const cut = createGate();
    const replies = [
      { ...lookUp, waitsFor: whenSubscribed(1) },
      { text: answer, pausesAfter: { events: 7, until: cut.opened } },
    ];
    await withWorker({ agents: [traveller], replies, worker: { tokens } }, async ({ taskQueue, models }) => {
      const longhand = await connect({ address: getTemporalAddress(), taskQueue, tokens });
      const [killed, other] = [await startChatGateway(longhand), await startChatGateway(longhand)];
      try {
        const first = openAgent(killed.url, 'cut');
        const getPartial = () => {
          const last = first.agent.messages.at(-1);
          return last?.role === 'assistant' && typeof last.content === 'string' ? last.content : '';
        };
        const lost = first.send('Book the train.').catch((error: unknown) => error);
        await vi.waitFor(() => expect(answer.startsWith(getPartial()) && getPartial()).not.toBe(''), {
          timeout: 60_000,
          interval: 20,
        });
        await killed.kill();
        await lost;
        cut.open();
        expect(getPartial().length).toBeLessThan(answer.length);
        const again = openAgent(other.url, 'cut');
        again.agent.messages = structuredClone(first.agent.messages);
        const run = await again.run();
        expect(run.result).toMatchObject({ outcome: 'success', answer });
        const uncut = openAgent(other.url, 'cut');
        uncut.agent.messages = structuredClone(first.agent.messages.slice(0, 1));
        expect((await uncut.run()).result).toEqual(run.result);
        expect(again.agent.messages.at(-1)).toMatchObject({ content: answer });
        expect(again.agent.messages).toEqual(uncut.agent.messages);
        expect(again.agent.state).toEqual(uncut.agent.state);
        expect(models.requests).toHaveLength(2);
      } finally {
        await Promise.all([killed.kill(), other.kill()]);
        await longhand.close();
      }
    });
  });

  it('ends a cancelled chain as cancelled', async () => {
    await withAgents({ replies: [book] }, async ({ gateway, longhand }) => {
      const { agent, send, run } = openAgent(gateway.url, 'stop');
      await send('Book the train.');
      const { id } = getOnly(agent.pendingInterrupts);
      await longhand.getHandle(id.split(':')[0] ?? '').cancel({ by: 'eva' });
      const ended = await run({ resume: [{ interruptId: id, status: 'cancelled' }] });
      expect(ended.events.at(-1)).toMatchObject({ type: EventType.RUN_FINISHED, outcome: { type: 'cancelled' } });
    });
  });

  it('shows sub-chains as subagents of their call', async () => {
    const reader = createActor('reader');
    const editor = createActor('editor', { tools: [reader] });
    const replies = playRoles({
      editor: delegateOnce(callAgent('reader')),
      reader: () => ({ text: 'Tea.' }),
    });
    await withAgents({ agents: [editor], replies }, async ({ gateway }) => {
      const { send } = openAgent(gateway.url, 'family', 'editor');
      const run = await send('What is the book about?');
      const started = run.events.find(({ type }) => type === EventType.SUBAGENT_STARTED);
      const finished = run.events.find(({ type }) => type === EventType.SUBAGENT_FINISHED);
      const called = run.events.find(({ type }) => type === EventType.TOOL_CALL_START) as unknown as {
        toolCallId: string;
      };
      expect(started).toMatchObject({ name: 'reader', parentToolCallId: called.toolCallId });
      expect(finished).toMatchObject({ outcome: { type: 'success' } });
      expect(run.result).toMatchObject({ outcome: 'success' });
    });
  });

  it('streams tokens, and takes back those of a model call that fails', async () => {
    const { channel: tokens, whenSubscribed } = createCountedChannel();
    const failing = {
      ...{
        waitsFor: whenSubscribed(1),
        errorAfter: 20,
        text: 'Everything in this reply is wrong and must not stay on any page. '.repeat(12),
      },
      error: { type: 'overloaded_error', message: 'Overloaded' },
    };
    const isShown = createGate();
    const replies = [failing, { text: answer, pausesAfter: { events: 7, until: isShown.opened } }];
    await withWorker({ agents: [traveller], replies, worker: { tokens } }, async ({ taskQueue }) => {
      const longhand = await connect({ address: getTemporalAddress(), taskQueue, tokens });
      const gateway = await startChatGateway(longhand);
      const { agent, send } = openAgent(gateway.url, 'tokens');
      const sent = send('What is the weather in Paris?');
      const hasPart = (content: unknown) => typeof content === 'string' && content !== '' && answer.startsWith(content);
      await vi.waitUntil(() => agent.messages.some(({ content }) => hasPart(content)));
      isShown.open();
      const run = await sent;
      expect(agent.messages.filter(({ role }) => role === 'assistant')).toMatchObject([{ content: answer }]);
      expect(listTypes(run)).toContain('MESSAGES_SNAPSHOT');
      expect(listTypes(run).filter((type) => type === 'TEXT_MESSAGE_CONTENT').length).toBeGreaterThan(2);
      await gateway.kill();
      await longhand.close();
    });
  });

  it('shows the plan of a chain as state', async () => {
    const planner = defineAgent({
      ...{ name: 'planner', model: 'claude-sonnet-5-5' },
      strategy: { name: 'plan', planning: false, reflection: false },
      tools: [],
    });
    await withAgents({ agents: [planner], replies: [{ text: answer }] }, async ({ gateway }) => {
      const { agent, send } = openAgent(gateway.url, 'plan', 'planner');
      await send('Plan the trip.');
      expect(agent.state).toMatchObject({ longhand: { plan: { tasks: [{ status: expect.any(String) }] } } });
    });
  });
});
