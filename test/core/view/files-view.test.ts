/** L8: the names of files are masked like text, and nobody sees a file whose task or result is hidden. */

import { expect, it } from 'vitest';
import { listFiles } from '../../../src/client/read/read-file.js';
import { formatHeadLines } from '../../../src/core/view/print/head-lines.js';
import { formatMarkdownReport } from '../../../src/core/view/print/report.js';
import { view } from '../../../src/core/view/view.js';
import { viewPrompt } from '../../../src/core/view/view-prompt.js';
import type { Prompt } from '../../../src/entries/client.js';
import type { Reasoning, VisibilityConfig } from '../../../src/entries/view.js';
import { createViewer } from '../../../src/entries/view.js';
import type { StoredFile, ToolView } from '../../../src/index.js';
import { call, reasoningWith, result, thought } from '../../support/some-reasoning.js';

const digest = `sha256:${'1'.repeat(64)}`;
const fileOf = (name: string): StoredFile => ({ name, mediaType: 'image/png', bytes: 9, digest });
const ofTask = fileOf('for ada@example.com, May.png');
const ofResult = fileOf('of bob@example.com, May.png');

function reasoningOf(tool: ToolView = {}): Reasoning {
  const found = result('1.1', 'shoot', 'Done.', { files: [ofResult], artifacts: [ofResult] });
  const steps = [thought(1, 'I look.'), call('1.1', 'shoot', {}), found];
  return reasoningWith(steps, { tools: { shoot: tool }, files: [ofTask] });
}

const see = (role: string, config: VisibilityConfig = {}, tool: ToolView = {}) =>
  view(reasoningOf(tool), createViewer(role), config);
const names = (...given: Parameters<typeof see>) => listFiles(see(...given)).map(({ file }) => file.name);

it('an auditor sees the names of files, a developer masked ones', () => {
  expect(names('auditor')).toEqual([ofTask.name, ofResult.name, ofResult.name]);
  const masked = names('developer');
  expect(masked).toHaveLength(3);
  expect(masked.join()).not.toContain('example.com');
});

it('files of a result are visible only where the result is visible in full', () => {
  expect(names('end_user', {}, { level: 'summary' })).toEqual([expect.stringContaining('for ')]);
  expect(names('end_user', {}, { level: 'hidden' })).toHaveLength(1);
  expect(JSON.stringify(see('end_user', {}, { level: 'hidden' }))).not.toContain('bob');
});

it("files of a task are hidden with the task: from another tenant's viewer", () => {
  const foreign = { ...reasoningOf(), tenant: 'acme' };
  const seen = view(foreign, createViewer('end_user', { tenant: 'other' }), {});
  expect(seen.task).toBe('');
  expect(seen).not.toHaveProperty('files');
});

it('every reader has a line for a file of the task', () => {
  const chain = see('auditor');
  const line = 'for ada@example.com, May.png (image/png, 9 bytes)';
  expect(JSON.stringify(formatHeadLines(chain, 0))).toContain(line);
  expect(formatMarkdownReport(chain)).toContain(line);
});

it('the prompt for a developer has masked names of files', () => {
  const block = { type: 'file', file: ofTask } as const;
  const toolResult = {
    type: 'tool_result',
    tool_use_id: 'use_1',
    content: 'Done.',
    files: [{ ...block, file: ofResult }],
  } as const;
  const prompt: Prompt = {
    kind: 'sent',
    chainId: 'chain-1',
    call: 'model-2',
    purpose: 'step',
    step: 2,
    provider: null,
    model: 'some-model',
    maxTokens: 1_000,
    request: {
      system: '',
      messages: [
        { role: 'user', content: [block] },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'use_1', name: 'shoot', input: {} }] },
        { role: 'user', content: [toolResult] },
      ],
      tools: [],
      toolChoice: 'auto',
      stopSequences: [],
    },
    proof: 'proven',
    digests: { sent: digest, rebuilt: digest },
    failure: null,
  };
  const seen = viewPrompt(reasoningOf(), prompt, createViewer('developer'));
  expect(JSON.stringify(seen)).not.toContain('example.com');
  expect(seen).toMatchObject({ digests: null });
  expect(viewPrompt(reasoningOf(), prompt, createViewer('auditor'))).toEqual(prompt);
});
