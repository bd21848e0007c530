/** The examples of docs/visibility.md equal the views that they describe. */

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { createViewer, type ReasoningView, type StepView, type VisibilityConfig, view } from '../src/entries/view.js';
import { loan } from './support/some-reasoning.js';

const page = readFileSync(new URL('../docs/visibility.md', import.meta.url), 'utf8');

/** The blocks that a comment names, by that name. */
const blocks = new Map(
  Array.from(page.matchAll(/<!-- (.+?) -->\n```\w+\n([\s\S]*?)```/g), ([, name = '', text = '']) => [name, text]),
);
const rules = JSON.parse(blocks.get('rules') ?? 'null') as VisibilityConfig;
const examples = [...blocks].flatMap(([name, text]) => {
  const [, role, opened] = /^as (\w+)(?:, opened (.+))?$/.exec(name) ?? [];
  return role === undefined ? [] : [{ role, opened: opened?.split(' ') ?? [], text }];
});

function formatContent(step: StepView): string {
  if (step.level === 'hidden') return '';
  if (step.level === 'summary') return step.summary;
  switch (step.kind) {
    case 'thinking':
      return step.thought ?? '';
    case 'tool_call':
      return `${step.tool} ${JSON.stringify(step.input)}`;
    case 'approval':
      return step.reason;
    case 'tool_result':
      return JSON.stringify(step.observation);
    case 'synthesis':
      return JSON.stringify(step.conclusion);
    case 'notice':
      return step.text;
  }
}

function formatView({ task, steps }: ReasoningView): string {
  const lines = steps.map((step) => `${step.id.padEnd(6)}${step.level.padEnd(9)}${formatContent(step)}`.trimEnd());
  return `${[`task  ${task}`, ...lines].join('\n')}\n`;
}

it.each(examples)(
  'the example of the page equals the view: as $role, with $opened expanded',
  ({ role, opened, text }) => {
    expect(formatView(view(loan, createViewer(role, { expanded: opened }), rules))).toBe(text);
  },
);

it('an end user who opens everything sees lines, but no content that a required rule hides', () => {
  const { steps } = view(loan, createViewer('end_user', { expanded: 'all' }), rules);
  expect(steps.filter(({ level }) => level === 'full').map(({ id }) => id)).toEqual(['3a']);
  expect(steps.filter(({ level }) => level === 'hidden').map(({ id }) => id)).toEqual(['2.2', '2.2r']);
});

it('the page has an example for each kind of viewer', () => {
  expect(examples.map(({ role }) => role)).toEqual(['auditor', 'reviewer', 'reviewer', 'end_user']);
});
