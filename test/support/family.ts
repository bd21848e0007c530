/**
 * A tree of chains that waits for a person: an editor delegates to a researcher, which delegates to a librarian, and to a
 * publisher, whose call needs an approval.
 */

import { defineAgent, defineTool } from 'longhand';
import type { ChainHandle } from 'longhand/client';
import { z } from 'zod';
import type { RecordedRequest } from './messages-server.js';
import type { ScriptedReply } from './scripted-reply.js';

const model = 'claude-sonnet-5-5';
const strategy = 'tools';

const publish = defineTool({
  name: 'publish',
  description: 'Publishes a text',
  inputSchema: z.object({ text: z.string(), key: z.string().meta({ sensitive: true }) }),
  effects: 'unsafe',
  approval: { reason: 'Everybody reads what is published.' },
  execute: ({ text }) => `published: ${text}`,
});

const librarian = defineAgent({ name: 'librarian', instructions: 'LIBRARIAN', model, strategy });
const researcher = defineAgent({ name: 'researcher', instructions: 'RESEARCHER', model, strategy, tools: [librarian] });
const publisher = defineAgent({ name: 'publisher', instructions: 'PUBLISHER', model, strategy, tools: [publish] });
export const editor = defineAgent({
  name: 'editor',
  instructions: 'EDITOR',
  model,
  strategy,
  tools: [researcher, publisher],
  maxObservationTokens: 300,
});

const repliesByAgent: Readonly<Record<string, readonly [ScriptedReply, ScriptedReply]>> = {
  EDITOR: [
    {
      text: 'I have it researched and published.',
      calls: [
        { name: 'researcher', input: { task: 'Where does tea come from?' } },
        { name: 'publisher', input: { task: 'Publish what tea is' } },
      ],
    },
    { text: 'Researched and published.' },
  ],
  RESEARCHER: [
    { text: 'I ask the librarian.', calls: [{ name: 'librarian', input: { task: 'Find a book on tea' } }] },
    { text: `Tea comes from China. ${'It is old. '.repeat(200)}` },
  ],
  LIBRARIAN: [{ text: 'The Book of Tea.' }, { text: 'The Book of Tea.' }],
  PUBLISHER: [
    { text: 'I publish.', calls: [{ name: 'publish', input: { text: 'Tea is a drink.', key: 'hunter2hunter2' } }] },
    { text: 'It is out.' },
  ],
};

/** Returns the reply of an agent: its first, or its second once it has seen a result. */
export function replyAsFamily({ body }: RecordedRequest): ScriptedReply {
  const system = JSON.stringify(body.system ?? '');
  const [name = 'EDITOR'] = Object.keys(repliesByAgent).filter((each) => system.includes(each));
  const [first, then] = repliesByAgent[name] as readonly [ScriptedReply, ScriptedReply];
  return JSON.stringify(body.messages.at(-1)).includes('tool_result') ? then : first;
}

/** Resolves when all chains have ended except the publisher, which waits for a person. */
export async function waitForPublisher(editors: ChainHandle, publishers: ChainHandle): Promise<void> {
  for (;;) {
    const [chain, requests] = [await editors.read(), await publishers.listRequests().catch(() => [])];
    const ended = chain.steps[0]?.calls[0]?.chains?.[0]?.end ?? null;
    if (ended !== null && requests.length > 0) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
