/** The recorded model: it states what was observed, and nothing else. */

import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { createReply as replyIn, startPlayer } from '../../../src/cli/demo/player.js';
import { demoTask, extractSummary, findNextReply, readTranscripts } from '../../../src/cli/demo/transcript.js';
import { toValueText } from '../../../src/core/lib/json.js';
import type { Json, JsonObject } from '../../../src/index.js';
import { callAt } from '../../models/call.js';

const transcripts = readTranscripts();
const replyTo = (body: JsonObject, bytes: number) => replyIn(transcripts, body, bytes);

/** The request of a `react` agent with these observations. */
function createRequest(task: string, observations: readonly Json[] = [], last = ''): JsonObject {
  const turns = observations.flatMap((observation) => [
    { role: 'assistant', content: [{ type: 'text', text: 'Thought: …' }] },
    { role: 'user', content: [{ type: 'text', text: `Observation: ${toValueText(observation)}` }] },
  ]);
  const more = last === '' ? [] : [{ type: 'text', text: last }];
  const notes = { type: 'text', text: 'Scratchpad (your notes so far):\nnone' };
  return {
    model: 'claude-sonnet-5-5',
    system: [{ type: 'text', text: 'Write in this format:\nFinal Answer: <your response>' }],
    messages: [{ role: 'user', content: [{ type: 'text', text: task }, notes, ...more] }, ...turns],
  };
}

function readReply(body: JsonObject): string {
  return replyTo(body, 100)
    .content.map((block) => (block.type === 'text' ? block.text : JSON.stringify(block)))
    .join('\n');
}

const listing = [
  { path: 'src/long.ts', lines: 301, bytes: 9_000 },
  { path: 'src/middle.ts', lines: 200, bytes: 8_000 },
  { path: 'src/short.ts', lines: 90, bytes: 7_000 },
];

