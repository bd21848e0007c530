/** The model call of a step is an operation of the kind `llm`: its line, its members, and the rules that hide it. */

import { expect, it } from 'vitest';
import type { Reflection } from '../../../src/core/model/agent.js';
import { reflectionDefaults } from '../../../src/core/strategies/strategy.js';
import { buildReasoning } from '../../../src/core/view/build-reasoning.js';
import { formatItemLines } from '../../../src/core/view/print/item-lines.js';
import { formatMarkdownReport } from '../../../src/core/view/print/report.js';
import { view } from '../../../src/core/view/view.js';
import { createViewer, type VisibilityConfig } from '../../../src/core/view/visibility.js';
import { agentOf, answers, asks, look, modelFailure, replyOf, text, usage } from '../../support/core-builders.js';
import { type Play, prepared } from '../../support/core-play.js';

const viewAs = (play: Play, role: string, config: VisibilityConfig = {}) =>
  view(buildReasoning(play.chain), createViewer(role), config);

function listLines(play: Play, role = 'developer', detail: 'short' | 'full' = 'short', config: VisibilityConfig = {}) {
  const seen = viewAs(play, role, config);
  return seen.steps.flatMap((step) =>
    formatItemLines(step, detail, seen).map(({ label, remarks }) => {
      const words = remarks.map((remark) => (typeof remark === 'string' ? remark : remark.text));
      return [`[${label.kind}${label.name === null ? '' : `: ${label.name}`}]`, ...words].join(' ');
    }),
  );
}

function played(): Play {
  const play = prepared(agentOf());
  play.failed(modelFailure('overloaded'));
  play.fired('retry');
  play.replied(replyOf({ ...asks(look('one')).reading, thought: 'I look.' }));
  play.returned('1.1', 'It rains.');
  play.replied(answers('It rains.'));
  return play;
}

it('the model call of a step is an operation of the kind llm, with its prompt, tokens, cost, provider and attempts', () => {
  const play = played();
  expect(listLines(play).filter((line) => line.startsWith('[LLM'))).toMatchInlineSnapshot(`
    [
      "[LLM: some-model-1] from some-provider model-2 0 ms 1,000 tokens in 100 out $0.003 2 attempts",
      "[LLM: some-model-1] from some-provider model-3 0 ms 1,000 tokens in 100 out $0.003",
    ]
  `);
  expect(listLines(play, 'developer', 'full').filter((line) => line.startsWith('[LLM'))).toMatchInlineSnapshot(`
    [
      "[LLM: some-model-1] from some-provider model-2 0 ms 1,000 tokens in 100 out $0.003 2 attempts",
      "[LLM: some-model-1] from some-provider model-3 0 ms 1,000 tokens in 100 out $0.003",
    ]
  `);
  expect(formatMarkdownReport(viewAs(play, 'developer'))).toContain('**LLM**');
  const [, thought] = viewAs(play, 'developer').steps;
  expect(thought).toMatchObject({ kind: 'thinking', modelCall: { kind: 'llm', call: 'model-2', attempts: 2 } });
});

it('rules for the kind llm hide the model call of a step, and not its thought or its answer', () => {
  const play = played();
  const has = (role: string, config: VisibilityConfig = {}) =>
    JSON.stringify(viewAs(play, role, config).steps).includes('"kind":"llm"');
  const ofKind: VisibilityConfig = { toolKinds: { llm: { level: 'hidden' } } };
  const required: VisibilityConfig = { required: [{ atMost: 'hidden', toolKind: 'llm' }] };
  expect([has('end_user'), has('developer')]).toEqual([true, true]);
  expect([has('end_user', ofKind), has('developer', ofKind)]).toEqual([false, true]);
  expect([has('end_user', required), has('developer', required), has('auditor', required)]).toEqual([
    false,
    false,
    true,
  ]);
  const levels = (config: VisibilityConfig) => viewAs(play, 'end_user', config).steps.map(({ level }) => level);
  expect(levels(ofKind)).toEqual(levels({}));
  expect(listLines(play, 'end_user', 'short', ofKind).join()).not.toContain('model-');
});

it('the call of an observer is an operation of the kind llm too, above its reflection', () => {
  const reflecting: Reflection = { ...reflectionDefaults, observer: 'model' };
  const play = prepared(agentOf({ reflection: reflecting }));
  play.replied(asks(look('one')));
  play.returned('1.1');
  play.replied(replyOf({ content: [text('{"progress":"It rains."}')] }, { usage: usage(900, 60) }));
  expect(listLines(play)).toContain('[LLM: some-model] aside-1 900 tokens in 60 out $0.0024');
  const shown = viewAs(play, 'developer').steps.find((step) => step.level === 'full' && step.kind === 'notice');
  expect(shown).toMatchObject({ notice: 'reflected', asked: { call: 'aside-1', inputTokens: 900 } });
  expect(
    listLines(play, 'developer', 'short', { required: [{ atMost: 'hidden', toolKind: 'llm' }] }).join(),
  ).not.toContain('[LLM');
});
