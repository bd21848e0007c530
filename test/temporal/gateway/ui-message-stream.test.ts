/**
 * The AI SDK's own chat and transport, unchanged, against chains on a real server: streams, approvals, questions, a page that
 * is opened again, and threads.
 */

import { randomUUID } from 'node:crypto';
import {
  lastAssistantMessageIsCompleteWithApprovalResponses as hasDecided,
  lastAssistantMessageIsCompleteWithToolCalls as hasOutputs,
  type UIMessage,
} from 'ai-7';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { connect } from '../../../src/entries/client.js';
import { defineAgent, defineTool } from '../../../src/index.js';
import { type ChainTest, type ChainTestOptions, withWorker } from '../../support/chain-test.js';
import { answer, ask, book, lookUp, traveller } from '../../support/chat-agents.js';
import { type ChatGateway, startChatGateway } from '../../support/chat-gateway.js';
import { createCountedChannel } from '../../support/counted-channel.js';
import { createGate } from '../../support/gate.js';

import { waitForRequests } from '../../support/people.js';
import type { ScriptedReply } from '../../support/scripted-reply.js';
import { getTemporalAddress } from '../../support/temporal.js';
import {
  getApprovalId,
  getLastMessage,
  getLastTool,
  getText,
  listPartTypes,
  openUiChat,
  type UiChat,
  type UiChatOptions,
} from '../../support/ui-chat.js';

/** The chats of all files of a run are on one server. */
const own = randomUUID();
const toChatId = (id: string) => `${own}-${id}`;

interface Opened extends ChainTest {
  readonly gateway: ChatGateway;
  readonly open: (id: string, options?: UiChatOptions) => UiChat;
}

async function withChat(options: Partial<ChainTestOptions>, use: (given: Opened) => Promise<void>): Promise<void> {
  await withWorker({ agents: [traveller], ...options }, async (test) => {
    const gateway = await startChatGateway(test.longhand);
    try {
      await use({ ...test, gateway, open: (id, more) => openUiChat(gateway.url, toChatId(id), more) });
      expect(gateway.failures).toEqual([]);
    } finally {
      await gateway.kill();
    }
  });
}

/** The same with the tokens of the model. */
async function withTokens(replies: readonly ScriptedReply[], use: (url: string) => Promise<void>): Promise<void> {
  const { channel: tokens, whenSubscribed } = createCountedChannel();
  const subscribed = whenSubscribed(1);
  const later = replies.map((reply) => ({ ...reply, waitsFor: subscribed }));
  await withWorker({ agents: [traveller], replies: later, worker: { tokens } }, async ({ taskQueue }) => {
    const longhand = await connect({ address: getTemporalAddress(), taskQueue, tokens });
    const gateway = await startChatGateway(longhand);
    try {
      await use(gateway.url);
    } finally {
      await gateway.kill();
      await longhand.close();
    }
  });
}

/** Waits until the chat shows a text and is ready for the next message. */
async function waitForText(chat: UiChat, text: string): Promise<void> {
  await vi.waitFor(() => expect([getText(chat), chat.status, chat.error]).toEqual([text, 'ready', undefined]), {
    timeout: 60_000,
    interval: 50,
  });
}

const wholeStep = ['step-start', 'reasoning', 'dynamic-tool'];

