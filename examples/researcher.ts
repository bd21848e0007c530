/**
 * An autonomous agent: it works with native tool use until it calls the finish tool itself. The result
 * schema says what it must then hand over, here an answer and the notes that it rests on.
 *
 * npx longhand run researcher "What happens when a workflow's history grows too long, and what can be done about it?" --module examples/researcher.ts
 */

import { readdir, readFile } from 'node:fs/promises';
import { defineAgent, defineTool, ToolError } from 'longhand';
import { z } from 'zod';

const folder = new URL('./data/notes/', import.meta.url);

async function noteNames(): Promise<readonly string[]> {
  const files = await readdir(folder);
  return files.filter((file) => file.endsWith('.md')).sort();
}

/** Looked up among the files there are: a name that a model writes is never made into a path. */
async function textOf(name: string): Promise<string> {
  const names = await noteNames();
  if (!names.includes(name)) throw new ToolError(`There is no note ${name}. There is: ${names.join(', ')}.`);
  return readFile(new URL(name, folder), 'utf8');
}

export const searchNotes = defineTool({
  name: 'search_notes',
  description: 'Finds the notes that hold any of some words, those with the most of them first.',
  inputSchema: z.object({ words: z.array(z.string().min(3)).min(1).describe('Single words, in any case') }),
  returns: 'for each note its name, its title and how many of the words it holds',
  effects: 'read',
  execute: async ({ words }) => {
    const notes = await Promise.all(
      (await noteNames()).map(async (name) => ({ name, text: await readFile(new URL(name, folder), 'utf8') })),
    );
    return notes
      .map(({ name, text }) => {
        const matches = words.filter((word) => text.toLowerCase().includes(word.toLowerCase())).length;
        return { name, title: text.split('\n', 1)[0]?.replace(/^#\s*/, '') ?? name, matches };
      })
      .filter((note) => note.matches > 0)
      .sort((one, other) => other.matches - one.matches);
  },
});

export const readNote = defineTool({
  name: 'read_note',
  description: 'Reads one note.',
  inputSchema: z.object({ name: z.string().describe('A name that search_notes gave back') }),
  returns: 'the text of the note, in Markdown',
  effects: 'read',
  execute: ({ name }) => textOf(name),
});

export const researcher = defineAgent({
  name: 'researcher',
  instructions: 'You answer questions from a small collection of notes, and from nothing else.',
  model: process.env.LONGHAND_MODEL ?? 'claude-sonnet-5-5',
  strategy: {
    name: 'autonomous',
    result: z.object({
      answer: z.string().describe('A few sentences'),
      sources: z.array(z.string()).min(1).describe('Names of the notes that the answer rests on'),
    }),
  },
  tools: [searchNotes, readNote],
});
