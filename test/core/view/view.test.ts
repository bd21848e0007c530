/** L8: one function decides what a viewer sees of a chain, with no way around it. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allPreferencesOn } from '../../../src/core/view/preferences.js';
import type { Reasoning } from '../../../src/core/view/reasoning.js';
import type { ReasoningView, StepView } from '../../../src/core/view/reasoning-view.js';
import { view } from '../../../src/core/view/view.js';
import { createViewer, type Viewer, type ViewScene, type VisibilityConfig } from '../../../src/core/view/visibility.js';
import { computeCeiling, computeLevel } from '../../../src/core/view/visibility-level.js';
import { budget } from '../../support/budget.js';
import {
  call,
  canariesIn,
  loan,
  noticed,
  opened,
  reasoningWith,
  result,
  someReasoning,
  synthesis,
  thought,
} from '../../support/some-reasoning.js';
import { someConfig, somePreferences, someViewer } from '../../support/some-viewer.js';

const endUser = createViewer('end_user');
const auditor = createViewer('auditor');

function everyView(
  check: (reasoning: Reasoning, viewer: Viewer, config: VisibilityConfig) => void,
  numRuns = budget(25, 300),
): void {
  fc.assert(fc.property(someReasoning, someViewer, someConfig, check), { numRuns });
}

/**
 * Texts that no step shows in full: they occur only where a notice names a call. A request and its call have the same
 * arguments, and a request that waits is shown where its call is switched off.
 */
function listHidden(reasoning: Reasoning, seen: ReasoningView | null): readonly string[] {
  const isShown = (at: number) => seen?.steps[at]?.level === 'full';
  const shown = new Set(reasoning.steps.flatMap((step, at) => (isShown(at) ? [...canariesIn(step)] : [])));
  const ofSteps = reasoning.steps
    .flatMap((step, at) =>
      isShown(at) || step.kind === 'notice' || step.kind === 'synthesis' ? [] : [...canariesIn(step)],
    )
    .filter((canary) => !shown.has(canary));
  const below = Object.entries(reasoning.children).flatMap(([id, chains]) =>
    chains.flatMap(({ chain }, at) => {
      const shown = seen?.children[id]?.[at];
      return chain === null ? [] : listHidden(chain, shown?.level === 'full' ? shown.chain : null);
    }),
  );
  return [...ofSteps, ...below];
}

const stepOf = ({ steps }: ReasoningView, id: string): StepView | undefined => steps.find((step) => step.id === id);
const rank = { hidden: 0, summary: 1, full: 2 };