describe('a message', () => {
  it('shows thoughts, calls, the answer, the cost and the outcome of its chain', async () => {
    await withChat({ replies: [lookUp, { text: answer }] }, async ({ open }) => {
      const chat = open('one');
      await chat.sendMessage({ text: 'What is the weather in Paris?' });
      await waitForText(chat, answer);
      const message = getLastMessage(chat);
      expect(listPartTypes(message)).toEqual([...wholeStep, 'step-start', 'text']);
      expect(getLastTool(chat)).toMatchObject({
        ...{ toolName: 'weather', state: 'output-available' },
        input: { place: 'Paris' },
        output: { place: 'Paris', celsius: 21 },
      });
      const { tokens } = message.metadata as { readonly tokens: number };
      expect(message.metadata).toMatchObject({ chainId: message.id, outcome: 'success' });
      const cost = { tokens, costUsd: expect.any(Number) };
      expect(message.parts).toContainEqual({ type: 'data-cost', id: 'cost', data: cost });
    });
  });

  it('streams the tokens of an answer, and moves those of a thought to its reasoning', async () => {
    const isShown = createGate();
    const replies = [lookUp, { text: answer, pausesAfter: { events: 7, until: isShown.opened } }];
    await withTokens(replies, async (url) => {
      const texts = new Set<string>();
      const isPart = (text: string) => text !== '' && text !== answer && answer.startsWith(text);
      const onChange = (messages: readonly UIMessage[]) => {
        const text = getText({ messages });
        texts.add(text);
        if (isPart(text)) isShown.open();
      };
      const chat = openUiChat(url, toChatId('tokens'), { onChange });
      await chat.sendMessage({ text: 'What is the weather in Paris?' });
      await waitForText(chat, answer);
      expect(listPartTypes(getLastMessage(chat))).toEqual([...wholeStep, 'step-start', 'text']);
      expect([...texts].filter(isPart).length).toBeGreaterThan(0);
    });
  });

  it('forgets the tokens of a model call that fails', async () => {
    const failing = {
      ...{ errorAfter: 20, text: 'Everything in this reply is wrong and must not stay on any page. '.repeat(12) },
      error: { type: 'overloaded_error', message: 'Overloaded' },
    };
    await withTokens([failing, { text: answer }], async (url) => {
      const texts: string[] = [];
      const chat = openUiChat(url, toChatId('fails'), { onChange: (messages) => texts.push(getText({ messages })) });
      await chat.sendMessage({ text: 'What is the weather in Paris?' });
      await waitForText(chat, answer);
      expect(texts.some((text) => text.startsWith('Everything'))).toBe(true);
    });
  });

  it('of a chain that fails ends in the error of the chat, with the outcome', async () => {
    const stubborn = defineAgent({ name: 'traveller', model: 'claude-sonnet-5-5', strategy: 'tools' });
    const wrong = { status: 400, error: { type: 'invalid_request_error', message: 'No.' } };
    await withChat({ agents: [stubborn], replies: [wrong] }, async ({ open }) => {
      const chat = open('broken');
      await chat.sendMessage({ text: 'Go.' });
      expect(chat.status).toBe('error');
      expect(getLastMessage(chat).metadata).toMatchObject({ outcome: 'failure' });
    });
  });
});

