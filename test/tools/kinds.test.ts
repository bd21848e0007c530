/** The kinds of Longhand's own tools, which visibility rules and progress lines name. */

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  askUser,
  calculator,
  codeTools,
  consensusTool,
  csvQuery,
  fileTools,
  jsonQuery,
  llmTool,
  now,
  readMore,
  recall,
  remember,
  sqlQuery,
  wait,
} from '../../src/entries/tools.js';
import type { SeenTool } from '../../src/entries/view.js';
import { allPreferencesOn, createViewer, view } from '../../src/entries/view.js';
import type { Json } from '../../src/index.js';
import { defineAgent, delegate, explore, mapAgent } from '../../src/index.js';
import { callOf } from '../support/call-tool.js';
import { call, reasoningWith, result } from '../support/some-reasoning.js';

const root = mkdtempSync(join(tmpdir(), 'longhand-kinds-'));
const helper = defineAgent({ name: 'helper', model: 'some-model', limits: { costUsd: 1 } });
const builtIn = [
  ...fileTools({ root }),
  ...codeTools({ root, tests: 'npm test --' }),
  askUser(),
  llmTool({ models: ['some-model'] }),
  consensusTool({ models: ['some-model', 'other-model'], rule: 'majority' }),
  delegate(helper),
  mapAgent(helper, { name: 'helpers' }),
  explore({ name: 'branches' }),
  wait(),
  sqlQuery({ file: 'shop.db' }),
  remember(),
  recall(),
  readMore(),
  ...[calculator(), now(), csvQuery({ root }), jsonQuery()],
];
const views: { readonly [tool: string]: SeenTool } = Object.fromEntries(
  builtIn.map(({ name, snapshot: { kind, view: shown } }) => [name, { kind, ...shown }]),
);

it('every built-in tool has its kind, and the kind of delegating tools is sub_agent', () => {
  expect(Object.fromEntries(Object.entries(views).map(([tool, { kind }]) => [tool, kind]))).toEqual({
    list_files: 'file_system',
    read_file: 'file_system',
    search_text: 'file_system',
    file_write: 'file_system',
    file_edit: 'file_system',
    shell_exec: 'shell',
    run_tests: 'shell',
    git_status: 'git',
    git_diff: 'git',
    git_commit: 'git',
    git_push: 'git',
    ask_user: 'question',
    llm: 'llm',
    consensus: 'llm',
    helper: 'sub_agent',
    helpers: 'sub_agent',
    branches: 'sub_agent',
    wait: 'wait',
    sql_query: 'database',
    remember: 'memory',
    recall: 'memory',
    read_more: 'memory',
    calculator: 'custom',
    now: 'custom',
    csv_query: 'file_system',
    json_query: 'custom',
  });
});

it('a file step shows path and size, and does not count as an external source', async () => {
  writeFileSync(join(root, 'config.json'), '{"a":1}\n');
  const tools = callOf(() => builtIn);
  const read = (await tools.call('read_file', { path: 'config.json' })) as Json;
  const written = (await tools.call('file_write', { path: 'new/notes.txt', content: 'Grüße\n' })) as Json;
  const steps = [
    ...[call('1.1', 'read_file', { path: 'config.json' }), result('1.1', 'read_file', read)],
    ...[call('1.2', 'file_write', { path: 'new/notes.txt' }), result('1.2', 'file_write', written)],
  ].map((step) => ({ ...step, toolKind: 'file_system' }));
  const chain = reasoningWith(steps, { tools: views });
  const preferences = { ...allPreferencesOn, externalCalls: false };
  const seen = view(chain, createViewer('end_user', { preferences }));
  const lines = seen.steps.flatMap((step) =>
    step.level === 'summary' && step.kind === 'tool_result' ? step.summary : [],
  );
  expect(lines).toEqual(['Read config.json (8 bytes)', 'Wrote new/notes.txt (8 bytes)']);
  expect(seen.progress).toEqual(['Made 2 file operations']);
});