test('the demo lists the longest files, reads each, and quotes the head of each', () => {
  const read = [
    '/** Does the long thing. */\nexport {};',
    '// Is in\n// the middle.\nexport {};',
    'export const short = 1;',
  ].map((text) => ({ path: 'src/x.ts', from: 1, to: 12, of: 90, text }));

  expect(readReply(createRequest(demoTask))).toMatch(
    /^Thought: .+\nAction: list_files\nAction Input: \{"extension":"ts","sort":"lines","limit":3\}$/,
  );
  expect(readReply(createRequest(demoTask, [listing]))).toMatch(
    /301 lines.*\nAction: read_file\nAction Input: \{"path":"src\/long.ts"/,
  );
  expect(readReply(createRequest(demoTask, [listing, ...read.slice(0, 2)]))).toContain('{"path":"src/short.ts"');
  const answer = readReply(createRequest(demoTask, [listing, ...read]));
  expect(answer).toContain('Final Answer:');
  expect(answer).toContain('1. src/long.ts (301 lines): "Does the long thing."');
  expect(answer).toContain('2. src/middle.ts (200 lines): "Is in the middle."');
  expect(answer).toContain('3. src/short.ts (90 lines): "export const short = 1;"');
});

test('the demo answers with fewer files if the folder has fewer', () => {
  const [first, second] = listing;
  const head = (text: string) => ({ path: 'src/x.ts', from: 1, to: 12, of: 90, text });
  const one = readReply(createRequest(demoTask, [[first ?? null], head('// Alone.')]));
  expect(one).toContain('Final Answer: There is one TypeScript file');
  expect(one).toContain('1. src/long.ts (301 lines): "Alone."');
  const two = [[first ?? null, second ?? null], head('// First.'), head('// Second.')];
  expect(readReply(createRequest(demoTask, two.slice(0, 2)))).toContain('Action Input: {"path":"src/middle.ts"');
  expect(readReply(createRequest(demoTask, two))).toContain('2. src/middle.ts (200 lines): "Second."');
});

test('the demo reports a folder without TypeScript files', () => {
  expect(readReply(createRequest(demoTask, [[]]))).toContain('Final Answer: There is no TypeScript file.');
});

test('a failed call ends the transcript with a refusal that quotes the failure', () => {
  const body = createRequest(demoTask, ['Error: There is no file src/x.ts.']);
  expect(replyTo(body, 100).stopReason).toBe('refusal');
  expect(readReply(body)).toMatch(/recorded model.*There is no file src\/x\.ts\..*ANTHROPIC_API_KEY/s);
});

test('blanks, case and punctuation of the task do not matter', () => {
  expect(readReply(createRequest(`  ${demoTask.toUpperCase().replace('?', '')}\n`))).toContain('Action: list_files');
});

test('any other task is refused with the variables that configure a real model', () => {
  expect(replyTo(createRequest('Write a poem'), 100).stopReason).toBe('refusal');
  const text = readReply(createRequest('Write a poem'));
  expect(text).toMatch(/^I am a recorded model/);
  for (const word of ['ANTHROPIC_API_KEY', 'LONGHAND_MODEL_URL', 'and LONGHAND_MODEL.', demoTask]) {
    expect(text).toContain(word);
  }
});

test('an observation that no recorded reply fits ends it with a refusal', () => {
  const body = createRequest(find('top 3 products').task, ['no rows at all']);
  expect(replyTo(body, 100).stopReason).toBe('refusal');
  expect(readReply(body)).toMatch(/no reply to this observation: no rows at all.*ANTHROPIC_API_KEY/s);
});

test('equal conversations get equal replies, in any number and order', () => {
  const bodies = [createRequest(demoTask, [listing]), createRequest(demoTask), createRequest(find('weather').task)];
  const once = bodies.map((body) => replyTo(body, 100));
  const again = bodies.toReversed().map((body) => replyTo(body, 100));
  expect(again.toReversed()).toEqual(once);
});

test('a transcript has a reply for every number of observations, and each reply is a call or an answer', () => {
  for (const { task, replies } of transcripts) {
    const after = [...new Set(replies.map((reply) => reply.after))];
    expect(after, task).toEqual(after.map((_, at) => at));
    for (const { call, answer } of replies) expect(call === undefined, task).toBe(answer !== undefined);
  }
  expect(transcripts[0]?.task).toBe(demoTask);
});

test('a placeholder finds no inherited member', () => {
  const replies = [{ after: 1, thought: '{1.constructor}', answer: '' }];
  expect(findNextReply({ task: '', replies }, [{ failed: false, text: '{}' }])).toBeNull();
});

test('at a limit it summarizes its observations', () => {
  const body = createRequest(
    'Get data from nonexistent_api',
    [],
    'Max steps (1) reached. You cannot continue. Summarize in a few sentences',
  );
  expect(readReply(body)).toContain('Found so far: nothing');
});

test('compares the recorded weather, and reports other weather without a comparison', () => {
  const { task } = find('weather');
  const reports = [
    { city: 'San Francisco', celsius: 18, conditions: 'snow' },
    { city: 'Paris', celsius: 12, conditions: 'sun' },
  ];
  expect(readReply(createRequest(task))).toContain('{"city":"San Francisco"}');
  expect(readReply(createRequest(task, reports.slice(0, 1)))).toContain('{"city":"Paris"}');
  expect(readReply(createRequest(task, reports))).toContain(
    '18 °C, snow; Paris: 12 °C, sun. San Francisco is 6 °C warmer than Paris.',
  );
  const colder = reports.map((report) => ({ ...report, celsius: report.celsius - 20 }));
  expect(readReply(createRequest(task, colder))).toMatch(/San Francisco: -2 °C, snow; Paris: -8 °C, sun\.$/);
});

test('lists the products of the observation', () => {
  const { task } = find('top 3 products');
  const rows = [
    { product: 'Kettle', revenue: 1_234_567 },
    { product: 'Cup', revenue: 12 },
    { product: 'Spoon', revenue: 3 },
  ];
  expect(readReply(createRequest(task))).toContain('Action: query_sales');
  expect(readReply(createRequest(task, [{ rows }]))).toContain('1. Kettle: $1,234,567\n2. Cup: $12\n3. Spoon: $3');
});

test('recovers from a tool that does not exist', () => {
  const { task } = find('nonexistent_api');
  const refused = 'Error: There is no tool named nonexistent_api. You have: list_datasets.';
  expect(readReply(createRequest(task))).toContain('Action: nonexistent_api');
  expect(readReply(createRequest(task, [refused]))).toContain('Action: list_datasets');
  expect(readReply(createRequest(task, [refused, ['tides', 'trains']]))).toMatch(/Final Answer: .*tides, trains/);
});

test('calls native tools one at a time with distinct ids, then the finish tool', () => {
  const { task } = find('history grows');
  const results = ['[{"name":"a.md"},{"name":"b.md"},{"name":"c.md"}]', '# A\n\nOne.', '# B\n\nTwo.'];
  const body = (count: number): JsonObject => ({
    tools: ['search_notes', 'read_note', 'finish'].map((name) => ({ name, input_schema: { type: 'object' } })),
    messages: [
      { role: 'user', content: task },
      ...results.slice(0, count).map((content) => ({
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 'x', content }],
      })),
    ],
  });
  const replies = [0, 1, 2, 3].map((count) => replyTo(body(count), 100));
  const uses = replies.flatMap(({ content }) => content.filter((block) => block.type === 'tool_use'));
  expect(uses.map(({ name }) => name)).toEqual(['search_notes', 'read_note', 'read_note', 'finish']);
  expect(new Set(uses.map(({ id }) => id)).size).toBe(4);
  expect(replies.every(({ stopReason }) => stopReason === 'tool_use')).toBe(true);
  expect(uses.at(-1)?.input).toEqual({ result: { answer: 'One. Two.', sources: ['a.md', 'b.md'] } });
});