describe('a request', () => {
  it.each([6, 7] as const)('is approved in the chat, which continues the same message, with AI SDK %s', async (sdk) => {
    await withChat({ replies: [lookUp, book, { text: answer }] }, async ({ open, models }) => {
      const chat = open(`two-${sdk}`, { sdk, sendAutomaticallyWhen: hasDecided });
      await chat.sendMessage({ text: 'Book the train.' });
      if (sdk === 7) expect(getLastTool(chat)).toMatchObject({ approval: { requestReason: 'A ticket costs money.' } });
      await chat.addToolApprovalResponse({ id: getApprovalId(chat), approved: true });
      await waitForText(chat, answer);
      expect(chat.messages).toHaveLength(2);
      expect(listPartTypes(getLastMessage(chat))).toEqual([...wholeStep, ...wholeStep, 'step-start', 'text']);
      expect(getLastTool(chat)).toMatchObject({ state: 'output-available', output: 'Booked TGV 6123.' });
      expect(models.requests).toHaveLength(3);
    });
  });

  it('is denied with a reason that the model sees', async () => {
    await withChat({ replies: [book, { text: 'Then I leave it.' }] }, async ({ open, models }) => {
      const chat = open('three', { sendAutomaticallyWhen: hasDecided });
      await chat.sendMessage({ text: 'Book the train.' });
      await chat.addToolApprovalResponse({ id: getApprovalId(chat), approved: false, reason: 'Too expensive.' });
      await waitForText(chat, 'Then I leave it.');
      expect(getLastTool(chat)).toMatchObject({ state: 'output-denied' });
      expect(JSON.stringify(models.requests.at(-1)?.body.messages)).toContain('Too expensive.');
    });
  });

  it('shows a user who may not see arguments a line, and takes the decision all the same', async () => {
    await withChat({ replies: [book, { text: answer }] }, async ({ open }) => {
      const chat = open('plain', { view: 'end_user', sendAutomaticallyWhen: hasDecided });
      await chat.sendMessage({ text: 'Book the train.' });
      expect(getLastTool(chat).input).toEqual({});
      await chat.addToolApprovalResponse({ id: getApprovalId(chat), approved: true });
      await waitForText(chat, answer);
      expect(getLastTool(chat)).toMatchObject({ state: 'output-available', approval: { approved: true } });
    });
  });

  it('is answered as the output of the tool that asks', async () => {
    await withChat({ replies: [ask, { text: answer }] }, async ({ open }) => {
      const chat = open('four', { sendAutomaticallyWhen: hasOutputs });
      await chat.sendMessage({ text: 'Book the train.' });
      expect(getLastMessage(chat).parts.find(({ type }) => type === 'data-question')).toMatchObject({
        data: { text: 'Which day?', options: ['Friday', 'Saturday'] },
      });
      const { toolCallId } = getLastTool(chat);
      await chat.addToolOutput({ tool: 'ask_user', toolCallId, output: 'Friday' });
      await waitForText(chat, answer);
      expect(getLastTool(chat)).toMatchObject({ state: 'output-available', output: 'Friday' });
    });
  });

  it.each([6, 7] as const)(
    'of other people keeps the stream open until they have decided, with AI SDK %s',
    async (sdk) => {
      const publish = defineTool({
        ...{ name: 'publish', description: 'Publishes a text', inputSchema: z.object({ text: z.string() }) },
        ...{ effects: 'unsafe', approval: { reason: 'Everybody reads it.', roles: ['editor'] } },
        execute: () => 'Published.',
      } as const);
      const writer = defineAgent({ name: 'writer', model: 'claude-sonnet-5-5', strategy: 'tools', tools: [publish] });
      const replies = [{ calls: [{ name: 'publish', input: { text: 'Hello' } }] }, { text: answer }];
      await withChat({ agents: [writer], replies }, async ({ open, longhand }) => {
        const chat = open(`other-${sdk}`, { sdk, agent: 'writer' });
        const sent = chat.sendMessage({ text: 'Publish.' });
        await vi.waitFor(() => expect(getLastTool(chat).state).toBe('input-available'), { timeout: 60_000 });
        const { id } = getLastMessage(chat);
        await waitForRequests(longhand, id, '1.1');
        await longhand.getHandle(id).approve('1.1', { by: 'eva', roles: ['editor'] });
        await sent;
        await waitForText(chat, answer);
        expect(getLastTool(chat)).toMatchObject({ state: 'output-available', output: 'Published.' });
      });
    },
  );

  it('needs the scope decide, and without it is shown without buttons', async () => {
    await withChat({ replies: [book, { text: answer }] }, async ({ open, longhand }) => {
      const chat = open('scope', { caller: 'ana@acme::start,read' });
      const sent = chat.sendMessage({ text: 'Book the train.' });
      await vi.waitFor(() => expect(getLastTool(chat).state).toBe('input-available'), { timeout: 60_000 });
      const { id } = getLastMessage(chat);
      await waitForRequests(longhand, id, '1.1');
      const [request] = await longhand.getHandle(id).listRequests();
      const approval = { id: `${id}:1.1:${request?.digest}`, approved: true as const };
      const forged = {
        ...getLastTool(chat),
        state: 'approval-responded' as const,
        approval,
      } as UIMessage['parts'][number];
      const messages = [...chat.messages.slice(0, -1), { ...getLastMessage(chat), parts: [forged] }];
      const thief = open('scope', { caller: 'ana@acme::start,read', messages });
      await thief.sendMessage();
      expect(thief.error).toMatchObject({ statusCode: 403 });
      await longhand.getHandle(id).approve('1.1', { by: 'eva' });
      await sent;
      await waitForText(chat, answer);
    });
  });
});

