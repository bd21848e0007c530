/**
 * A chain that went on in later runs, as it was once stored: each run's history, what the chain came to, and its export. What
 * a run carries to the next is a promise to chains that are between two of them while workers are replaced.
 */

import { readFileSync } from 'node:fs';
import { defineAgent } from '../../src/agents/define-agent.js';
import type { HistoryEvent } from '../../src/history/event.js';
import { historyFromJson } from '../../src/history/history-json.js';
import { defineTool } from '../../src/tools/define/define-tool.js';
import type { ScriptedReply } from '../support/scripted-reply.js';
import { echo, text } from './scenarios.js';
import type { Expected } from './stored.js';

export const continued = new URL('./continued-v1/', import.meta.url);

/** In a new run after each second step. */
export const continueAfter = { steps: 2 };

const pay = defineTool({
  name: 'pay',
  description: 'Pays, once it may',
  input: text,
  effects: 'unsafe',
  run: ({ text }) => `paid ${text}`,
});

/** The payment waits for a person, at the beginning of a run. */
export const traveller = defineAgent({
  name: 'traveller',
  model: 'claude-sonnet-5-5',
  strategy: 'tools',
  tools: [echo, pay],
});

const calls = (name: string, text: string): ScriptedReply => ({
  text: `Now ${name} ${text}.`,
  calls: [{ name, input: { text } }],
});
export const replies: readonly ScriptedReply[] = [
  calls('echo', 'one'),
  calls('echo', 'two'),
  calls('pay', 'three'),
  calls('echo', 'four'),
  { text: 'All four.' },
];

/** The events of its runs, the first one first. */
export function storedRuns(): readonly (readonly HistoryEvent[])[] {
  return [1, 2, 3].map((run) => historyFromJson(readFileSync(new URL(`run-${run}.history.json`, continued), 'utf8')));
}

export function storedExpected(): Expected {
  return JSON.parse(readFileSync(new URL('expected.json', continued), 'utf8')) as Expected;
}
