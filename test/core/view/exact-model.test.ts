/** The model of a step: the name that its provider reported, not the one that the agent asked for. */

import { expect, it } from 'vitest';
import { formatFullStep } from '../../../src/cli/print/tree.js';
import { formatDuration } from '../../../src/core/lib/index.js';
import { buildReasoning } from '../../../src/core/view/build-reasoning.js';
import { view } from '../../../src/core/view/view.js';
import { createViewer } from '../../../src/core/view/visibility.js';
import { agentOf, replyOf } from '../../support/core-builders.js';
import { prepared } from '../../support/core-play.js';

it('a step names the exact model, with its date, where the agent names it without', () => {
  const play = prepared(agentOf({ model: { name: 'sonnet', id: 'claude-sonnet-4' } }));
  play.replied(replyOf({ thought: 'It is due.', answer: 'Due.' }, { model: 'claude-sonnet-4-20250514' }));
  const reasoning = buildReasoning(play.chain);
  expect(reasoning.model).toBe('sonnet');
  expect(reasoning.steps[0]).toMatchObject({ kind: 'thinking', modelCall: { model: 'claude-sonnet-4-20250514' } });
  const seen = view(reasoning, createViewer('developer'), {});
  expect(formatFullStep(seen.steps, seen, { color: false, tableWidth: 100 })).toContain('claude-sonnet-4-20250514');
});

it('a step in full has the provider and the duration of its model call', () => {
  const play = prepared(agentOf());
  play.replied(replyOf({ thought: 'It is due.', answer: 'Due.' }));
  const seen = view(buildReasoning(play.chain), createViewer('developer'), {});
  const [step] = seen.steps;
  if (step?.level !== 'full' || step.kind !== 'thinking' || step.modelCall === null)
    throw new Error('Expected a thought');
  const { provider, durationMs } = step.modelCall;
  const text = formatFullStep([step], seen, { color: false, tableWidth: 200 });
  expect(text).toContain(`from ${provider}`);
  expect(text).toContain(formatDuration(durationMs));
});
