/** V2: the visibility that a tool sets for its call while it runs. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StepVisibility } from '../../../src/core/model/stored-content.js';
import { view } from '../../../src/core/view/view.js';
import { createViewer, type ViewScene } from '../../../src/core/view/visibility.js';
import { computeLevel } from '../../../src/core/view/visibility-level.js';
import { budget } from '../../support/budget.js';
import { call, reasoningWith, result, someReasoning } from '../../support/some-reasoning.js';
import { someConfig, someViewer } from '../../support/some-viewer.js';

const toReasoning = (visibility: StepVisibility) =>
  reasoningWith([
    call('1.1', 'query', { table: 'scores' }, { visibility: { level: visibility.level } }),
    result('1.1', 'query', { table: 'scores', rowCount: 3, ssn: '123-45-6789' }, { visibility }),
  ]);
const open = { roles: { reviewer: 'full' } } as const;
const reviewer = createViewer('reviewer');
const levelsOf = (role: string, visibility: StepVisibility) =>
  view(toReasoning(visibility), createViewer(role), open).steps.map(({ level }) => level);
const rank = { hidden: 0, summary: 1, full: 2 };
const someVisibility = fc.constantFrom<StepVisibility['level']>('summary', 'hidden');

describe('a tool marks the visibility of its step while it runs', () => {
  it.each(['summary', 'hidden'] as const)('with the level %s for users, not for developers and auditors', (level) => {
    const visibility = { level, summary: null };
    expect(levelsOf('reviewer', visibility)).toEqual([level, level]);
    expect(levelsOf('developer', visibility)).toEqual(['full', 'full']);
    expect(levelsOf('auditor', visibility)).toEqual(['full', 'full']);
  });

  it('never above the rules, for any viewer and any rules', () => {
    const property = fc.property(
      someReasoning,
      someViewer,
      someConfig,
      someVisibility,
      (chain, viewer, config, level) => {
        const scene: ViewScene = { viewer, config, chain, path: '' };
        for (const { id, kind, ...step } of chain.steps) {
          const before = computeLevel({ ...step, id, kind }, scene).level;
          const after = computeLevel({ ...step, id, kind, visibility: { level } }, scene).level;
          expect(rank[after]).toBeLessThanOrEqual(rank[before]);
          if (viewer.role === 'developer' || viewer.role === 'auditor') expect(after).toBe(before);
        }
      },
    );
    fc.assert(property, { numRuns: budget(75, 300) });
  });

  it('and names the step mark as the rule that decided', () => {
    const scene: ViewScene = {
      viewer: reviewer,
      config: open,
      chain: toReasoning({ level: 'hidden', summary: null }),
      path: '',
    };
    const step = { id: '1.1', kind: 'tool_call', tool: 'query', visibility: { level: 'hidden' } } as const;
    expect(computeLevel(step, scene)).toEqual({ level: 'hidden', by: 'step_mark' });
  });

  it('with a line of its own, masked, unless a rule of the tool has a template', () => {
    const chain = toReasoning({ level: 'summary', summary: 'Checked 123-45-6789' });
    const line = (config: Parameters<typeof view>[2]) => {
      const step = view(chain, reviewer, config).steps[1];
      return step?.level === 'summary' ? step.summary : null;
    };
    expect(line(open)).toBe('Checked [redacted:field]');
    expect(line({ ...open, tools: { query: { summary: 'Read {table}' } } })).toBe('Read scores');
  });

  it('and a step that is opened shows its line masked', () => {
    const chain = toReasoning({ level: 'hidden', summary: 'Checked 123-45-6789' });
    const seen = view(chain, createViewer('reviewer', { expanded: 'all' }), open);
    expect(seen.steps.map(({ level }) => level)).toEqual(['full', 'full']);
    expect(JSON.stringify(seen)).not.toContain('123-45-6789');
  });
});
