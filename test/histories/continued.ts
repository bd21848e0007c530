/**
 * A stored chain of several runs: the history of each run, the recorded result, and the export. Later versions must read
 * the state that a run carries to the next, because workers may be replaced between two runs.
 */

import { readFileSync } from 'node:fs';
import { defineAgent } from '../../src/agents/define-agent.js';
import type { HistoryEvent } from '../../src/history/event.js';
import { parseHistoryJson } from '../../src/history/history-json.js';
import { defineTool } from '../../src/tools/define/define-tool.js';
import { calls, echo, type Scenario, text, waitForRequests } from './scenarios.js';
import { type Expected, getStoredFolder } from './stored.js';

export const continued = getStoredFolder('continued');

const pay = defineTool({
  name: 'pay',
  description: 'Pays, once it may',
  inputSchema: text,
  effects: 'unsafe',
  execute: ({ text }) => `paid ${text}`,
});

/** The payment waits for a person at the beginning of a run. */
export const continuedScenario: Scenario = {
  name: 'continued',
  agent: defineAgent({ name: 'traveller', model: 'claude-sonnet-5-5', strategy: 'tools', tools: [echo, pay] }),
  continueAfter: { steps: 2 },
  replies: [
    calls(['echo', 'one']),
    calls(['echo', 'two']),
    calls(['pay', 'three']),
    calls(['echo', 'four']),
    { text: 'All four.' },
  ],
  during: async (chain) => {
    await waitForRequests(chain, '3.1');
    await chain.steer('No further than four.', { by: 'ada' });
    await chain.approve('3.1', { by: 'grace' });
  },
  result: { outcome: 'success', answer: 'All four.', steps: 5 },
  statuses: ['ok', 'ok', 'ok', 'ok'],
};

/** Returns the events of each run, the first run first. */
export function readStoredRuns(release = 'next'): readonly (readonly HistoryEvent[])[] {
  const folder = getStoredFolder('continued', release);
  return [1, 2, 3].map((run) => parseHistoryJson(readFileSync(new URL(`run-${run}.history.json`, folder), 'utf8')));
}

export function readStoredExpected(release = 'next'): Expected {
  return JSON.parse(readFileSync(new URL('expected.json', getStoredFolder('continued', release)), 'utf8')) as Expected;
}
