/** An agent whose calls need decisions. Its tools record their effects, so that a test can count them. */

import { z } from 'zod';
import { type AskUserOptions, askUser } from '../../src/entries/tools.js';
import { type Agent, type Approval, defineAgent, defineTool, type Json } from '../../src/index.js';
import type { MessagesServer } from './messages-server.js';
import type { CompleteReply } from './scripted-reply.js';

export interface Paying {
  readonly agent: Agent;
  /** One entry per payment: `Ada 5`. */
  readonly payments: readonly string[];
  /** Makes `look` return; it runs until then. */
  readonly finishLook: () => void;
}

type Definition = Parameters<typeof defineAgent>[0];

export interface PayingOptions {
  /** The approval of payments. Default: one approval by any person. */
  readonly approval?: Approval;
  readonly question?: AskUserOptions;
  /** Called after a payment was recorded; may throw. */
  readonly pay?: (whom: string) => unknown;
  readonly definition?: Partial<Definition>;
}

/** `pay` is unsafe, `look` is a read that runs until `finishLook` or until its signal is aborted. */
export function createPayingAgent({ approval, question, pay = () => {}, definition }: PayingOptions = {}): Paying {
  const paid: string[] = [];
  let found = () => {};
  const until = new Promise<void>((resolve) => {
    found = resolve;
  });
  const payTool = defineTool({
    name: 'pay',
    description: 'Pays somebody',
    inputSchema: z.object({ whom: z.string(), sum: z.number() }),
    effects: 'unsafe',
    ...(approval === undefined ? {} : { approval }),
    execute: async ({ whom, sum }) => {
      paid.push(`${whom} ${sum}`);
      await pay(whom);
      return `${whom} has ${sum}`;
    },
  });
  const look = defineTool({
    name: 'look',
    description: 'Looks something up',
    inputSchema: z.object({ what: z.string() }),
    effects: 'read',
    execute: async ({ what }, { signal }) => {
      const stopped = new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      });
      await Promise.race([until, stopped]);
      return `${what}: seen`;
    },
  });
  const agent = defineAgent({
    name: 'payer',
    model: 'claude-sonnet-5-5',
    strategy: 'tools',
    tools: [payTool, look, askUser(question)],
    ...definition,
  });
  return { agent, payments: paid, finishLook: () => found() };
}

type WireCall = { readonly name: string; readonly input: Json };

export function pay(whom: string, sum = 5): WireCall {
  return { name: 'pay', input: { whom, sum } };
}

export const look: WireCall = { name: 'look', input: { what: 'rates' } };

export function ask(question: string): WireCall {
  return { name: 'ask_user', input: { question } };
}

export function calls(...wanted: readonly WireCall[]): CompleteReply {
  return { text: 'I act.', calls: wanted };
}

export const done: CompleteReply = { text: 'All done.' };

/** Returns the last message of the latest request to the model. */
export function getLastMessage({ requests }: MessagesServer): string {
  const { content } = requests.at(-1)?.body.messages.at(-1) ?? {};
  return typeof content === 'string' ? content : (content ?? []).map(toText).join('\n');
}

function toText(block: { readonly [member: string]: unknown }): string {
  const content = block.text ?? block.content;
  return typeof content === 'string' ? content : JSON.stringify(content ?? '');
}
