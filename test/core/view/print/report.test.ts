/** The Markdown report of a chain: complete, and safe against its contents. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatMarkdownReport } from '../../../../src/core/view/print/report.js';
import type { ReasoningView } from '../../../../src/core/view/reasoning-view.js';
import type { BlockRule, Json } from '../../../../src/index.js';
import { budget } from '../../../support/budget.js';
import { storedView } from '../../../support/stored-chain.js';

const hostile = fc
  .array(
    fc.constantFrom(
      '`',
      '```',
      '~~~',
      '\n',
      '# ',
      '|',
      '<img src=x>',
      '[a](b)',
      '![a](http://b)',
      '> ',
      '- ',
      ' ',
      'x',
    ),
  )
  .map((parts) => `${parts.join('')}x`);

/** The report without fences and code, as a Markdown reader removes them. */
function renderMarkdown(markdown: string): string {
  const lines: string[] = [];
  let fence: string | null = null;
  for (const line of markdown.split('\n')) {
    const marks = /^(`{3,})(?:text|json|diff)?$/.exec(line)?.[1];
    if (fence === null && marks !== undefined) fence = marks;
    else if (fence !== null && line === fence) fence = null;
    else if (fence === null) lines.push(line);
  }
  expect(fence).toBeNull();
  return lines.join('\n').replace(/(?<!`)(`+)(?!`)([\s\S]*?[^`])\1(?!`)/g, '');
}

function replaceTexts(view: ReasoningView, text: string): ReasoningView {
  const steps = view.steps.map((step) => {
    if (step.level !== 'full') return step;
    switch (step.kind) {
      case 'thinking':
        return { ...step, thought: text, problem: text };
      case 'tool_call':
        return { ...step, tool: text, input: { text, [text]: 1 } };
      case 'approval': {
        const decision = { by: text, roles: [text], reason: text, at: 1_000, input: { text } };
        return {
          ...step,
          tool: text,
          reason: text,
          roles: [text],
          decisions: [{ kind: 'approved' as const, ...decision }],
        };
      }
      case 'tool_result':
        return { ...step, tool: text, observation: text };
      case 'synthesis':
        return { ...step, conclusion: text };
      case 'notice':
        return { ...step, text };
      default:
        return step satisfies never;
    }
  });
  const words = { task: text, answer: text, partial: text, reason: text, tenant: text, user: text, progress: [text] };
  return { ...view, ...words, chainId: text, agent: text, model: text, steps };
}

describe('the report', () => {
  it('contains every step with its text and its usage', async () => {
    const view = await storedView('parallel-tools', 'auditor');
    const markdown = formatMarkdownReport(view);
    for (const step of view.steps) expect(markdown).toContain(`** ${step.id}`);
    expect(markdown).toContain('```text\ntwo, in the end\n```');
    expect(markdown).toContain('- outcome: `success`');
    expect(markdown).toMatch(/## Answer\n\n```text\nAll done\.\n```\n$/);
  });

  it('L8: contains what its viewer may see', async () => {
    const markdown = formatMarkdownReport(await storedView('parallel-tools', 'end_user'));
    expect(markdown).not.toContain('two, in the end');
    expect(markdown).toContain('All done.');
  });

  it('renders no content of a chain as Markdown', async () => {
    const view = await storedView('parallel-tools', 'auditor');
    const shape = (text: string) => renderMarkdown(formatMarkdownReport(replaceTexts(view, text)));
    const harmless = shape('x');
    fc.assert(
      fc.property(hostile, (text) => {
        // The rest is Longhand's own text, and independent of the content.
        expect(shape(text).replace(/\s+/g, ' ')).toBe(harmless.replace(/\s+/g, ' '));
      }),
      { numRuns: budget(25, 300) },
    );
  });

  it('lays out tables and diffs', async () => {
    const markdown = formatMarkdownReport(await addBlocks([{ n: 1, note: 'a|b' }, { n: 20 }], 'old\n'));
    expect(markdown).toContain('| `n` | `note` |\n| ---: | --- |\n| `1` | `a\\|b` |\n| `20` |  |');
    expect(markdown).toContain('`path="a.ts"`\n\n```diff\n-old\n+new\n```');
  });

  it('renders no content of a table or a diff as Markdown', async () => {
    const view = await addBlocks([], '');
    const shape = (text: string) => {
      const edit = { path: 'a.ts', old: text, new: `${text}\n${text}y` };
      const steps = view.steps.map((step) => {
        if (step.level === 'full' && step.kind === 'tool_call') return { ...step, input: edit };
        return step.level === 'full' && step.kind === 'tool_result'
          ? { ...step, observation: [{ [text]: text }, { [text]: `${text}|` }] }
          : step;
      });
      return renderMarkdown(formatMarkdownReport({ ...view, steps }));
    };
    const harmless = shape('x');
    fc.assert(
      fc.property(hostile, (text) => {
        expect(shape(text).replace(/\s+/g, ' ')).toBe(harmless.replace(/\s+/g, ' '));
      }),
      { numRuns: budget(25, 300) },
    );
  });
});

/** A chain whose calls are edits and whose results are tables. */
async function addBlocks(rows: Json, old: string): Promise<ReasoningView> {
  const view = await storedView('parallel-tools', 'auditor');
  const input = { path: 'a.ts', old, new: 'new\n' };
  const edit: BlockRule = { as: 'edit', place: 'path', before: 'old', after: 'new' };
  const steps = view.steps.map((step) => {
    if (step.level === 'full' && step.kind === 'tool_call') return { ...step, input, block: edit };
    return step.level === 'full' && step.kind === 'tool_result'
      ? { ...step, status: 'ok' as const, observation: rows, block: { as: 'table' as const } }
      : step;
  });
  return { ...view, steps };
}
