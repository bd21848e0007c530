/** Every example with the recorded model: its tools are real, and its answers contain their results. */

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { improviser } from '../../examples/recovery.js';
import { repositoryReader } from '../../examples/repository-reader.js';
import { researcher } from '../../examples/researcher.js';
import { analyst } from '../../examples/top-products.js';
import { meteorologist } from '../../examples/weather.js';
import { rehearsedModel, startPlayer } from '../../src/cli/demo/player.js';
import { demoTask, readTranscripts } from '../../src/cli/demo/transcript.js';
import { anthropicProvider } from '../../src/entries/models.js';
import type { Agent } from '../../src/index.js';
import { withWorker } from '../support/chain-test.js';

test.each([
  [meteorologist, 'weather in', 'San Francisco is 6 °C warmer than Paris.'],
  [analyst, 'top 3', '1. Widget Pro: $94,250\n2. Gadget Plus: $77,940\n3. Tool Master: $68,040'],
  [improviser, 'nonexistent_api', 'exchange_rates, office_hours'],
  [researcher, 'history grows', '"sources":["history-limits.md","continue-as-new.md"]'],
])('$name answers with the results of its tools', async (agent, part, found) => {
  const task = readTranscripts().find((each) => each.task.includes(part))?.task ?? '';
  const result = await rehearse(agent, task);
  expect(result).toMatchObject({ outcome: 'success', costUsd: null });
  const { answer } = result;
  expect(typeof answer === 'string' ? answer : JSON.stringify(answer)).toContain(found);
});

test('the demo names the longest files of this checkout', async () => {
  const longest = (await countLines()).slice(0, 3);
  const result = await rehearse(repositoryReader, demoTask);
  expect(result).toMatchObject({ outcome: 'success', steps: 5 });
  for (const { lines } of longest) expect(result.answer).toMatch(new RegExp(`\\. \\S+ \\(${lines} lines\\): ".+"`));
  expect(result.answer).toContain(longest[0]?.path);
});

test('the recorded model refuses any other task and names the variables to set', async () => {
  const reasons: string[] = [];
  const result = await rehearse(repositoryReader, 'What is this repository for?', (reason) => reasons.push(reason));
  expect(result).toMatchObject({ outcome: 'refused', answer: null });
  expect(reasons).toEqual([expect.stringMatching(/recorded model.*ANTHROPIC_API_KEY/s)]);
});

async function rehearse(agent: Agent, task: string, onStuck: (reason: string) => void = () => {}) {
  const player = await startPlayer({ delayMs: 1, onStuck });
  const provider = anthropicProvider({ baseURL: player.url });
  try {
    return await withWorker({ agents: [agent], worker: { providers: [provider] } }, async ({ longhand }) =>
      (await longhand.start(agent, task, { model: rehearsedModel })).result(),
    );
  } finally {
    await player.close();
  }
}

/** Counts the lines of the files without the tool under test. The longest file is first. */
async function countLines() {
  const folders = (await readdir('.')).filter((name) => !['node_modules', '.git', 'dist'].includes(name));
  const found = await Promise.all(
    folders.map(async (folder) => {
      const names = await readdir(folder, { recursive: true }).catch(() => []);
      return names.map((name) => join(folder, name));
    }),
  );
  const paths = ['vitest.config.ts', ...found.flat().filter((path) => path.endsWith('.ts'))];
  const counted = await Promise.all(
    paths.map(async (path) => ({ path, lines: (await readFile(path, 'utf8')).split('\n').length - 1 })),
  );
  return counted.toSorted((one, other) => other.lines - one.lines);
}
