/** Viewed steps as reasoning events. */

import { describe, expect, it } from 'vitest';
import { createViewer, toReasoningEvent, view } from '../../../src/index.js';
import { loan } from '../../support/some-reasoning.js';

const eventsFor = (role: string) =>
  view(loan, createViewer(role)).steps.map((step) => toReasoningEvent('loan-1', step, 'tool_calling'));

describe('a reasoning event', () => {
  it('has the chain id, the type of its step and the state of the chain', () => {
    for (const event of eventsFor('developer')) {
      expect(event).toMatchObject({ type: 'reasoning', task_id: 'loan-1', chain_status: 'tool_calling' });
      expect(event.step.visibility).toEqual({ level: 'full' });
    }
    expect([...new Set(eventsFor('developer').map(({ step }) => step.type))]).toEqual([
      'thinking',
      'tool_call',
      'tool_result',
      'synthesis',
    ]);
  });

  it('links a call and its result, with the kind of the tool, success and duration', () => {
    const steps = eventsFor('developer').map(({ step }) => step);
    const call = steps.find((step) => step.tool_call?.tool_name === 'query');
    expect(call).toMatchObject({ step_number: 1, tool_call: { tool_type: 'database' } });
    const id = call?.tool_call?.correlation_id;
    const result = steps.find((step) => step.tool_result?.correlation_id === id);
    expect(result?.tool_result).toMatchObject({ success: true, duration_ms: 500 });
    expect(Number.isNaN(Date.parse(result?.timestamp ?? ''))).toBe(false);
  });

  it('has a summary in place of content for users, and only a place where the step is hidden', () => {
    const summary = eventsFor('end_user').find(({ step }) => step.type === 'tool_result')?.step;
    expect(summary?.visibility).toEqual({ level: 'summary', summary: expect.any(String) });
    expect(summary?.tool_result).toBeUndefined();
    const hidden = view(loan, createViewer('developer'), { default: 'hidden' }).steps[0];
    expect(hidden && toReasoningEvent('loan-1', hidden, 'completed').step).toEqual({
      step_id: '1',
      step_number: 1,
      type: 'thinking',
      visibility: { level: 'hidden' },
    });
  });
});
