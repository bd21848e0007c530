/** Rehearsed: the task of examples/researcher.ts. It hands over what the two best notes say, in their words. */

import { isObject } from '../../../core/lib/json.js';
import { dataOf, type Play, type Seen } from './play.js';

/** Notes that are read. */
const wanted = 2;

export const notes: Play = {
  task: "What happens when a workflow's history grows too long, and what can be done about it?",
  next: ([search, ...read]) => {
    if (search === undefined) {
      return {
        thought: 'I look for notes about the length of a history.',
        call: { tool: 'search_notes', input: { words: ['history', 'grow', 'events', 'fresh'] } },
      };
    }
    const names = namesIn(search).slice(0, wanted);
    const next = names[read.length];
    if (next !== undefined) {
      return { thought: `I read ${next}.`, call: { tool: 'read_note', input: { name: next } } };
    }
    if (names.length === 0) return { thought: 'No note fits.', answer: 'The notes say nothing about this.' };
    return {
      thought: 'The notes answer both halves of the question.',
      answer: { answer: read.map(bodyOf).join(' '), sources: names },
    };
  },
};

function namesIn(search: Seen): readonly string[] {
  const found = dataOf(search);
  const rows = Array.isArray(found) ? found.filter(isObject) : [];
  return rows.flatMap(({ name }) => (typeof name === 'string' ? name : []));
}

/** Without its title. */
function bodyOf({ text }: Seen): string {
  return text
    .replace(/^#.*\n/, '')
    .replace(/\s+/g, ' ')
    .trim();
}
