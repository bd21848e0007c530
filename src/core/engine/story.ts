/** A chain as its parent's model reads it: what was thought, done and seen, step by step. */

import { callText, shorten } from '../lib/display.js';
import type { Call, Chain } from '../model/chain.js';
import { observationText } from '../state/observation-text.js';

/** Characters of a thought and of an observation: a step is told, not repeated. */
const longest = 600;

export function storyOf(chain: Chain): string {
  return chain.steps
    .map(({ number, thought, calls, problem, answer }) => {
      const said = [
        ...(thought === null ? [] : [shorten(thought, longest)]),
        ...(answer === null ? [] : ['(Its answer.)']),
      ];
      const wrong = problem === null ? [] : ['(The reply could not be read.)'];
      return [
        `${number}. ${[...said, ...wrong].join(' ')}`.trimEnd(),
        ...calls.map((call) => callStory(chain, call)),
      ].join('\n');
    })
    .join('\n');
}

function callStory(chain: Chain, call: Call): string {
  return `   ${callText(call.tool, call.input)} → ${shorten(observationText(chain, call).replace(/\s+/g, ' '), longest)}`;
}
