/**
 * Agents that delegate: a desk divides a question, a reader answers each part at the same time, and a checker checks each
 * claim. Each of them is a chain of its own. The limits of the desk apply to all of them together.
 *
 * npx longhand run research_desk "What limits a workflow's history, and what can be done about it?" --module examples/research.ts
 */

import { defineAgent, delegate, mapAgent } from 'longhand';
import { z } from 'zod';
import { readNote, searchNotes } from './researcher.js';

const model = process.env.LONGHAND_MODEL ?? 'claude-sonnet-5-5';

export const noteReader = defineAgent({
  name: 'note_reader',
  description: 'Answers one question from the notes, and names its sources.',
  instructions:
    'You answer from the notes alone. Search, read the notes that match, and answer in two sentences with your sources.',
  model,
  strategy: 'tools',
  tools: [searchNotes, readNote],
  limits: { steps: 6 },
});

export const checker = defineAgent({
  name: 'checker',
  description: 'Checks whether the notes support a claim.',
  instructions: 'You check one claim against the notes. Answer "supported" or "not supported", and name the note.',
  model,
  strategy: 'tools',
  tools: [searchNotes, readNote],
  limits: { steps: 4 },
});

export const researchDesk = defineAgent({
  name: 'research_desk',
  instructions:
    'Divide the question into two or three parts. Call look_into for each of them, all in one reply. Then check all claims of your answer with one call of check_claims. Leave out claims that are not supported.',
  model,
  strategy: 'tools',
  tools: [
    delegate(noteReader, {
      name: 'look_into',
      inputSchema: z.object({ part: z.string().describe('One part of the question, in full'), why: z.string() }),
      task: '{part}\n\n(Reason for the question: {why})',
      sees: 'summary',
      timeout: '3m',
      retry: { attempts: 2 },
    }),
    mapAgent(checker, { name: 'check_claims', concurrency: 3, maxTasks: 10 }),
  ],
  limits: { costUsd: 1, chains: 20, depth: 1 },
});
