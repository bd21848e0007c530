/** W1: each operation of a chain is a step for its readers, also one that failed. */

import { expect, it } from 'vitest';
import { buildReasoning } from '../../../src/core/view/build-reasoning.js';
import type { ReasoningStep } from '../../../src/core/view/reasoning.js';
import { view } from '../../../src/core/view/view.js';
import { createViewer } from '../../../src/core/view/visibility.js';
import { answers, asks, look, modelFailure, pay, toolFailure } from '../../support/core-builders.js';
import { decides, needs, rules } from '../../support/core-people.js';
import { prepared } from '../../support/core-play.js';
import { by, routedAgent, routeTo } from '../../support/core-routing.js';

/** Returns a step in a few words: its id, what it is, and its state or the model that answered. */
function describeStep(step: ReasoningStep): string {
  switch (step.kind) {
    case 'notice':
      return `${step.id} ${step.notice}`;
    case 'thinking':
      return `${step.id} ${step.kind} by ${step.modelCall?.route?.model}, attempt ${step.modelCall?.attempts}`;
    case 'synthesis':
      return `${step.id} ${step.kind}`;
    default:
      return `${step.id} ${step.kind} ${step.tool} ${step.status}`;
  }
}

it('failed attempts, fallbacks, the wait, calls, approvals, failures and the closing call are steps of a chain', () => {
  const play = prepared(routedAgent({ agent: { limits: { steps: 2 } } }));
  for (const model of ['fast', 'strong', 'local']) {
    play.failed(modelFailure('overloaded', { route: routeTo(model) }));
  }
  play.fired('retry');
  play.replied(by('fast', needs([null, rules()], look(1), pay(1))));
  play.returned('1.1');
  play.take(decides('1.2', { kind: 'deny' }));
  play.replied(by('strong', asks(look(2))));
  play.broke('2.1', toolFailure('ToolError', 'It is shut.'));
  play.replied(by('strong', answers('Half of it is done.')));
  expect(play.result).toMatchObject({ outcome: 'max_iterations', partial: 'Half of it is done.' });

  const { steps } = buildReasoning(play.chain);
  expect(steps.map(describeStep)).toMatchInlineSnapshot(`
    [
      "0n1 model_fallback",
      "0n2 model_fallback",
      "0n3 model_retry",
      "1 thinking by fast, attempt 4",
      "1.1 tool_call look ok",
      "1.2 tool_call pay denied",
      "1.2p1 approval pay denied",
      "1.1r tool_result look ok",
      "1.2r tool_result pay denied",
      "1n1 limit_usage",
      "2 thinking by strong, attempt 1",
      "2.1 tool_call look error",
      "2.1r tool_result look error",
      "2n1 thought_repeated",
      "2n2 limit_reached",
      "2n3 closing_call",
    ]
  `);
  const seen = view(buildReasoning(play.chain), createViewer('developer'), {}).steps;
  expect(seen.map(({ id }) => id)).toEqual(steps.map(({ id }) => id));
});
