/** The step in which the results of sub-agents are combined. */

import { describe, expect, it } from 'vitest';
import { formatMarkdownReport } from '../../../src/core/view/print/report.js';
import { formatStepTrees } from '../../../src/core/view/print/step-lines.js';
import { toReasoningEvent } from '../../../src/core/view/reasoning-event.js';
import { view } from '../../../src/core/view/view.js';
import { createViewer, type VisibilityConfig } from '../../../src/core/view/visibility.js';
import { call, reasoningWith, result, synthesis, thought } from '../../support/some-reasoning.js';

const research = reasoningWith([
  thought(1, 'I divide the task.'),
  ...['market', 'technology', 'news'].map((task, at) => call(`1.${at + 1}`, 'ask', { task })),
  call('1.4', 'weather', {}),
  ...['1.1', '1.2', '1.4'].map((id) => result(id, id === '1.4' ? 'weather' : 'ask', 'found')),
  result('1.3', 'ask', 'none', { status: 'error' }),
  thought(2, 'I combine what they found.'),
  synthesis(2, 'Found.'),
]);
const failed = research.steps.map((step) => (step.id === '1.3' ? { ...step, status: 'error' as const } : step));
const chain = { ...research, steps: failed } as typeof research;

const stepOf = (id: string, role = 'developer', config: VisibilityConfig = {}) =>
  view(chain, createViewer(role), config).steps.find((step) => step.id === id);

describe('the step that combines the results of sub-agents', () => {
  it('names the results of those that returned one', () => {
    expect(stepOf('2')).toMatchObject({ combines: { ids: ['1.1r', '1.2r'], agents: 2 } });
    expect(stepOf('2a')).not.toHaveProperty('combines');
    expect(stepOf('1')).not.toHaveProperty('combines');
  });

  it('counts the tasks of one call, and is no step after a single sub-agent', () => {
    const findLast = (input: object) =>
      view(
        reasoningWith([call('1.1', 'ask', { ...input }), result('1.1', 'ask', 'found'), synthesis(2, 'Found.')]),
        createViewer('developer'),
      ).steps.at(-1);
    expect(findLast({ tasks: ['a', 'b', 'c'] })).toMatchObject({ combines: { ids: ['1.1r'], agents: 3 } });
    expect(findLast({ task: 'a' })).not.toHaveProperty('combines');
  });

  it('is shown as such in the tree, in reports, in events and to end users', () => {
    const seen = view(chain, createViewer('developer'));
    expect(formatStepTrees(seen).at(-1)?.line.remarks).toContain('combines the results of 2 sub-agents');
    expect(formatMarkdownReport(seen)).toContain('combines the results of 2 sub-agents');
    expect(stepOf('2', 'end_user')).toMatchObject({ summary: 'Combining the results of 2 sub-agents' });
    const step = stepOf('2');
    if (step === undefined) throw new Error('Expected step 2');
    expect(toReasoningEvent('x', step, 'thinking').step.combines).toEqual(['1.1r', '1.2r']);
  });

  it('has no result that the viewer does not see', () => {
    expect(stepOf('2', 'end_user', { toolKinds: { sub_agent: { level: 'hidden' } } })).toMatchObject({
      summary: 'Thinking',
    });
  });
});
