/** Which play a request belongs to, and what is said when it belongs to none or has gone wrong. */

import { longestFiles } from './longest-files.js';
import { notes } from './notes.js';
import type { Move, Play } from './play.js';
import type { RehearsedRequest } from './read-request.js';
import { recovery } from './recovery.js';
import { topProducts } from './top-products.js';
import { weather } from './weather.js';

export const plays: readonly Play[] = [longestFiles, weather, topProducts, recovery, notes];

const whichVariables =
  'To have a real model, set ANTHROPIC_API_KEY, or LONGHAND_MODEL_URL to any server of the Messages API; LONGHAND_MODEL names the model.';

export function nextMove({ task, seen, closing }: RehearsedRequest): Move {
  const play = plays.find((each) => plain(each.task) === plain(task));
  if (play === undefined) return unknownTask;
  const last = seen.at(-1);
  if (closing) {
    const found = last === undefined ? 'nothing yet' : `this: ${last.text}`;
    return {
      thought: 'I have to stop here.',
      answer: `I am a rehearsed model and was stopped early. I found ${found}`,
    };
  }
  if (last?.failed && !play.recovers) {
    return {
      thought: 'That was not rehearsed.',
      stuck: `I am a rehearsed model and cannot go on from a call that failed. It said: ${last.text}\n\n${whichVariables}`,
    };
  }
  return play.next(seen);
}

const unknownTask: Move = {
  thought: 'This task is none of those that I have rehearsed.',
  stuck: `I am a rehearsed model: I only know the tasks of the demo and of the examples, and cannot think about yours. ${whichVariables}

Here I can be asked: ${longestFiles.task}`,
};

/** People write the same task with other blanks, case or punctuation. */
function plain(task: string): string {
  return task
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}
