/** Small tools for agents on a real server: reads whose result depends only on their arguments. */

import { defineTool } from 'longhand';
import { z } from 'zod';
import type { CompleteReply } from './scripted-reply.js';

export const look = defineTool({
  name: 'look',
  description: 'Looks at a place',
  inputSchema: z.object({ place: z.union([z.string(), z.number()]) }),
  effects: 'pure',
  execute: ({ place }) => `something at ${place}`,
});

export const echo = defineTool({
  name: 'echo',
  description: 'Returns its text',
  inputSchema: z.object({ text: z.string() }),
  effects: 'pure',
  execute: ({ text }) => text,
});

export const note = defineTool({
  name: 'note',
  description: 'Notes a text',
  inputSchema: z.object({ text: z.string() }),
  effects: 'read',
  execute: ({ text }) => `noted: ${text}`,
});

/** Returns a reply that calls `look` for one place. */
export function replyWithLook(place: string | number): CompleteReply {
  return { text: `I look at ${place}.`, calls: [{ name: 'look', input: { place } }] };
}

/** Returns a reply that calls `echo` for each text. */
export function replyWithEcho(...texts: readonly string[]): CompleteReply {
  return { text: `I call ${texts.join(' and ')}.`, calls: texts.map((text) => ({ name: 'echo', input: { text } })) };
}