describe('a chat that is opened again', () => {
  it('resumes its running chain from the start, on another gateway', async () => {
    const replies = [lookUp, { ...book, chunkDelayMs: 100 }, { text: answer }];
    await withChat({ replies }, async ({ open, longhand }) => {
      const first = open('again');
      const sent = first.sendMessage({ text: 'Book the train.' });
      await vi.waitFor(() => expect(getLastTool(first).state).toBe('output-available'), { timeout: 60_000 });
      await first.stop();
      await sent;
      const other = await startChatGateway(longhand);
      const messages = structuredClone(first.messages);
      const second = openUiChat(other.url, toChatId('again'), { messages, sendAutomaticallyWhen: hasDecided });
      await second.resumeStream();
      expect(second.messages).toHaveLength(2);
      expect(listPartTypes(getLastMessage(second))).toEqual([...wholeStep, ...wholeStep]);
      await second.addToolApprovalResponse({ id: getApprovalId(second), approved: true });
      await waitForText(second, answer);
      const parts = listPartTypes(getLastMessage(second));
      expect(parts).toEqual([...wholeStep, ...wholeStep, 'step-start', 'text']);
      await second.resumeStream();
      expect([second.status, second.messages.length]).toEqual(['ready', 2]);
      await other.kill();
    });
  });

  it('without its messages shows the request again, and takes the decision', async () => {
    await withChat({ replies: [book, { text: answer }] }, async ({ open, models }) => {
      await open('bare').sendMessage({ text: 'Book the train.' });
      const chat = open('bare', { sendAutomaticallyWhen: hasDecided });
      await chat.resumeStream();
      await chat.addToolApprovalResponse({ id: getApprovalId(chat), approved: true });
      await waitForText(chat, answer);
      expect(models.requests).toHaveLength(2);
    });
  });

  it('has nothing to resume when no chain runs', async () => {
    await withChat({ replies: [{ text: answer }] }, async ({ open }) => {
      const chat = open('quiet');
      await chat.resumeStream();
      expect([chat.status, chat.messages]).toEqual(['ready', []]);
    });
  });

  it('loads its messages from the histories, as the stream made them', async () => {
    const replies = [lookUp, book, { text: answer }, { text: 'You are welcome.' }];
    await withChat({ replies }, async ({ open, gateway }) => {
      const chat = open('load', { sendAutomaticallyWhen: hasDecided });
      await chat.sendMessage({ text: 'Book the train.' });
      const load = async () => {
        const answered = await fetch(`${gateway.url}/v1/chat/traveller/${toChatId('load')}?as=developer`);
        return ((await answered.json()) as { readonly messages: readonly UIMessage[] }).messages;
      };
      const strip = (messages: readonly UIMessage[]) =>
        (JSON.parse(JSON.stringify(messages)) as UIMessage[]).map(({ role, parts }) => ({
          role,
          parts: parts.filter(({ type }) => !type.startsWith('data-')),
        }));
      expect(strip(await load())).toEqual(strip(chat.messages));
      await chat.addToolApprovalResponse({ id: getApprovalId(chat), approved: true });
      await waitForText(chat, answer);
      await chat.sendMessage({ text: 'Thanks.' });
      await waitForText(chat, 'You are welcome.');
      const loaded = await load();
      expect(loaded.map(({ id }) => id).filter((id) => !id.endsWith(':user'))).toEqual(
        chat.messages.filter(({ role }) => role === 'assistant').map(({ id }) => id),
      );
      expect(strip(loaded)[3]).toEqual(strip(chat.messages)[3]);
    });
  });
});

