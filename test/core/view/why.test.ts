/** The reason of a step: where it is taken from, and who may read it. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { emptyRecord, recordEntries } from '../../../src/core/engine/state/entry.js';
import { takeTurn } from '../../../src/core/engine/turn.js';
import type { Chain } from '../../../src/core/model/chain.js';
import { emptyState } from '../../../src/core/model/state.js';
import { buildReasoning } from '../../../src/core/view/build-reasoning.js';
import { createLiveView } from '../../../src/core/view/live-view.js';
import { allPreferencesOn } from '../../../src/core/view/preferences.js';
import { formatMarkdownReport } from '../../../src/core/view/print/report.js';
import type { Reasoning } from '../../../src/core/view/reasoning.js';
import { toReasoningEvent } from '../../../src/core/view/reasoning-event.js';
import { listNewestReasons, type StepView } from '../../../src/core/view/reasoning-view.js';
import { validateVisibility } from '../../../src/core/view/validate-visibility.js';
import { view } from '../../../src/core/view/view.js';
import { createViewer, type VisibilityConfig } from '../../../src/core/view/visibility.js';
import { maxWhyLength } from '../../../src/core/view/why.js';
import { budget } from '../../support/budget.js';
import { agentOf, asks, look } from '../../support/core-builders.js';
import { runWorld } from '../../support/core-environment.js';
import { type PlanCall, planAgent, replyWithCalls } from '../../support/core-plans.js';
import { prepared } from '../../support/core-play.js';
import {
  call,
  canariesIn,
  loan,
  reasoningWith,
  result,
  someReasoning,
  someTools,
  synthesis,
  thought,
} from '../../support/some-reasoning.js';
import { someConfig, someViewer } from '../../support/some-viewer.js';

const quoting: VisibilityConfig = { roles: { end_user: { why: 'thought' } } };

/** Without those by rule, which every call has that has no other. */
function whysOf(chain: Reasoning, config: VisibilityConfig = {}, viewer = createViewer('end_user')) {
  const { steps } = view(chain, viewer, config);
  return Object.fromEntries(
    steps.flatMap((step) =>
      step.level === 'hidden' || step.why === undefined || step.why.by === 'rule'
        ? []
        : [[step.id, `${step.why.by}: ${step.why.text}`]],
    ),
  );
}

