/** Agents for chats: their calls run at once, need an approval, or ask the user. */

import { z } from 'zod';
import { askUser } from '../../src/entries/tools.js';
import { defineAgent, defineTool } from '../../src/index.js';
import type { ScriptedReply } from './scripted-reply.js';

export const weather = defineTool({
  name: 'weather',
  description: 'Returns the weather of a place',
  inputSchema: z.object({ place: z.string() }),
  effects: 'read',
  execute: ({ place }) => ({ place, celsius: 21 }),
});

export const booking = defineTool({
  name: 'book',
  description: 'Books a train',
  inputSchema: z.object({ train: z.string() }),
  effects: 'unsafe',
  approval: { reason: 'A ticket costs money.' },
  execute: ({ train }) => `Booked ${train}.`,
});

export const traveller = defineAgent({
  name: 'traveller',
  model: 'claude-sonnet-5-5',
  strategy: 'tools',
  tools: [weather, booking, askUser()],
});

/** A reply that looks at the weather. */
export const lookUp: ScriptedReply = {
  text: 'I look up the weather first.',
  calls: [{ name: 'weather', input: { place: 'Paris' } }],
};

/** A reply whose call needs an approval. */
export const book: ScriptedReply = {
  text: 'Now I book the train.',
  calls: [{ name: 'book', input: { train: 'TGV 6123' } }],
};

export const ask: ScriptedReply = {
  text: 'I need to know the day.',
  calls: [{ name: 'ask_user', input: { question: 'Which day?', options: ['Friday', 'Saturday'] } }],
};

/** A text of several words: short ones are not streamed before they are complete. */
export const answer =
  'Your train TGV 6123 to Paris is booked, and it will be 21 degrees and sunny there, so pack light clothes.';
