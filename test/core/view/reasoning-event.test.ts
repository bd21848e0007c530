/** Viewed steps as reasoning events. */

import { describe, expect, it } from 'vitest';
import { createViewer, toReasoningEvent, view } from '../../../src/entries/view.js';
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

  it('has a line in place of content for users, with the link between a call and its result, and its success', () => {
    const steps = eventsFor('end_user').map(({ step }) => step);
    const call = steps.find(({ type }) => type === 'tool_call');
    const result = steps.find(({ tool_result }) => tool_result?.correlation_id === call?.tool_call?.correlation_id);
    expect(call?.visibility).toEqual({ level: 'summary', summary: expect.any(String) });
    expect(call?.tool_call).toEqual({
      ...{ tool_type: 'database', tool_name: 'query', arguments: {}, correlation_id: call?.step_id },
    });
    expect(result?.tool_result).toEqual({
      ...{ correlation_id: call?.step_id, success: true, result: null, duration_ms: 500 },
    });
    expect(steps.find(({ type }) => type === 'thinking')).not.toHaveProperty('thought');
  });

  it('shows a user that a call failed, without the error', () => {
    const failed = {
      ...loan,
      steps: loan.steps.map((step) =>
        step.kind === 'tool_result'
          ? { ...step, status: 'error' as const, observation: 'no such table: scores' }
          : step,
      ),
    };
    const steps = view(failed, createViewer('end_user')).steps.map((step) =>
      toReasoningEvent('loan-1', step, 'failed'),
    );
    const results = steps.flatMap(({ step }) => step.tool_result ?? []);
    expect(results.map(({ success }) => success)).toEqual(results.map(() => false));
    expect(results.length).toBeGreaterThan(0);
    expect(JSON.stringify(steps)).not.toContain('no such table');
  });

  it('has only a place where the step is hidden', () => {
    const hidden = view(loan, createViewer('developer'), { default: 'hidden' }).steps[0];
    expect(hidden && toReasoningEvent('loan-1', hidden, 'completed').step).toEqual({
      step_id: '1',
      step_number: 1,
      type: 'thinking',
      visibility: { level: 'hidden' },
    });
  });
});