/** Except examples that need a repository, and the desk: it has a cost limit, but the recorded model has no price. */
test('knows the task of every example that needs only its task', async () => {
  const readme = await readFile(new URL('../../../examples/README.md', import.meta.url), 'utf8');
  const tasks = [...readme.matchAll(/^npx longhand run (?!research_desk)\w+ "([^"]+)"/gm)].map(([, task]) => task);
  expect(tasks.toSorted()).toEqual(transcripts.map(({ task }) => task).toSorted());
});

test.each([
  ['/** One line. */\ncode', 'One line.'],
  ['/**\n * Two\n * lines.\n *\n * And more.\n */', 'Two lines.'],
  ['#!/usr/bin/env node\n\n/* Plain. */', 'Plain.'],
  ['/**\n * Cut off where the reading', 'Cut off where the reading'],
  ['// In\n// lines.\n//\n// And more.\ncode', 'In lines.'],
  ['export const code = 1;\nmore', 'export const code = 1;'],
  ['# A heading\n\nIts\nparagraph.\n\nAnother.', 'Its paragraph.'],
])('extracts the summary of %j', (source, text) => {
  expect(extractSummary(source)).toBe(text);
});

test('streams over HTTP', async () => {
  const player = await startPlayer({ delayMs: 0 });
  try {
    const pieces: string[] = [];
    const result = await callAt(player.url, { options: { onText: (piece) => pieces.push(piece) } });
    expect(result).toMatchObject({ ok: true, reply: { model: 'rehearsed', stopReason: 'refusal' } });
    expect(pieces.length).toBeGreaterThan(3);
    expect(pieces.join('')).toContain('LONGHAND_MODEL_URL');
  } finally {
    await player.close();
  }
});

function find(part: string) {
  const transcript = transcripts.find(({ task }) => task.includes(part));
  if (transcript === undefined) throw new Error(`No transcript has "${part}" in its task.`);
  return transcript;
}