describe('every view', () => {
  it('W1: has each step, with its id, its number and its place', () => {
    everyView((reasoning, viewer, config) => {
      const places = (steps: readonly { id: string; number: number; kind: string }[]) =>
        steps.map(({ id, number, kind }) => ({ id, number, kind }));
      expect(places(view(reasoning, viewer, config).steps)).toEqual(places(reasoning.steps));
    });
  });

  it('has only the place of a hidden step', () => {
    everyView((reasoning, viewer, config) => {
      for (const step of view(reasoning, viewer, config).steps) {
        if (step.level === 'hidden') expect(Object.keys(step).sort()).toEqual(['id', 'kind', 'level', 'number']);
      }
    });
  });

  it('W2: contains no thoughts, arguments or results at `summary` and `hidden`', () => {
    everyView((reasoning, viewer, config) => {
      const seen = view(reasoning, viewer, config);
      const shown = canariesIn(seen);
      for (const canary of listHidden(reasoning, seen)) expect(shown).not.toContain(canary);
    });
  });

  it('shows a viewer with more rights no less', () => {
    // The same rules except for the role: each kind of step at the same level or a lower one.
    const someLevels = fc.record(
      Object.fromEntries(
        ['thinking', 'tool_call', 'tool_result', 'synthesis', 'notice'].map((kind) => [
          kind,
          fc.integer({ min: 0, max: 2 }),
        ]),
      ),
    );
    const words = ['hidden', 'summary', 'full'] as const;
    fc.assert(
      fc.property(someReasoning, someViewer, someConfig, someLevels, someLevels, (reasoning, viewer, config, a, b) => {
        const roleOf = (levels: Record<string, number>) =>
          Object.fromEntries(Object.entries(levels).map(([kind, at]) => [kind, words[at] ?? 'hidden']));
        const lower = Object.fromEntries(Object.entries(a).map(([kind, at]) => [kind, Math.min(at, b[kind] ?? 0)]));
        const roles = { little: roleOf(lower), much: roleOf(a) };
        const see = (role: string) => canariesIn(view(reasoning, { ...viewer, role }, { ...config, roles }));
        const much = see('much');
        for (const leaf of see('little')) expect(much).toContain(leaf);
      }),
      { numRuns: budget(25, 300) },
    );
  });

  it('never lifts a ceiling for preferences or expanded steps, and shows no less when a kind is switched on', () => {
    fc.assert(
      fc.property(someReasoning, someViewer, someConfig, somePreferences, (reasoning, viewer, config, preferences) => {
        const scene: ViewScene = { viewer, config, chain: reasoning, path: '' };
        for (const step of reasoning.steps) {
          const ceiling = computeCeiling(step, {
            ...scene,
            viewer: createViewer(viewer.role, { tenant: viewer.tenant }),
          });
          expect(rank[computeLevel(step, scene).level]).toBeLessThanOrEqual(rank[ceiling.level]);
        }
        const on = canariesIn(view(reasoning, { ...viewer, preferences: allPreferencesOn }, config));
        for (const leaf of canariesIn(view(reasoning, { ...viewer, preferences }, config))) expect(on).toContain(leaf);
      }),
      { numRuns: budget(25, 300) },
    );
  });

  it('shows nothing of the chains of another tenant, not even to an auditor', () => {
    everyView((reasoning, viewer, config) => {
      const foreign = { ...reasoning, tenant: 'elsewhere' };
      for (const role of [viewer.role, 'auditor']) {
        expect(canariesIn(view(foreign, { ...viewer, role, tenant: 'bank' }, config)).size).toBe(0);
      }
    });
  });

  it('is the same each time, and does not change the chain', () => {
    everyView((reasoning, viewer, config) => {
      const before = JSON.stringify([reasoning, viewer, config]);
      expect(view(reasoning, viewer, config)).toEqual(view(reasoning, viewer, config));
      expect(JSON.stringify([reasoning, viewer, config])).toBe(before);
    });
  });

  it('V4: is complete for an auditor under any rules', () => {
    everyView((reasoning, viewer, config) => {
      const seen = view(reasoning, { ...viewer, role: 'auditor', tenant: null }, config);
      expect(seen.steps.map((step) => ({ ...step, why: undefined, combines: undefined }))).toEqual(
        reasoning.steps.map((step) => ({ ...step, level: 'full', redacted: 0 })),
      );
      const { task, answer, partial, reason, tokens, costUsd } = reasoning;
      expect(seen).toMatchObject({ task, answer, partial, reason, tokens, costUsd, answerLevel: 'full', redacted: 0 });
      for (const [id, chains] of Object.entries(reasoning.children)) {
        const below = seen.children[id]?.map((child) => (child.level === 'full' ? child.chain.steps.length : null));
        expect(below).toEqual(chains.map(({ chain }) => chain?.steps.length));
      }
    });
  });
});

