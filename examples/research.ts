/**
 * A desk of agents: one that divides a question, readers who each look into one part of it at the same time, and a
 * checker who is asked about every claim. Each is a chain of its own; the limits of the desk hold for all of them together.
 *
 * npx longhand run research_desk "What limits a workflow's history, and what can be done about it?" --module examples/research.ts
 */

import { defineAgent, delegate, mapAgent } from 'longhand';
import { z } from 'zod';
import { readNote, searchNotes } from './researcher.js';

const model = process.env.LONGHAND_MODEL ?? 'claude-sonnet-5-5';

export const noteReader = defineAgent({
  name: 'note_reader',
  description: 'Looks one question up in the notes, and names the notes that it found it in.',
  instructions:
    'You answer from the notes alone. Search, read what fits, and answer in two sentences with your sources.',
  model,
  strategy: 'tools',
  tools: [searchNotes, readNote],
  limits: { steps: 6 },
});

export const checker = defineAgent({
  name: 'checker',
  description: 'Says whether a claim stands in the notes.',
  instructions: 'You check one claim against the notes. Say "stands" or "does not stand", and where it is written.',
  model,
  strategy: 'tools',
  tools: [searchNotes, readNote],
  limits: { steps: 4 },
});

export const researchDesk = defineAgent({
  name: 'research_desk',
  instructions:
    'Divide the question into two or three parts, and give each to look_into in one reply, so that they are looked into at once. Then have the claims of your answer checked, all in one call. Leave out what does not stand.',
  model,
  strategy: 'tools',
  tools: [
    delegate(noteReader, {
      name: 'look_into',
      inputSchema: z.object({ part: z.string().describe('One part of the question, in full'), why: z.string() }),
      task: '{part}\n\n(It is asked because: {why})',
      sees: 'summary',
      timeout: '3m',
      retry: { attempts: 2 },
    }),
    mapAgent(checker, { name: 'check_claims', concurrency: 3, maxTasks: 10 }),
  ],
  limits: { costUsd: 1, chains: 20, depth: 1 },
});
