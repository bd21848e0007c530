/**
 * An autonomous agent: it calls tools until it calls the finish tool. The output schema defines the result in that call,
 * here an answer and its sources.
 *
 * npx longhand run researcher "What happens when a workflow's history grows too long, and what can be done about it?" --module examples/researcher.ts
 */

import { readdir, readFile } from 'node:fs/promises';
import { defineAgent, defineTool, ToolError } from 'longhand';
import { z } from 'zod';

const folder = new URL('./data/notes/', import.meta.url);

async function listNoteNames(): Promise<readonly string[]> {
  const files = await readdir(folder);
  return files.filter((file) => file.endsWith('.md')).sort();
}

/** Compares the name with the existing files: a name that a model wrote never becomes a path. */
async function readNoteFile(name: string): Promise<string> {
  const names = await listNoteNames();
  if (!names.includes(name)) throw new ToolError(`There is no note ${name}. There is: ${names.join(', ')}.`);
  return readFile(new URL(name, folder), 'utf8');
}

export const searchNotes = defineTool({
  name: 'search_notes',
  description: 'Finds notes that contain any of the words; notes with most of them first.',
  inputSchema: z.object({ words: z.array(z.string().min(3)).min(1).describe('Single words, in any case') }),
  returns: 'for each note its name, its title and the number of words that it contains',
  effects: 'read',
  execute: async ({ words }) => {
    const notes = await Promise.all(
      (await listNoteNames()).map(async (name) => ({ name, text: await readFile(new URL(name, folder), 'utf8') })),
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
  inputSchema: z.object({ name: z.string().describe('A name from search_notes') }),
  returns: 'the text of the note, in Markdown',
  effects: 'read',
  execute: ({ name }) => readNoteFile(name),
});

export const researcher = defineAgent({
  name: 'researcher',
  instructions: 'You answer questions from a small collection of notes. Use no other knowledge.',
  model: process.env.LONGHAND_MODEL ?? 'claude-sonnet-5-5',
  strategy: 'autonomous',
  outputSchema: z.object({
    answer: z.string().describe('A few sentences'),
    sources: z.array(z.string()).min(1).describe('Names of the notes that support the answer'),
  }),
  tools: [searchNotes, readNote],
});