describe('a view', () => {
  it('shows an end user what was done, and not how', () => {
    const seen = view(loan, endUser);
    expect(seen.steps.map((step) => (step.level === 'summary' ? step.summary : step.level))).toEqual([
      'Thinking',
      'Called query',
      'Queried scores, returned 1,247 rows',
      'Thinking',
      'Called score',
      'Called weather',
      'score answered',
      'weather answered',
      'Thinking',
      'full',
    ]);
    expect(seen).toMatchObject({ answer: 'Deny.', state: 'completed', tokens: 1_100 });
    expect(seen.progress).toEqual([
      'Made 1 database query',
      'Used 1 skill',
      'Checked 1 external source',
      'Processed 1,247 records',
    ]);
  });

  it("masks a tool's sensitive value everywhere for a developer, with one mark", () => {
    const seen = view(loan, createViewer('developer'));
    expect(stepOf(seen, '1.1')).toMatchObject({ input: { table: 'scores', ssn: '[redacted:field]' }, redacted: 1 });
    expect(stepOf(seen, '1.1r')).toMatchObject({
      observation: { rowCount: 1247, rows: [{ score: 580, ssn: '[redacted:field]' }] },
    });
    expect(stepOf(seen, '2')).toMatchObject({
      thought: 'The applicant with [redacted:field] has 580; below 620.',
      redacted: 1,
    });
    expect(JSON.stringify(seen)).not.toContain('6789');
    expect(seen.redacted).toBe(3);
  });

  it('shows an auditor all of it', () => {
    expect(stepOf(view(loan, auditor), '1.1')).toMatchObject({ input: { table: 'scores', ssn: '123-45-6789' } });
  });

  it('an end user without rules and preferences sees a line for each thought, call and result', () => {
    const { steps } = view(loan, createViewer('end_user'));
    expect(steps.map((step) => (step.level === 'summary' ? step.summary : step.level))).toEqual([
      'Thinking',
      'Called query',
      'Queried scores, returned 1,247 rows',
      'Thinking',
      'Called score',
      'Called weather',
      'score answered',
      'weather answered',
      'Thinking',
      'full',
    ]);
  });

  it('contains the places of steps that a rule hides', () => {
    const seen = view(loan, createViewer('developer'), { tools: { score: { level: 'hidden' } } });
    expect(stepOf(seen, '2.1')).toEqual({ level: 'hidden', id: '2.1', number: 2, kind: 'tool_call' });
    expect(stepOf(seen, '2.1r')).toEqual({ level: 'hidden', id: '2.1r', number: 2, kind: 'tool_result' });
    expect(seen.summary).not.toContain('score');
    expect(seen.progress.join()).not.toContain('skill');
  });

  it('is as simple as its viewer prefers, and single steps can be expanded', () => {
    const simple = { ...allPreferencesOn, thinking: false, internalCalls: false };
    const developer = createViewer('developer', { preferences: simple });
    const seen = view(loan, developer);
    expect(seen.steps.filter(({ level }) => level !== 'hidden').map(({ id }) => id)).toEqual(['2.2', '2.2r', '3a']);
    // Steps hidden by preference still count.
    expect(seen.progress).toContain('Made 1 database query');
    expect(stepOf(view(loan, { ...developer, expanded: ['2'] }), '2')).toMatchObject({ level: 'full' });
    // An end user may only see that there was a thought.
    const opened = createViewer('end_user', { preferences: simple, expanded: ['2'] });
    expect(stepOf(view(loan, opened), '2')).toMatchObject({ level: 'summary', summary: 'Thinking' });
    expect(
      view(loan, createViewer('end_user', { preferences: { ...simple, progressSummary: false } })).progress,
    ).toEqual([]);
  });

  it('hides conclusions from a viewer who switched the final reasoning off, and still has the answer', () => {
    const off = createViewer('end_user', { preferences: { ...allPreferencesOn, finalReasoning: false } });
    expect(stepOf(view(loan, off), '3a')).toEqual({ level: 'hidden', id: '3a', number: 3, kind: 'synthesis' });
    expect(view(loan, off).answer).toBe('Deny.');
    expect(stepOf(view(loan, endUser), '3a')).toMatchObject({ level: 'full', conclusion: 'Deny.' });
  });

  it("shows a sub-chain by the level of its tool and the viewer's rights", () => {
    const child = reasoningWith([thought(1, 'Below.'), synthesis(1, 'Found.')], {
      chainId: 'child',
      agent: 'helper',
      answer: 'Found.',
    });
    const chain = reasoningWith(
      [thought(1, 'Above.'), call('1.1', 'ask', { task: 'look' }), result('1.1', 'ask', 'Found.')],
      {
        children: { '1.1': [opened(child)] },
      },
    );
    const as = (level: 'full' | 'summary' | 'hidden') =>
      view(chain, createViewer('developer'), { toolKinds: { sub_agent: { childChain: level } } }).children['1.1']?.[0];
    expect(as('full')).toMatchObject({
      level: 'full',
      chain: { steps: [{ thought: 'Below.' }, { conclusion: 'Found.' }] },
    });
    expect(as('summary')).toEqual({
      level: 'summary',
      chainId: 'child',
      agent: 'helper',
      state: 'completed',
      outcome: 'success',
      steps: 1,
      own: { chains: 1, tokens: 1_100, costUsd: 0.01 },
      total: { chains: 1, tokens: 1_100, costUsd: 0.01 },
      task: 'Find out what is due.',
      answer: 'Found.',
      summary: '1 step; 1,100 tokens; $0.01; 1 min',
    });
    expect(as('hidden')).toBeUndefined();
    const below = view(chain, endUser).children['1.1']?.[0];
    // Its task is an argument of the call.
    expect(below?.level === 'full' ? below.chain.task : null).toBe('');
    expect(as('full')).toMatchObject({ chain: { task: 'Find out what is due.' } });
    expect(below?.level === 'full' ? below.chain.steps[0] : null).toMatchObject({
      level: 'summary',
      summary: 'Thinking',
    });
  });

  it('hides the summary of a closing call where conclusions are hidden', () => {
    const stopped = reasoningWith([thought(1, 'Hm.'), noticed(1, 'closing_call', 'All in all, 42.')], {
      partial: 'All in all, 42.',
      answer: null,
    });
    const seen = view(stopped, createViewer('support'), {
      roles: { support: { synthesis: 'hidden', notice: 'full' } },
    });
    expect(JSON.stringify(seen)).not.toContain('42.');
    expect(seen.answerLevel).toBe('hidden');
  });
});

