/** Every example with the rehearsed model: its tools are real, and so is what it answers. */

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { improviser } from '../../examples/recovery.js';
import { repositoryReader } from '../../examples/repository-reader.js';
import { researcher } from '../../examples/researcher.js';
import { analyst } from '../../examples/top-products.js';
import { meteorologist } from '../../examples/weather.js';
import type { Agent } from '../../src/agents/define-agent.js';
import { plays } from '../../src/cli/demo/rehearsal/next-move.js';
import { demoTask, rehearsedModel, startRehearsal } from '../../src/cli/demo/rehearsal/rehearsal.js';
import { anthropicProvider } from '../../src/models/anthropic.js';
import { withWorker } from '../support/chain-test.js';

test.each([
  [meteorologist, 'weather in', 'San Francisco is 6 °C warmer than Paris.'],
  [analyst, 'top 3', '1. Widget Pro: $94,250\n2. Gadget Plus: $77,940\n3. Tool Master: $68,040'],
  [improviser, 'nonexistent_api', 'exchange_rates, office_hours'],
  [researcher, 'history grows', '"sources":["history-limits.md","continue-as-new.md"]'],
])('$name answers from what its tools found', async (agent, part, found) => {
  const task = plays.find((play) => play.task.includes(part))?.task ?? '';
  const result = await rehearse(agent, task);
  expect(result).toMatchObject({ outcome: 'success', costUsd: null });
  const { answer } = result;
  expect(typeof answer === 'string' ? answer : JSON.stringify(answer)).toContain(found);
});

test('the demo names the longest files of this very checkout', async () => {
  const longest = (await linesOfSources('src')).slice(0, 3);
  const result = await rehearse(repositoryReader, demoTask);
  expect(result).toMatchObject({ outcome: 'success', steps: 5 });
  for (const { lines } of longest)
    expect(result.answer).toMatch(new RegExp(`\\. src/\\S+ \\(${lines} lines\\) says of itself: ".+"`));
  expect(result.answer).toContain(longest[0]?.path);
});

test('asked anything else, it refuses, and says which variables to set', async () => {
  const told: string[] = [];
  const result = await rehearse(repositoryReader, 'What is this repository for?', (why) => told.push(why));
  expect(result).toMatchObject({ outcome: 'refused', answer: null });
  expect(told).toEqual([expect.stringMatching(/rehearsed model.*ANTHROPIC_API_KEY/s)]);
});

async function rehearse(agent: Agent, task: string, stuck: (why: string) => void = () => {}) {
  const rehearsal = await startRehearsal({ delayMs: 1, stuck });
  const provider = anthropicProvider({ baseURL: rehearsal.url });
  try {
    return await withWorker({ agents: [agent], worker: { provider } }, async ({ longhand }) =>
      (await longhand.start(agent, task, { model: rehearsedModel })).result(),
    );
  } finally {
    await rehearsal.close();
  }
}

/** Counted here, without the tool that is being tried. The longest first. */
async function linesOfSources(directory: string) {
  const found = await readdir(directory, { recursive: true });
  const paths = found.filter((name) => name.endsWith('.ts')).map((name) => join(directory, name));
  const counted = await Promise.all(
    paths.map(async (path) => ({ path, lines: (await readFile(path, 'utf8')).split('\n').length - 1 })),
  );
  return counted.toSorted((one, other) => other.lines - one.lines);
}