describe('a step has a brief reason for end users', () => {
  it('from its plan task, its tool, its thought or the results, in this order, and names which', () => {
    const stated = { tools: { ...someTools, score: { why: 'To rate a score of {score}' } } };
    const chain = {
      ...loan,
      ...stated,
      steps: loan.steps.map((step) =>
        step.kind === 'tool_call' && step.id === '1.1' ? { ...step, taskText: 'Find the score.\nAll of it.' } : step,
      ),
    };
    expect(whysOf(chain, quoting)).toEqual({
      '1.1': 'task: Find the score.',
      '2.1': 'tool: To rate a score of 580',
      '2.2': 'thought: The applicant with [redacted:field] has 580; below 620.',
      '3a': 'thought: High risk.',
    });
    expect(whysOf(chain)).toEqual({ '1.1': 'task: Find the score.', '2.1': 'tool: To rate a score of 580' });
    expect(JSON.stringify(view(chain, createViewer('developer')))).not.toContain('All of it');
  });

  it('from the kind of its tool where nothing better is known, as soon as the call is recorded', () => {
    const reasons = (role: string, config: VisibilityConfig = {}) =>
      view(loan, createViewer(role), config).steps.flatMap((step) =>
        step.level === 'hidden' || step.why?.by !== 'rule' ? [] : [`${step.id} ${step.why.text}`],
      );
    const stated = ['1.1 To query a database', '2.1 To use a skill', '2.2 To check an external source'];
    expect(reasons('end_user')).toEqual(stated);
    expect(reasons('end_user', { toolKinds: { skill: { level: 'hidden' } } })).toEqual([stated[0], stated[2]]);
    expect(reasons('end_user', quoting)).toEqual([]);
    const own = loan.steps.map((step) => (step.kind === 'tool_call' ? { ...step, toolKind: 'ledger' } : step));
    const [first] = view({ ...loan, steps: own }, createViewer('end_user')).steps.flatMap((step) =>
      step.level === 'summary' && step.kind === 'tool_call' ? [step.why?.text] : [],
    );
    expect(first).toBe('To make a call of the kind ledger');
    // A developer reads the thought.
    expect(reasons('developer')).toEqual([]);
    const play = prepared(agentOf());
    const see = createLiveView(createViewer('end_user'), {});
    play.replied(asks(look()));
    const call = see(play.chain, new Map()).changedSteps.find(({ kind }) => kind === 'tool_call');
    expect(call).toMatchObject({ status: 'pending', why: { by: 'rule', text: 'To check an external source' } });
  });

  it('from the rules of a tool or of its kind, before the text of its author', () => {
    const chain = { ...loan, tools: { ...someTools, query: { kind: 'database', why: 'To read {table}' } } };
    const config: VisibilityConfig = {
      tools: { query: { why: 'To look up data' } },
      toolKinds: { skill: { why: 'To judge the risk of {nothing}' }, external: { why: 'To look outside' } },
    };
    // A template with a missing member is not used.
    expect(whysOf(chain, config)).toEqual({ '1.1': 'tool: To look up data', '2.2': 'tool: To look outside' });
  });

  it('from the results of an answer: the tools whose results the viewer sees', () => {
    const sources = ['1.1r', '2.1r', '2.2r'].map((id) => ({ id, by: 'cited' as const }));
    const chain = { ...loan, steps: [...loan.steps.slice(0, -1), { ...synthesis(3, 'Deny.'), sources }] };
    expect(whysOf(chain)).toEqual({ '3a': 'results: From what query and 2 other tools returned' });
    const hidden: VisibilityConfig = { toolKinds: { skill: { level: 'hidden' }, external: { level: 'hidden' } } };
    expect(whysOf(chain, hidden)).toEqual({ '3a': 'results: From what query returned' });
  });

  it('from the plan as it was when the call was made', () => {
    const makes = (description: string): PlanCall => ['make_plan', { tasks: [{ id: 'find', description }] }];
    const play = prepared(planAgent({ reflection: false, fallbacks: [] }));
    replyWithCalls(play, makes('Find the key of ada@example.org. Then stop.'));
    replyWithCalls(play, ['look', { place: 'here' }]);
    const whys = whysOf(buildReasoning(play.chain));
    expect(Object.values(whys)).toEqual(['task: Find the key of [redacted:email].']);
    replyWithCalls(play, ['revise_plan', { tasks: [{ id: 'find', description: 'Find another.' }], reason: 'Wrong.' }]);
    expect(whysOf(buildReasoning(play.chain))).toEqual(whys);
  });

  it('also with thoughts switched off', () => {
    const viewer = createViewer('end_user', { preferences: { ...allPreferencesOn, thinking: false } });
    expect(whysOf(loan, quoting, viewer)).toMatchObject({ '1.1': 'thought: I need the credit score.' });
  });
});

