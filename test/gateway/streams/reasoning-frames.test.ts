/** The format `reasoning`: only what its readers know, and each event once. */

import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { WatchEvent } from '../../../src/client/follow/event.js';
import type { StepView } from '../../../src/entries/view.js';
import { createViewer, view } from '../../../src/entries/view.js';
import { createReasoningFilter, toStreamedReasoning } from '../../../src/gateway/streams/reasoning-frames.js';
import { loan } from '../../support/some-reasoning.js';

/** The documented shape of an event, and nothing else. */
const documented = z.strictObject({
  type: z.literal('reasoning'),
  task_id: z.string(),
  step: z.strictObject({
    step_id: z.string(),
    step_number: z.int(),
    type: z.enum(['thinking', 'tool_call', 'tool_result', 'synthesis']),
    timestamp: z.iso.datetime().optional(),
    thought: z.string().optional(),
    confidence: z.number().min(0).max(1).optional(),
    tool_call: z
      .strictObject({
        tool_type: z.enum(['external', 'skill', 'sub_agent', 'database', 'file_system']),
        tool_name: z.string(),
        arguments: z.record(z.string(), z.unknown()),
        correlation_id: z.string(),
      })
      .optional(),
    tool_result: z
      .strictObject({
        correlation_id: z.string(),
        success: z.boolean(),
        result: z.unknown(),
        error: z.string().optional(),
        duration_ms: z.int(),
      })
      .optional(),
    synthesis: z.strictObject({ sources: z.array(z.string()), conclusion: z.string() }).optional(),
    visibility: z.strictObject({ level: z.enum(['full', 'summary', 'hidden']), summary: z.string().optional() }),
  }),
  chain_status: z.enum(['thinking', 'tool_calling', 'waiting', 'completed', 'failed']),
});

type StepChanged = Extract<WatchEvent, { type: 'step-changed' }>;

function change(step: StepView, state: StepChanged['state'] = 'tool_calling'): WatchEvent {
  const position = { chainId: 'loan-1', runId: 'r', eventId: 1, item: 0 };
  return { ...position, type: 'step-changed', step, state, progress: [] };
}

const stepsFor = (role: string) => view(loan, createViewer(role)).steps;

const isCall = (step: StepView) => step.kind === 'tool_call' && step.level === 'full';

describe('a reasoning event', () => {
  it('has the documented shape for each role', () => {
    for (const role of ['end_user', 'developer', 'auditor']) {
      const events = stepsFor(role).map((step) => toStreamedReasoning(change(step)));
      for (const event of events) expect(documented.safeParse(event).error).toBeUndefined();
      expect(events.length).toBeGreaterThan(5);
    }
  });

  it('has external for a kind of tool that its readers do not know, and 0 for the time of a call that did not run', () => {
    const [call, result] = [
      stepsFor('auditor').find(isCall),
      stepsFor('auditor').find(({ kind }) => kind === 'tool_result'),
    ];
    if (call === undefined || result === undefined) throw new Error('The chain has no call.');
    const shell = toStreamedReasoning(change({ ...call, toolKind: 'shell' } as StepView));
    expect(shell?.step.tool_call?.tool_type).toBe('external');
    const rejected = {
      ...result,
      durationMs: null,
      status: 'rejected',
      observation: { code: 'no' },
    } as unknown as StepView;
    expect(toStreamedReasoning(change(rejected))?.step.tool_result).toMatchObject({
      ...{ success: false, result: null, error: '{"code":"no"}', duration_ms: 0 },
    });
  });

  it('is sent once for each content of a step', () => {
    const filter = createReasoningFilter();
    const [thought] = stepsFor('auditor');
    const call = stepsFor('auditor').find(isCall);
    if (thought === undefined || call === undefined) throw new Error('The chain has no call.');
    const sent = [
      change(thought, 'thinking'),
      change(thought, 'thinking'),
      change(call),
      // Only its status has changed, which the format does not have.
      change({ ...call, status: 'ok' } as StepView),
      change({ ...call, input: { changed: true } } as StepView),
    ].map((event) => filter(event)?.step.step_id ?? null);
    expect(sent).toEqual([thought.id, null, call.id, null, call.id]);
  });
});