describe('a conversation', () => {
  it('continues with a chain of its own, which knows the earlier messages', async () => {
    const replies = [{ text: 'It is 21 degrees.' }, { text: 'That is 70 Fahrenheit.' }];
    await withChat({ replies }, async ({ open, models }) => {
      const chat = open('five');
      await chat.sendMessage({ text: 'How warm is it?' });
      await chat.sendMessage({ text: 'And in Fahrenheit?' });
      await waitForText(chat, 'That is 70 Fahrenheit.');
      const [first, second] = chat.messages.filter(({ role }) => role === 'assistant').map(({ id }) => id);
      expect(second).toBe(`${first}-2`);
      expect(JSON.stringify(models.requests[1]?.body.messages)).toContain('It is 21 degrees.');
    });
  });

  it('takes a message that is sent again once', async () => {
    await withChat({ replies: [{ text: 'It is 21 degrees.' }, { text: 'Yes.' }] }, async ({ open, models }) => {
      const chat = open('twice');
      await chat.sendMessage({ text: 'How warm is it?' });
      await open('twice', { messages: chat.messages.slice(0, 1) }).sendMessage();
      await chat.sendMessage({ text: 'Sure?' });
      const retry = open('twice', { messages: chat.messages.slice(0, 3) });
      await retry.sendMessage();
      expect(getText(retry)).toBe('Yes.');
      expect(models.requests).toHaveLength(2);
    });
  });

  it('answers again without running the calls again', async () => {
    const replies = [lookUp, { text: 'It is warm.' }, { text: 'It is 21 degrees.' }, { text: 'Gladly.' }];
    await withChat({ replies }, async ({ open, models }) => {
      const chat = open('regenerate');
      await chat.sendMessage({ text: 'How warm is it?' });
      await chat.regenerate();
      await waitForText(chat, 'It is 21 degrees.');
      expect(chat.messages).toHaveLength(2);
      expect(listPartTypes(getLastMessage(chat))).toEqual([...wholeStep, 'step-start', 'text']);
      await chat.sendMessage({ text: 'Thanks.' });
      await waitForText(chat, 'Gladly.');
      const sent = JSON.stringify(models.requests.at(-1)?.body.messages);
      expect(sent).toContain('It is 21 degrees.');
      expect(sent).not.toContain('It is warm.');
    });
  });

  it('starts afresh after a message that was edited', async () => {
    const replies = [{ text: 'One.' }, { text: 'Two.' }, { text: 'Deux.' }, { text: 'Uno.' }];
    await withChat({ replies }, async ({ open, models }) => {
      const chat = open('edit');
      await chat.sendMessage({ text: 'First?' });
      await chat.sendMessage({ text: 'Second?' });
      const [first, , second] = chat.messages;
      await chat.sendMessage({ text: 'Second, in French?', messageId: second?.id ?? '' });
      await waitForText(chat, 'Deux.');
      const later = JSON.stringify(models.requests[2]?.body.messages);
      expect(later).toContain('One.');
      expect(later).not.toContain('Two.');
      await chat.sendMessage({ text: 'First, in Spanish?', messageId: first?.id ?? '' });
      await waitForText(chat, 'Uno.');
      expect(JSON.stringify(models.requests[3]?.body.messages)).not.toContain('One.');
      expect(chat.messages).toHaveLength(2);
    });
  });

  it('does not take another message while its chain waits', async () => {
    await withChat({ replies: [book, { text: answer }] }, async ({ open }) => {
      const chat = open('busy', { sendAutomaticallyWhen: hasDecided });
      await chat.sendMessage({ text: 'Book the train.' });
      const before = structuredClone(chat.messages);
      await chat.sendMessage({ text: 'Hello?' });
      expect(chat.error).toMatchObject({ statusCode: 409 });
      const again = open('busy', { messages: before, sendAutomaticallyWhen: hasDecided });
      await again.addToolApprovalResponse({ id: getApprovalId(again), approved: true });
      await waitForText(again, answer);
    });
  });

  it('with an id that another user or tenant has is another conversation', async () => {
    await withChat(
      { replies: [{ text: 'For Ana.' }, { text: 'For Eve.' }, { text: 'For Ana elsewhere.' }] },
      async ({ open }) => {
        const chats = ['ana@acme', 'eve@acme', 'ana@other'].map((caller) => open('shared', { caller }));
        for (const chat of chats) await chat.sendMessage({ text: 'For whom?' });
        expect(chats.map(getText)).toEqual(['For Ana.', 'For Eve.', 'For Ana elsewhere.']);
        const [ana, eve] = chats;
        // Names a chain of another user in its own chat.
        const stolen = open('shared', { caller: 'eve@acme', messages: structuredClone(ana?.messages ?? []) });
        await stolen.sendMessage();
        expect(stolen.error).toMatchObject({ statusCode: 400 });
        expect(getLastMessage(eve ?? stolen).id).not.toBe(getLastMessage(ana ?? stolen).id);
      },
    );
  });
});