describe('redaction in a view', () => {
  const steps = [
    thought(1, 'Ask ann@example.org, then bob@example.org, about ticket T-1234.'),
    call('1.1', 'weather', { to: 'bob@example.org', plan: { internal: 'codename' } }),
    result('1.1', 'weather', 'ANN@example.org answered for T-1234'),
  ];
  const chain = reasoningWith(steps, { tenant: 'bank', task: 'Write to bob@example.org' });
  const developer = createViewer('developer');

  it('gives equal values equal marks, in order of time', () => {
    const seen = view(chain, developer);
    expect(seen.task).toBe('Write to [redacted:email]');
    expect(stepOf(seen, '1')).toMatchObject({
      thought: 'Ask [redacted:email#2], then [redacted:email], about ticket T-1234.',
    });
    expect(stepOf(seen, '1.1')).toMatchObject({ input: { to: '[redacted:email]' } });
    expect(stepOf(seen, '1.1r')).toMatchObject({ observation: '[redacted:email#2] answered for T-1234' });
  });

  it("adds a tenant's rules to its own chains only", () => {
    const config: VisibilityConfig = {
      tenants: { bank: { paths: ['plan.internal'], patterns: [{ kind: 'ticket', source: 'T-\\d{4}' }] } },
    };
    const seen = view(chain, developer, config);
    expect(stepOf(seen, '1')).toMatchObject({ thought: expect.stringContaining('ticket [redacted:ticket].') });
    expect(stepOf(seen, '1.1')).toMatchObject({ input: { plan: { internal: '[redacted:field]' } } });
    const other = view({ ...chain, tenant: 'shop' }, developer, config);
    expect(stepOf(other, '1')).toMatchObject({ thought: expect.stringContaining('T-1234') });
    expect(JSON.stringify(view(chain, auditor, config))).toContain('T-1234');
  });

  it('adds the rules of a tool and of its kind, in chains that have the tool', () => {
    const redact = { patterns: [{ kind: 'ticket', source: 'T-\\d{4}' }] };
    for (const config of [{ tools: { weather: { redact } } }, { toolKinds: { external: { redact } } }]) {
      expect(JSON.stringify(view(chain, developer, config))).not.toContain('T-1234');
    }
    expect(JSON.stringify(view(chain, developer, { tools: { elsewhere: { redact } } }))).toContain('T-1234');
    const sensitive = view(chain, developer, { tools: { weather: { sensitive: ['plan'] } } });
    expect(stepOf(sensitive, '1.1')).toMatchObject({ input: { plan: '[redacted:field]' } });
  });

  it('lets a tenant name kinds to hide', () => {
    const seen = view(chain, developer, { tenants: { bank: { kinds: ['card'] } } });
    expect(seen.task).toBe('Write to bob@example.org');
  });

  it('marks the place of a text that is not shown', () => {
    const seen = view(chain, developer);
    const marks = seen.steps.map((step) => (step.level === 'hidden' ? null : step.redacted));
    expect(marks).toEqual([2, 1, 1]);
    expect(seen.redacted).toBe(4);
  });

  it('fills templates from masked values', () => {
    const config: VisibilityConfig = { tools: { weather: { summary: 'Wrote to {to}' } } };
    expect(stepOf(view(chain, endUser, config), '1.1r')).toMatchObject({
      summary: 'Wrote to [redacted:email]',
      redacted: 1,
    });
  });
});