describe('the reason of a step', () => {
  it('quotes no thought of a role that does not read thoughts, unless its rule allows it', () => {
    fc.assert(
      fc.property(someReasoning, someViewer, (reasoning, viewer) => {
        const hidden: VisibilityConfig = { roles: { [viewer.role]: { thinking: 'hidden' } } };
        const shown = canariesIn(whysOf(reasoning, hidden, viewer));
        expect(shown.size).toBe(0);
      }),
      { numRuns: budget(25, 300) },
    );
    expect(whysOf(loan)).toEqual({});
    expect(whysOf(loan, { roles: { developer: { why: 'stated' } } }, createViewer('developer'))).toEqual({});
    expect(whysOf(loan, {}, createViewer('developer'))).toMatchObject({ '1.1': 'thought: I need the credit score.' });
  });

  it('quotes no thought that a security rule, a rule of the agent or one of the step hides', () => {
    const closed: readonly VisibilityConfig[] = [
      { required: [{ atMost: 'summary', step: 'thinking' }] },
      { agents: { clerk: { thinking: 'summary' } } },
      { steps: { '1': 'summary', '2': 'hidden', '3': 'hidden' } },
    ];
    for (const config of closed) expect(whysOf(loan, { ...config, ...quoting })).toEqual({});
    const foreign = createViewer('end_user', { tenant: 'shop' });
    expect(whysOf(loan, quoting, foreign)).toEqual({});
  });

  it('is masked before it is cut to one line, and contains no private part', () => {
    const long = `<private>Not for users.</private> OK. I write to ${'very '.repeat(18)}ada@example.org\nnow, and then to others.`;
    const chain = reasoningWith([thought(1, long), call('1.1', 'weather', {}), result('1.1', 'weather', 1)]);
    for (const role of ['end_user', 'developer', 'auditor']) {
      const why = whysOf(chain, quoting, createViewer(role))['1.1'] ?? '';
      expect(why).toMatch(/^thought: OK\. I write to very .*…$/);
      expect(why.length).toBeLessThanOrEqual('thought: '.length + maxWhyLength);
      expect(why).not.toContain('Not for users');
      if (role !== 'auditor') expect(why).not.toContain('ada');
    }
  });

  it('is absent where a thought contains nothing but marks', () => {
    const chain = reasoningWith([thought(1, '<private>All of it.</private>'), call('1.1', 'weather', {})]);
    expect(whysOf(chain, quoting)).toEqual({});
  });

  it('is the same in updates of a running chain as in its view', () => {
    const script = fc.array(fc.integer({ min: 0, max: 9_999 }), { maxLength: 300, size: 'max' });
    fc.assert(
      fc.property(script, someViewer, someConfig, (numbers, viewer, rules) => {
        const config: VisibilityConfig = { ...rules, roles: { [viewer.role]: { why: 'thought' } } };
        const see = createLiveView(viewer, config);
        const last = new Map<string, StepView>();
        let chain: Chain = { ...emptyRecord, state: emptyState };
        for (const { history, facts } of runWorld(agentOf(), numbers).turns) {
          const turn = takeTurn(chain.state, history, facts);
          chain = recordEntries(chain, turn.state, turn.entries);
          for (const step of see(chain, new Map()).changedSteps) last.set(step.id, step);
        }
        const { steps } = view(buildReasoning(chain), viewer, config);
        expect(steps.map(({ id }) => last.get(id))).toEqual(steps);
      }),
      { numRuns: budget(20, 80) },
    );
  });

  it('is in reports where the reader sees no thought, in events, and in the newest reasons', () => {
    const seen = view(loan, createViewer('end_user'), quoting);
    expect(formatMarkdownReport(seen)).toContain('- `Why (thought): I need the credit score.`');
    expect(formatMarkdownReport(view(loan, createViewer('developer')))).not.toContain('Why');
    const events = seen.steps.map((step) => toReasoningEvent('loan-1', step, 'completed').step);
    expect(events.find(({ step_id }) => step_id === '1.1')?.why).toEqual({
      text: 'I need the credit score.',
      source: 'thought',
    });
    expect(listNewestReasons(seen)).toEqual([{ ids: ['3a'], by: 'thought', text: 'High risk.' }]);
  });

  it('has rules that are checked', () => {
    expect(validateVisibility({ ...quoting, tools: { query: { why: 'To read {table}' } } })).toBeNull();
    expect(validateVisibility({ roles: { end_user: { why: 'thougt' } } })).toContain('you may mean thought');
    expect(validateVisibility({ tools: { query: { why: 'To read {' } } })).toContain('unmatched brace');
  });
});
